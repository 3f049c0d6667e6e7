/** Use cases: an operator suspends a merchant, which is then refused everything, or lets it in again. */
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { merchantUnknown } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export async function setMerchantSuspended(
  context: SetupContext,
  merchantId: string,
  suspended: boolean,
): Promise<Outcome<undefined>> {
  const written = await context.store.setSuspended(merchantId, suspended);
  return written === 'stored' ? accept(undefined) : refuse([merchantUnknown(merchantId)]);
}
