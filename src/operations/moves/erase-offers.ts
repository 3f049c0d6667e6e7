/** Erases the idempotency keys, the request log and the offers of an account, slice by slice. */
import type { MoveContext } from './move-context.ts';
import { SLICE_MS_MAX } from './pace.ts';

/** Calls `watch` with the number of SKUs erased so far, and returns the total. */
export async function eraseOffers(
  { moves, pace }: Pick<MoveContext, 'moves' | 'pace'>,
  accountId: number,
  upTo: number,
  watch: (skus: number) => void = () => {},
): Promise<number> {
  for (let more = true; more; ) more = await pace.slice(() => moves.eraseRequests(accountId));
  let erased = 0;
  for (let more = true; more; ) {
    const slice = await pace.slice(() => moves.eraseOffers(accountId, upTo, SLICE_MS_MAX));
    erased += slice.skus;
    more = slice.more;
    watch(erased);
  }
  return erased;
}

/** An upload order above the upload orders of all offers. */
export const ALL_OFFERS = Number.MAX_SAFE_INTEGER;
