/** Use cases: an operator suspends a merchant, whose API calls and changes in the portal are then refused, or resumes it. */
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readWholeMerchant } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export async function setMerchantSuspended(
  context: SetupContext,
  merchantId: string,
  suspended: boolean,
): Promise<Outcome<undefined>> {
  const written = await context.store.settings.setSuspended(merchantId, suspended);
  if (written === 'stored') return accept(undefined);
  const merchant = await readWholeMerchant(context.store, merchantId);
  // Retried if an unfinished import of the merchant has finished in the meantime.
  return merchant.ok ? setMerchantSuspended(context, merchantId, suspended) : merchant;
}
