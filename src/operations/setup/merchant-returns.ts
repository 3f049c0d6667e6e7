/** Use cases: read and change the return settings of a merchant, in both environments. */
import type { Returns } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse, refuseOutdated } from '../../domain/outcome.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { merchantUnknown } from './merchant-accounts.ts';

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
  precondition?: Precondition,
): Promise<Outcome<Returns>> {
  const checked = checks.merchantReturns(body);
  if (!checked.ok) return checked;
  const { time_to_return_days: timeToReturnDays, return_shipping_methods: methods } = checked.value;
  const returns = { timeToReturnDays, returnShippingMethods: [...new Set(methods)] };
  const written = await store.settings.changeMerchant(merchantId, returns, precondition);
  if (written === 'unknown') return refuse([merchantUnknown(merchantId)]);
  if (written === 'stored') return accept(returns, checked.ignored);
  const text = 'The return settings have changed since you read them. Nothing was changed; read them again.';
  return refuseOutdated(text, written.currentTag, checked.ignored);
}
