/** Use case: an operator lists the merchants. */
import type { Merchant } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { SetupContext } from './setup-context.ts';

export async function listMerchants(context: SetupContext): Promise<Outcome<readonly Merchant[]>> {
  return accept(await context.store.settings.listMerchants());
}
