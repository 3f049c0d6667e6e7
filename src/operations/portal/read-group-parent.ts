/** Use case: a merchant's user looks up the parent of an offer's variation group. */
import type { Account } from '../../domain/account.ts';
import { refuseUnknown } from '../../domain/offers/write-state.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { WatchContext } from './watch-context.ts';

/** Returns null for an offer that is not a child, such as a parent. */
export async function readGroupParent(
  { store }: WatchContext,
  { accountId }: Account,
  skuId: string,
): Promise<Outcome<string | null>> {
  const parent = await store.offerList.readGroupParent(accountId, skuId);
  return parent === undefined ? refuseUnknown(skuId) : accept(parent);
}
