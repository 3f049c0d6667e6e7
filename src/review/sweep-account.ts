/** Marks offers of an account as due, slice by slice: all offers after a settings change, or the offers that an operator re-checks. */
import type { WorkHandler } from '../background/leased-loop.ts';
import { LIST_LIMITS } from '../domain/offers/offer-list.ts';
import type { Store } from '../store/port.ts';

/** A slice takes a few milliseconds in the database. */
const SLICE_OFFERS_MAX = 500;
/** Maximum number of matches per slice. They are read with their documents, about 300 KB. */
const SLICE_MATCHES_MAX = 200;
/** After this time the next account is swept. */
const ACCOUNT_MS_MAX = 500;

type SweptStore = Pick<Store, 'review' | 'offerList'>;

/** The position is stored in the database, so that another process can continue. */
export function sweepAccount(store: SweptStore, onMarked: () => void): WorkHandler {
  return async ({ accountId, signal }) => {
    const endMs = performance.now() + ACCOUNT_MS_MAX;
    for (;;) {
      signal.throwIfAborted();
      const outcome = await sweepSlice(store, accountId);
      onMarked();
      if (outcome === 'done') return undefined;
      if (performance.now() >= endMs) return 0;
    }
  };
}

/** Matches are marked before the position moves, so that a process that dies in between only marks them twice. */
async function sweepSlice({ review, offerList }: SweptStore, accountId: number): Promise<'more' | 'done'> {
  const sweep = await review.readSweep(accountId);
  if (!sweep?.filter) return review.sweep(accountId, SLICE_OFFERS_MAX);
  const { offers, next } = await offerList.listOffers(accountId, {
    ...sweep.filter,
    sort: 'oldest',
    after: { key: '', order: sweep.cursor },
    limit: SLICE_MATCHES_MAX,
    limits: LIST_LIMITS,
  });
  await review.markDue(
    accountId,
    offers.map(({ skuId }) => skuId),
    'backlog',
  );
  const isMoved = await review.moveSweep(sweep, next?.order);
  return isMoved && next === undefined ? 'done' : 'more';
}
