/** Use case: a merchant sets, or clears, the return locations of a SKU. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkReturnLocationsKnown } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import type { Context } from './context.ts';
import { fromWrite, refuseByStoredRules } from './sku-outcomes.ts';

export async function putReturnsException(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = context.bodies.returnsException(body);
  if (!checked.ok) return checked;
  const key = { accountId: account.accountId, skuId };
  const locationIds = checked.value.return_location_ids ?? [];
  const report = new Report();
  checkReturnLocationsKnown(locationIds, account, report);
  if (report.problems.length > 0) return refuseByStoredRules(context.store, key, report, checked.ignored);
  const stored = locationIds.length === 0 ? null : locationIds;
  return fromWrite(await context.store.putReturnLocations(key, stored), skuId, checked.ignored);
}
