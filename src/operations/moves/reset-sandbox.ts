/** Use case: an operator clears the offers, files and request log of a merchant's test environment. Its settings stay. */
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readWholeMerchant } from '../setup/merchant-accounts.ts';
import { eraseOffers } from './erase-offers.ts';
import type { MoveContext } from './move-context.ts';

/** Keeps SKUs that are uploaded in the meantime. */
export async function resetSandbox(
  context: MoveContext,
  merchantId: string,
  watch: (skus: number) => void = () => {},
): Promise<Outcome<{ readonly skus: number }>> {
  const merchant = await readWholeMerchant(context.setup, merchantId);
  if (!merchant.ok) return merchant;
  const accountId = merchant.value.accounts.test;
  // Files are erased before offers, because rows of a file in progress would add offers again.
  await context.moves.discardFiles(accountId);
  const last = await context.moves.readLastOffer(accountId);
  return accept({ skus: await eraseOffers(context, accountId, last, watch) });
}
