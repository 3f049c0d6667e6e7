/** Use case: a merchant archives or unarchives a SKU. */
import type { Account } from '../domain/account.ts';
import type { SentBody } from '../domain/body-text.ts';
import { accept } from '../domain/outcome.ts';
import { type CheckContext, type CheckedWrite, refuseBody } from './check-order.ts';
import { writeChecked } from './write-part.ts';

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

export const putArchive = writeChecked(checkArchive, { isReviewed: true });
