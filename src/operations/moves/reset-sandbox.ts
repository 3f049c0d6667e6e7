/** Use case: an operator clears the offers and files of a merchant's test environment; its set-up stays. */
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { merchantUnknown } from '../setup/merchant-accounts.ts';
import { eraseOffers } from './erase-offers.ts';
import type { MoveContext } from './move-context.ts';

/** SKUs that are uploaded meanwhile stay. */
export async function resetSandbox(
  context: MoveContext,
  merchantId: string,
  watch: (skus: number) => void = () => {},
): Promise<Outcome<{ readonly skus: number }>> {
  const merchant = await context.setup.readMerchant(merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  const accountId = merchant.accounts.test;
  // Before the offers: rows of a file that is under way would bring some back.
  await context.moves.discardFiles(accountId);
  const last = await context.moves.readLastOffer(accountId);
  return accept({ skus: await eraseOffers(context, accountId, last, watch) });
}
