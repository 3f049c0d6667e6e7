/** Use case: a merchant sets the price of a SKU and prices per node. Replaces the whole price. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkNodesKnown, lastOfEachNode } from '../domain/node-rules.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, type CheckContext, type CheckedWrite, refuseBody } from './check-order.ts';
import { writeChecked } from './write-part.ts';

export function checkPrice(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'price'> {
  const checked = context.bodies.price(body);
  if (!checked.ok) return refuseBody(checked);
  const { price, fulfillment_nodes: nodes = [] } = checked.value;
  const report = new Report();
  checkNodesKnown(nodes, account, report);
  return acceptUnless(report, checked.ignored, () => ({ skuId, kind: 'price', price, nodes: lastOfEachNode(nodes) }));
}

export const putPrice = writeChecked(checkPrice, { isReviewed: true });
