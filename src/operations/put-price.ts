/** Use case: a merchant sets the price of a SKU, with prices of single nodes; replaces the whole price. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkNodesKnown, lastOfEachNode } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, answerRefused, type CheckContext, type CheckedWrite, refuseBody } from './checked-write.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

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

export async function putPrice(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
): Promise<Outcome<undefined>> {
  const key = { accountId: account.accountId, skuId, by };
  const checked = checkPrice(context, account, skuId, body);
  if (!checked.ok) return answerRefused(context.store, key, checked);
  const { price, nodes } = checked.value;
  const written = await context.store.putPrice(key, { price, nodes }, context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
