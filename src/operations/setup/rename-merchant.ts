/** Use case: an operator changes the name of a merchant. Its id never changes. */
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { merchantUnknown, readWholeMerchant } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export async function renameMerchant(
  { store, checks }: SetupContext,
  merchantId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = checks.merchantName(body);
  if (!checked.ok) return checked;
  const merchant = await readWholeMerchant(store, merchantId);
  if (!merchant.ok) return refuse(merchant.problems, checked.ignored);
  const written = await store.settings.changeMerchant(merchantId, { name: checked.value.name });
  return written === 'stored' ? accept(undefined, checked.ignored) : refuse([merchantUnknown(merchantId)]);
}
