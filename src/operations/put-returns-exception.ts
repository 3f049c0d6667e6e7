/** Use case: a merchant sets or clears the return locations of a SKU. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkReturnLocationsKnown } from '../domain/node-rules.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, type CheckContext, type CheckedWrite, refuseBody } from './check-order.ts';
import { writeChecked } from './write-part.ts';

export function checkReturnsException(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'returns_exception'> {
  const checked = context.bodies.returnsException(body);
  if (!checked.ok) return refuseBody(checked);
  const sent = checked.value.return_location_ids ?? [];
  const report = new Report();
  checkReturnLocationsKnown(sent, account, report);
  const locationIds = sent.length === 0 ? null : sent;
  return acceptUnless(report, checked.ignored, () => ({ skuId, kind: 'returns_exception', locationIds }));
}

export const putReturnsException = writeChecked(checkReturnsException, { isReviewed: false });
