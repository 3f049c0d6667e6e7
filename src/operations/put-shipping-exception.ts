/** Use case: a merchant replaces, or clears, the shipping exceptions of a SKU. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import { checkExceptionsFitNodes, mergeNodeExceptions } from '../domain/node-rules.ts';
import type { Outcome } from '../domain/outcome.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, answerRefused, type CheckContext, type CheckedWrite, refuseBody } from './checked-write.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

export function checkShippingException(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'shipping'> {
  const checked = context.bodies.shippingException(body);
  if (!checked.ok) return refuseBody(checked);
  const nodes = checked.value.fulfillment_nodes ?? [];
  const report = new Report();
  checkExceptionsFitNodes(nodes, account, context.names, report);
  return acceptUnless(report, checked.ignored, () => ({
    skuId,
    kind: 'shipping',
    exceptions: nodes.length === 0 ? null : JSON.stringify(mergeNodeExceptions(nodes)),
  }));
}

export async function putShippingException(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
): Promise<Outcome<undefined>> {
  const key = { accountId: account.accountId, skuId, by };
  const checked = checkShippingException(context, account, skuId, body);
  if (!checked.ok) return answerRefused(context.store, key, checked);
  const written = await context.store.putShippingExceptions(key, checked.value.exceptions, context.nowMs());
  return fromWrite(written, skuId, checked.ignored);
}
