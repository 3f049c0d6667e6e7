/** Use cases: read and change the return settings of a merchant, in both environments. */
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import type { Returns } from '../../store/port/settings.ts';
import { merchantUnknown } from './merchant-accounts.ts';
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
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  const { name, timeToReturnDays, returnShippingMethods } = merchant;
  return accept({ merchantId, name, timeToReturnDays, returnShippingMethods });
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
  const written = await store.settings.changeMerchant(merchantId, returns);
  return written === 'stored' ? accept(returns, checked.ignored) : refuse([merchantUnknown(merchantId)]);
}
