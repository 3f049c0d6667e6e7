/** Deletes check results of images that no offer shows, once they are due for a re-check anyway; 5,000 images per round. */

import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../domain/vocabulary/iso-time.ts';
import type { ImageStore } from '../store/port/images.ts';

export interface ImageRetention {
  readonly store: Pick<ImageStore, 'dropUnusedImages'>;
  readonly image_recheck_days: number;
  readonly nowMs: () => number;
}

/** Kept small, because API calls wait for a slice. */
const SLICE_IMAGES = 500;
const SLICES_PER_ROUND = 10;
const BEFORE_ALL = new Uint8Array(0);

/** Returns the function that runs one round. */
export function dropUnusedImages({ store, image_recheck_days, nowMs }: ImageRetention): () => Promise<void> {
  // Starts at a random key, so that processes that restart often still cover all keys over time.
  let after: Uint8Array = randomBytes(32);
  return async () => {
    const beforeMs = nowMs() - image_recheck_days * DAY_MS;
    for (let slice = 0; slice < SLICES_PER_ROUND; slice++) {
      const last = await store.dropUnusedImages(beforeMs, after, SLICE_IMAGES);
      after = last ?? BEFORE_ALL;
      if (last === undefined) return;
    }
  };
}
