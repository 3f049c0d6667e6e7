/** Use case: a merchant sets the quantity of a SKU at some of the fulfillment nodes; the others keep theirs. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkNodesKnown, lastOfEachNode } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import type { Context } from './context.ts';
import { fromWrite, refuseByStoredRules } from './sku-outcomes.ts';

export async function patchInventory(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = context.bodies.inventory(body);
  if (!checked.ok) return checked;
  const key = { accountId: account.accountId, skuId };
  const nodes = checked.value.fulfillment_nodes;
  const report = new Report();
  checkNodesKnown(nodes, account, report);
  if (report.problems.length > 0) return refuseByStoredRules(context.store, key, report, checked.ignored);
  const written = await context.store.patchInventory(key, lastOfEachNode(nodes), context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
