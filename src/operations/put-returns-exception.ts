/** Use case: a merchant sets, or clears, the return locations of a SKU. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkReturnLocationsKnown } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, answerRefused, type CheckContext, type CheckedWrite, refuseBody } from './checked-write.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

export function checkReturnsException(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'returns'> {
  const checked = context.bodies.returnsException(body);
  if (!checked.ok) return refuseBody(checked);
  const sent = checked.value.return_location_ids ?? [];
  const report = new Report();
  checkReturnLocationsKnown(sent, account, report);
  const locationIds = sent.length === 0 ? null : sent;
  return acceptUnless(report, checked.ignored, () => ({ skuId, kind: 'returns', locationIds }));
}

export async function putReturnsException(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
): Promise<Outcome<undefined>> {
  const key = { accountId: account.accountId, skuId, by };
  const checked = checkReturnsException(context, account, skuId, body);
  if (!checked.ok) return answerRefused(context.store, key, checked);
  const written = await context.store.putReturnLocations(key, checked.value.locationIds, context.nowMs());
  return fromWrite(written, skuId, checked.ignored);
}
