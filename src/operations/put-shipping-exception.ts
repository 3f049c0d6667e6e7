/** Use case: a merchant replaces, or clears, the shipping exceptions of a SKU. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkExceptionsFitNodes, mergeNodeExceptions } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import type { Context } from './context.ts';
import { fromWrite, refuseByStoredRules } from './sku-outcomes.ts';

export async function putShippingException(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = context.bodies.shippingException(body);
  if (!checked.ok) return checked;
  const key = { accountId: account.accountId, skuId };
  const nodes = checked.value.fulfillment_nodes ?? [];
  const report = new Report();
  checkExceptionsFitNodes(nodes, account, context.names, report);
  if (report.problems.length > 0) return refuseByStoredRules(context.store, key, report, checked.ignored);
  const exceptions = nodes.length === 0 ? null : JSON.stringify(mergeNodeExceptions(nodes));
  return fromWrite(await context.store.putShippingExceptions(key, exceptions), skuId, checked.ignored);
}
