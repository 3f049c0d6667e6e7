/** Use cases: an operator adds a merchant, changes its name, suspends it or resumes it. The id of a merchant never changes. */
import type { Environment, NewCredential, NewMerchant } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse, refuseOutdated } from '../../domain/outcome.ts';
import type { Precondition } from '../../domain/precondition.ts';
import { fieldProblem } from '../../domain/problem.ts';
import {
  DEFAULT_RETURN_SHIPPING_METHOD,
  DEFAULT_TIME_TO_RETURN_DAYS,
} from '../../domain/vocabulary/shipping-methods.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { merchantUnknown, readWholeMerchant } from './merchant-accounts.ts';

/** Adds a merchant with an account and a credential set in each environment. */
export async function addMerchant(
  context: SetupContext,
  body: SentBody,
  credentials: Readonly<Record<Environment, NewCredential>>,
): Promise<Outcome<NewMerchant>> {
  const checked = context.checks.merchant(body);
  if (!checked.ok) return checked;
  const {
    merchant_id: merchantId,
    name,
    time_to_return: timeToReturnDays = DEFAULT_TIME_TO_RETURN_DAYS,
    return_shipping_methods: methods = [DEFAULT_RETURN_SHIPPING_METHOD],
  } = checked.value;
  const merchant = { merchantId, name, timeToReturnDays, returnShippingMethods: [...new Set(methods)], credentials };
  const written = await context.store.settings.addMerchant(merchant, context.nowMs());
  if (written === 'stored') return accept(merchant, checked.ignored);
  return refuse([fieldProblem('merchant_exists', ['merchant_id'], 'already exists')], checked.ignored);
}

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

/** Replaces what operators noted about the merchant. */
export async function noteMerchant(
  { store, checks }: SetupContext,
  merchantId: string,
  body: SentBody,
  precondition?: Precondition,
): Promise<Outcome<undefined>> {
  const checked = checks.merchantNote(body);
  if (!checked.ok) return checked;
  const written = await store.settings.setMerchantNote(merchantId, checked.value.note, precondition);
  if (typeof written === 'object') {
    const text = 'The note has changed since you read it. Nothing was changed; read it again.';
    return refuseOutdated(text, written.currentTag, checked.ignored);
  }
  return written === 'stored'
    ? accept(undefined, checked.ignored)
    : refuse([merchantUnknown(merchantId)], checked.ignored);
}

/** Suspends the merchant, whose API calls and changes in the portal are then refused, or resumes it. */
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
