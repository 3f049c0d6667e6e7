/** Use case: a merchant sets the quantity of a SKU at some of the fulfillment nodes; the others keep theirs. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkNodesKnown, lastOfEachNode } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, answerRefused, type CheckContext, type CheckedWrite, refuseBody } from './checked-write.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

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

export async function patchInventory(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
): Promise<Outcome<undefined>> {
  const key = { accountId: account.accountId, skuId, by };
  const checked = checkInventory(context, account, skuId, body);
  if (!checked.ok) return answerRefused(context.store, key, checked);
  const written = await context.store.patchInventory(key, checked.value.quantities, context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
