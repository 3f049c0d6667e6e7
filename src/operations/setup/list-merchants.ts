/** Use case: an operator lists the merchants. */
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { Merchant } from '../../store/port/settings.ts';
import type { SetupContext } from './setup-context.ts';

export async function listMerchants(context: SetupContext): Promise<Outcome<readonly Merchant[]>> {
  return accept(await context.store.settings.listMerchants());
}
