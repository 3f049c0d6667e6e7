/** Use case: a merchant uploads a SKU or a shoe SKU, replacing the earlier upload. */
import type { Account } from '../domain/account.ts';
import type { SkuUpload } from '../domain/bodies/sku.ts';
import { toStoredSku } from '../domain/bodies/sku.ts';
import type { SentBody } from '../domain/body-text.ts';
import { isObject, isPresent } from '../domain/check/compile.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { type CheckContext, type CheckedWrite, refuseBody } from './check-order.ts';
import { writeChecked } from './write-part.ts';

export function checkSku(context: CheckContext, _account: Account, skuId: string, body: SentBody): CheckedWrite<'sku'> {
  return toWrite(skuId, context.bodies.sku(body));
}

export function checkShoeSku(
  context: CheckContext,
  _account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'sku'> {
  return toWrite(skuId, context.bodies.shoeSku(body));
}

/** Bulk files and the history have no URL that distinguishes SKUs and shoes, so a body with a product type counts as a shoe. */
export function checkAnySku(
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'sku'> {
  const isShoe = isObject(body.value) && isPresent(body.value.product_type_id);
  return (isShoe ? checkShoeSku : checkSku)(context, account, skuId, body);
}

function toWrite(skuId: string, checked: Outcome<SkuUpload>): CheckedWrite<'sku'> {
  if (!checked.ok) return refuseBody(checked);
  return accept({ skuId, kind: 'sku', document: stringifyExactJson(toStoredSku(checked.value)) }, checked.ignored);
}

export const putSku = writeChecked(checkSku, { isReviewed: true });
export const putShoeSku = writeChecked(checkShoeSku, { isReviewed: true });
export const putAnySku = writeChecked(checkAnySku, { isReviewed: true });
