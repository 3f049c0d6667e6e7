/** Use case: a merchant sets the price of a SKU, with prices of single nodes; replaces the whole price. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkNodesKnown, lastOfEachNode } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import type { Context } from './context.ts';
import { fromWrite, refuseByStoredRules } from './sku-outcomes.ts';

export async function putPrice(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = context.bodies.price(body);
  if (!checked.ok) return checked;
  const key = { accountId: account.accountId, skuId };
  const { price, fulfillment_nodes: nodes = [] } = checked.value;
  const report = new Report();
  checkNodesKnown(nodes, account, report);
  if (report.problems.length > 0) return refuseByStoredRules(context.store, key, report, checked.ignored);
  const written = await context.store.putPrice(key, { price, nodes: lastOfEachNode(nodes) }, context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
