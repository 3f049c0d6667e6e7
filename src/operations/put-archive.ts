/** Use case: a merchant archives or unarchives a SKU. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

export async function putArchive(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = context.bodies.archive(body);
  if (!checked.ok) return checked;
  const key = { accountId: account.accountId, skuId };
  const written = await context.store.setArchived(key, checked.value.is_archived, context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
