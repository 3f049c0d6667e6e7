/**
 * Checks images with what is needed for it: a client that fetches, and a review with its decoders. The client is loaded when there
 * is a first image to check, and not at the start of a server.
 */
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import type { inspectImage } from './images/inspect-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';
import type { ReviewMeter } from './review-meter.ts';

type Inspector = Parameters<typeof inspectImage>[0];
type Look = (...of: LookArguments) => ReturnType<typeof inspectImage>;
type LookArguments = Parameters<typeof inspectImage> extends [Inspector, ...infer Rest] ? Rest : never;

export interface ImageChecksOptions {
  /** `host` or `host:port` that may be fetched from wherever they are. */
  readonly allowedHosts: readonly string[];
  readonly placeholders: () => PlaceholderList;
  readonly decoders: ImageDecoders;
  readonly meter: ReviewMeter;
  /** Time of day. */
  readonly nowMs: () => number;
}

export class ImageChecks {
  readonly #options: ImageChecksOptions;
  #opened: Promise<{ look: Look; close(): Promise<void> }> | undefined;

  constructor(options: ImageChecksOptions) {
    this.#options = options;
  }

  async look(...of: LookArguments): ReturnType<typeof inspectImage> {
    // A load that failed is tried again by the next look: an installation may be fixed meanwhile.
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
    const [{ ImageClient }, { ImageReviewer }, { inspectImage: look }] = await Promise.all([
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
    return { look: (...of: LookArguments) => look(inspector, ...of), close: () => client.close() };
  }
}
