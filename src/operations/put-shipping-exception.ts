/** Use case: a merchant replaces or clears the shipping exceptions of a SKU. */
import type { Account } from '../domain/account.ts';
import { checkExceptionsFitNodes, mergeNodeExceptions } from '../domain/bodies/shipping-exception-rules.ts';
import type { SentBody } from '../domain/body-text.ts';
import { Report } from '../domain/problem.ts';
import { acceptUnless, type CheckContext, type CheckedWrite, refuseBody } from './check-order.ts';
import { writeChecked } from './write-part.ts';

export function checkShippingException(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'shipping_exception'> {
  const checked = context.bodies.shippingException(body);
  if (!checked.ok) return refuseBody(checked);
  const nodes = checked.value.fulfillment_nodes ?? [];
  const report = new Report();
  checkExceptionsFitNodes(nodes, account, context.names, report);
  return acceptUnless(report, checked.ignored, () => ({
    skuId,
    kind: 'shipping_exception',
    exceptions: nodes.length === 0 ? null : JSON.stringify(mergeNodeExceptions(nodes)),
  }));
}

export const putShippingException = writeChecked(checkShippingException, { isReviewed: false });
