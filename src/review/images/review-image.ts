/** Reviews a file: compares the decoder's findings with the known placeholders. */
import { checksOf, type ImageFindings } from './check-results.ts';
import type { ImageDecoders } from './decoding/image-decoders.ts';
import type { PlaceholderList, PlaceholderMatch } from './placeholder-list.ts';

export interface Verdict extends ImageFindings {
  readonly placeholder: PlaceholderMatch | null;
}

export interface ImageReviewerOptions {
  /** Called for each image, because operators change the list. */
  readonly placeholders: () => PlaceholderList;
  readonly decoders: Pick<ImageDecoders, 'check'>;
}

export class ImageReviewer {
  readonly #options: ImageReviewerOptions;

  constructor(options: ImageReviewerOptions) {
    this.#options = options;
  }

  /** Rejects if the signal aborts before decoding starts, and if no decoder could be started. */
  async review(file: Buffer, signal?: AbortSignal): Promise<Verdict> {
    const findings = await this.#options.decoders.check(file, signal);
    const { hash, checks } = findings;
    if (hash === null || checks.some(({ state }) => state === 'failed')) return { ...findings, placeholder: null };
    const placeholder = this.#options.placeholders().match(hash);
    return { ...findings, placeholder, checks: checksOf(placeholder === null ? [] : ['placeholder'], 'placeholder') };
  }
}
