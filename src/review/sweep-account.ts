/** Marks all offers of an account as due after a configuration change, slice by slice. */
import type { WorkHandler } from '../background/leased-loop.ts';
import type { OfferReviewStore } from '../store/port/review.ts';

/** A slice takes a few milliseconds in the database. */
const SLICE_OFFERS_MAX = 500;
/** After this time the next account is swept. */
const ACCOUNT_MS_MAX = 500;

/** The position is stored in the database, so that another process can continue. */
export function sweepAccount(store: Pick<OfferReviewStore, 'sweep'>, onMarked: () => void): WorkHandler {
  return async ({ accountId, signal }) => {
    const endMs = performance.now() + ACCOUNT_MS_MAX;
    for (;;) {
      signal.throwIfAborted();
      const outcome = await store.sweep(accountId, SLICE_OFFERS_MAX);
      onMarked();
      if (outcome === 'done') return undefined;
      if (performance.now() >= endMs) return 0;
    }
  };
}
