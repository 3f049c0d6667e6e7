/** Use case: a merchant uploads the data of a SKU, or of a shoe SKU, replacing what was uploaded before. */
import type { Account } from '../domain/account.ts';
import type { SkuUpload } from '../domain/bodies/sku.ts';
import { toStoredSku } from '../domain/bodies/sku.ts';
import type { SentBody } from '../domain/body-text.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

export function putSku(context: Context, account: Account, skuId: string, body: SentBody): Promise<Outcome<undefined>> {
  return store(context, account, skuId, context.bodies.sku(body));
}

export function putShoeSku(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  return store(context, account, skuId, context.bodies.shoeSku(body));
}

async function store(
  context: Context,
  account: Account,
  skuId: string,
  checked: Outcome<SkuUpload>,
): Promise<Outcome<undefined>> {
  if (!checked.ok) return checked;
  const document = stringifyExactJson(toStoredSku(checked.value));
  const key = { accountId: account.accountId, skuId };
  const written = await context.store.putSku(key, document, context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
