/** Fetches and decodes images to check them. Loads the HTTP client's code for the first image, not at server start. */

import type { CheckImage } from './fetch-images.ts';
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import type { ImageInspector } from './images/inspect-image.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';
import type { ReviewMeter } from './review-meter.ts';

interface ImageCheckerOptions {
  /** `host` or `host:port` that may have private addresses. */
  readonly allowedHosts: readonly string[];
  readonly placeholders: () => PlaceholderList;
  readonly decoders: ImageDecoders;
  readonly meter: ReviewMeter;
  /** Wall clock. */
  readonly nowMs: () => number;
}

export interface ImageChecker {
  readonly check: CheckImage;
  close(): Promise<void>;
}

export function imageChecker(options: ImageCheckerOptions): ImageChecker {
  let opened: Promise<ImageChecker> | undefined;
  return {
    async check(...of) {
      // The next check retries a failed load, because the installation may have been repaired.
      opened ??= open(options).catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return (await opened).check(...of);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

async function open({ allowedHosts, meter, nowMs: now, ...reviewer }: ImageCheckerOptions): Promise<ImageChecker> {
  const [{ ImageClient }, { inspectImage }] = await Promise.all([
    import('./images/fetching/image-client.ts'),
    import('./images/inspect-image.ts'),
  ]);
  const client = new ImageClient({ allowedHosts });
  const onFetched: ImageInspector['onFetched'] = (fetch_ms, kind) => meter.fetched(fetch_ms, kind);
  const inspector = { client, ...reviewer, now, onFetched };
  return { check: (...of) => inspectImage(inspector, ...of), close: () => client.close() };
}
