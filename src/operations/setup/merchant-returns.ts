/** Use cases: read and change the return settings of a merchant, in both environments. */
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import type { Returns } from '../../store/port/settings.ts';
import { merchantUnknown, problemsOf, readTarget } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export interface MerchantReturns extends Returns {
  readonly merchantId: string;
  readonly name: string;
}

export async function readMerchantReturns(
  { store }: SetupContext,
  merchantId: string,
): Promise<Outcome<MerchantReturns>> {
  const merchant = await store.settings.readMerchant(merchantId);
  // The return settings are the same in both environments, so only one is read.
  const found = await readTarget(store, { merchantId, environments: ['live'] });
  const [account] = found.ok ? found.value : [];
  if (merchant === undefined || account === undefined) return refuse(problemsOf(found));
  const { timeToReturnDays, returnShippingMethods } = account;
  return accept({ merchantId, name: merchant.name, timeToReturnDays, returnShippingMethods });
}

export async function setMerchantReturns(
  { store, checks }: SetupContext,
  merchantId: string,
  body: SentBody,
): Promise<Outcome<Returns>> {
  const checked = checks.merchantReturns(body);
  if (!checked.ok) return checked;
  const { time_to_return_days: timeToReturnDays, return_shipping_methods: methods } = checked.value;
  const returns = { timeToReturnDays, returnShippingMethods: [...new Set(methods)] };
  const written = await store.settings.setReturns(merchantId, returns);
  return written === 'stored' ? accept(returns, checked.ignored) : refuse([merchantUnknown(merchantId)]);
}
