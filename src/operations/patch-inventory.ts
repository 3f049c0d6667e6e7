/** Use case: a merchant sets the quantity of a SKU at some fulfillment nodes; the other nodes do not change. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkNodesKnown, lastOfEachNode } from '../domain/node-rules.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, type CheckContext, type CheckedWrite, refuseBody } from './check-order.ts';
import { writeChecked } from './write-part.ts';

export function checkInventory(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'inventory'> {
  const checked = context.bodies.inventory(body);
  if (!checked.ok) return refuseBody(checked);
  const nodes = checked.value.fulfillment_nodes;
  const report = new Report();
  checkNodesKnown(nodes, account, report);
  return acceptUnless(report, checked.ignored, () => ({ skuId, kind: 'inventory', quantities: lastOfEachNode(nodes) }));
}

export const patchInventory = writeChecked(checkInventory, { isReviewed: true });
