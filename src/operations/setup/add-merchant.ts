/** Use case: an operator adds a merchant with an account and a credential set in each environment. */
import type { Environment, NewCredential, NewMerchant } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem } from '../../domain/problem.ts';
import {
  DEFAULT_RETURN_SHIPPING_METHOD,
  DEFAULT_TIME_TO_RETURN_DAYS,
} from '../../domain/vocabulary/shipping-methods.ts';
import type { SetupContext } from './setup-context.ts';

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
