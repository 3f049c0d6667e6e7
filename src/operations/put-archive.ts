/** Use case: a merchant archives or unarchives a SKU. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { answerRefused, type CheckContext, type CheckedWrite, refuseBody } from './checked-write.ts';
import type { Context } from './context.ts';
import { fromWrite } from './sku-outcomes.ts';

export function checkArchive(
  context: CheckContext,
  _account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite<'archive'> {
  const checked = context.bodies.archive(body);
  if (!checked.ok) return refuseBody(checked);
  return accept({ skuId, kind: 'archive', archived: checked.value.is_archived }, checked.ignored);
}

export async function putArchive(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
): Promise<Outcome<undefined>> {
  const key = { accountId: account.accountId, skuId, by };
  const checked = checkArchive(context, account, skuId, body);
  if (!checked.ok) return answerRefused(context.store, key, checked);
  const written = await context.store.setArchived(key, checked.value.archived, context.nowMs());
  context.onOfferWritten();
  return fromWrite(written, skuId, checked.ignored);
}
