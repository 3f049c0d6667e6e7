/**
 * In charge of what was found of images that no offer shows any more: it goes when it would be looked at anew anyway, a few
 * thousand images a round.
 */
import { randomBytes } from 'node:crypto';
import type { ImageStore } from '../store/port/images.ts';

export interface ImageRetention {
  readonly store: Pick<ImageStore, 'dropUnusedImages'>;
  readonly image_recheck_days: number;
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;
/** Single calls wait for a slice. */
const SLICE_IMAGES = 500;
const SLICES_A_ROUND = 10;
const BEFORE_ALL = new Uint8Array(0);

/** Gives what is to be done each round. */
export function dropUnusedImages({ store, image_recheck_days, nowMs }: ImageRetention): () => Promise<void> {
  // Keys are spread evenly: beginning anywhere, even processes that are often restarted look at all of them in time.
  let after: Uint8Array = randomBytes(32);
  return async () => {
    const beforeMs = nowMs() - image_recheck_days * DAY_MS;
    for (let slice = 0; slice < SLICES_A_ROUND; slice++) {
      const last = await store.dropUnusedImages(beforeMs, after, SLICE_IMAGES);
      after = last ?? BEFORE_ALL;
      if (last === undefined) return;
    }
  };
}
