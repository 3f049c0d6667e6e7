/**
 * Checks images with what is needed for it: a client that fetches, and a judge with its decoders. The client is loaded when there
 * is a first image to check, and not at the start of a server.
 */
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import type { lookAtImage } from './images/look-at-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';
import type { ReviewMeter } from './review-meter.ts';

type Looker = Parameters<typeof lookAtImage>[0];
type Look = (...of: LookArguments) => ReturnType<typeof lookAtImage>;
type LookArguments = Parameters<typeof lookAtImage> extends [Looker, ...infer Rest] ? Rest : never;

export interface ImageEyesOptions {
  /** `host` or `host:port` that may be fetched from wherever they are. */
  readonly allowedHosts: readonly string[];
  readonly placeholders: () => PlaceholderList;
  readonly decoders: ImageDecoders;
  readonly meter: ReviewMeter;
  /** Time of day. */
  readonly nowMs: () => number;
}

export class ImageEyes {
  readonly #options: ImageEyesOptions;
  #opened: Promise<{ look: Look; close(): Promise<void> }> | undefined;

  constructor(options: ImageEyesOptions) {
    this.#options = options;
  }

  async look(...of: LookArguments): ReturnType<typeof lookAtImage> {
    // A load that failed is tried again by the next look: an installation may be mended meanwhile.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    const { look } = await this.#opened;
    return look(...of);
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }

  async #open() {
    const [{ ImageClient }, { ImageJudge }, { lookAtImage: look }] = await Promise.all([
      import('./images/fetching/image-client.ts'),
      import('./images/judge-image.ts'),
      import('./images/look-at-image.ts'),
    ]);
    const { allowedHosts, placeholders, decoders, meter, nowMs } = this.#options;
    const client = new ImageClient({ allowedHosts });
    const looker: Looker = {
      client,
      judge: new ImageJudge({ placeholders, decoders }),
      placeholders,
      now: nowMs,
      onFetched: (fetch_ms, kind) => meter.fetched(fetch_ms, kind),
    };
    return { look: (...of: LookArguments) => look(looker, ...of), close: () => client.close() };
  }
}
