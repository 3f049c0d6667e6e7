/** Fetches and decodes images to check them. Loads the HTTP client's code for the first image, not at server start. */
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import type { inspectImage } from './images/inspect-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';
import type { ReviewMeter } from './review-meter.ts';

type Inspector = Parameters<typeof inspectImage>[0];
type Check = (...of: CheckArguments) => ReturnType<typeof inspectImage>;
type CheckArguments = Parameters<typeof inspectImage> extends [Inspector, ...infer Rest] ? Rest : never;

export interface ImageCheckerOptions {
  /** `host` or `host:port` that may have private addresses. */
  readonly allowedHosts: readonly string[];
  readonly placeholders: () => PlaceholderList;
  readonly decoders: ImageDecoders;
  readonly meter: ReviewMeter;
  /** Wall clock. */
  readonly nowMs: () => number;
}

export class ImageChecker {
  readonly #options: ImageCheckerOptions;
  #opened: Promise<{ check: Check; close(): Promise<void> }> | undefined;

  constructor(options: ImageCheckerOptions) {
    this.#options = options;
  }

  async check(...of: CheckArguments): ReturnType<typeof inspectImage> {
    // The next check retries a failed load, because the installation may have been repaired.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    const { check } = await this.#opened;
    return check(...of);
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }

  async #open() {
    const [{ ImageClient }, { ImageReviewer }, { inspectImage: inspect }] = await Promise.all([
      import('./images/fetching/image-client.ts'),
      import('./images/review-image.ts'),
      import('./images/inspect-image.ts'),
    ]);
    const { allowedHosts, placeholders, decoders, meter, nowMs } = this.#options;
    const client = new ImageClient({ allowedHosts });
    const inspector: Inspector = {
      client,
      review: new ImageReviewer({ placeholders, decoders }),
      placeholders,
      now: nowMs,
      onFetched: (fetch_ms, kind) => meter.fetched(fetch_ms, kind),
    };
    return { check: (...of: CheckArguments) => inspect(inspector, ...of), close: () => client.close() };
  }
}
