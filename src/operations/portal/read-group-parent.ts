/** Use case: somebody of the merchant looks up in whose variation group an offer is. */
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { refuseUnknown } from '../sku-outcomes.ts';
import type { WatchContext } from './watch-context.ts';

/** Null for what is nobody's child, a parent among them. */
export async function readGroupParent(
  { store }: WatchContext,
  { accountId }: Account,
  skuId: string,
): Promise<Outcome<string | null>> {
  const parent = await store.offerList.readGroupParent(accountId, skuId);
  return parent === undefined ? refuseUnknown(skuId) : accept(parent);
}
