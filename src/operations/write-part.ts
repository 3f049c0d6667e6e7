/** Runs the steps that all changes to one part of a SKU share: check the body, write it, respond. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { RowWrite } from '../store/port/files.ts';
import type { GroupOutcome, Precondition, WriteKey } from '../store/port/offers.ts';
import { answerRefused, type CheckContext, type CheckedWrite } from './check-order.ts';
import type { Context } from './context.ts';
import { fromWrite } from './unknown-or-archived-sku.ts';

export type WriteOperation = (
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
  precondition?: Precondition,
) => Promise<Outcome<undefined>>;

type Check<Kind extends RowWrite['kind']> = (
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
) => CheckedWrite<Kind>;

/** `isReviewed` is true if the review depends on this part. */
export function writeChecked<Kind extends RowWrite['kind']>(
  check: Check<Kind>,
  { isReviewed }: { readonly isReviewed: boolean },
): WriteOperation {
  return async (context, account, skuId, body, by, precondition) => {
    const key = { accountId: account.accountId, skuId, by };
    const checked = check(context, account, skuId, body);
    if (!checked.ok) return answerRefused(context.store.offers, key, checked);
    const { offers } = context.store;
    // A retried request with a precondition is written like a new one, because the precondition already protects newer data.
    const written =
      context.writeLate && precondition === undefined
        ? await writeLate(context.writeLate, key, [checked.value])
        : await offers.write(key, [checked.value], context.nowMs(), precondition);
    if (isReviewed) context.onOfferWritten();
    return fromWrite(written, skuId, checked.ignored);
  };
}

/** A late write that newer data supersedes counts as stored. Only groups have outcomes of another type. */
export async function writeLate(
  write: NonNullable<Context['writeLate']>,
  key: WriteKey,
  rows: readonly RowWrite[],
): Promise<GroupOutcome> {
  const outcome = await write(key, rows);
  return outcome === 'superseded' ? 'stored' : outcome;
}
