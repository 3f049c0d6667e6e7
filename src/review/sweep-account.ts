/** In charge of marking all offers of an account as due after a change of the setup, slice by slice. */

import type { WorkHandler } from '../background/leased-loop.ts';
import type { OfferReviewStore } from '../store/port/review.ts';

/** A few milliseconds of the store. */
const SLICE_OFFERS_MAX = 500;
/** After this long other accounts have their turn. */
const TURN_MS_MAX = 500;

/** Where it stands is in the store, so that whoever goes on begins there. */
export function sweepAccount(store: Pick<OfferReviewStore, 'sweep'>, onMarked: () => void): WorkHandler {
  return async ({ accountId, signal }) => {
    const endMs = performance.now() + TURN_MS_MAX;
    for (;;) {
      signal.throwIfAborted();
      const outcome = await store.sweep(accountId, SLICE_OFFERS_MAX);
      onMarked();
      if (outcome === 'done') return undefined;
      if (performance.now() >= endMs) return 0;
    }
  };
}
