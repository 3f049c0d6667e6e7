/** Use case: a merchant's user archives or unarchives several offers, each like a single call. */
import type { Account } from '../../domain/account.ts';
import type { Author } from '../../domain/author.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { Problem } from '../../domain/problem.ts';
import { requestProblem } from '../../domain/problem.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../store/port/errors.ts';
import type { Context } from '../context.ts';
import { putArchive } from '../put-archive.ts';

export interface ArchivedOffers {
  readonly done: number;
  readonly failed: readonly { readonly skuId: string; readonly problems: readonly Problem[] }[];
}

/**
 * A SKU that occurs twice counts once. A write that the store refuses fails alone and is reported with the others; the
 * call fails only when all of them do.
 */
export async function archiveOffers(
  context: Context,
  account: Account,
  body: SentBody,
  by: Author,
): Promise<Outcome<ArchivedOffers>> {
  const checked = context.bodies.archiveMany(body);
  if (!checked.ok) return checked;
  const single: SentBody = { value: { is_archived: checked.value.archived }, problems: [] };
  const skuIds = [...new Set(checked.value.skus)];
  const problemsOf = async (skuId: string): Promise<readonly Problem[]> => {
    const fault = skuIdFault(skuId);
    if (fault !== undefined) return [requestProblem('sku_id_invalid', `The SKU id ${fault}.`)];
    const outcome = await putArchive(context, account, skuId, single, by);
    return outcome.ok ? [] : outcome.problems;
  };
  const settled = await Promise.allSettled(skuIds.map(problemsOf));
  const errors = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const isOfAll = errors.length === settled.length;
  for (const error of errors) if (isOfAll || !isOfStore(error)) throw error;
  const outcomes = settled.map((each) => (each.status === 'fulfilled' ? each.value : [NOT_STORED]));
  const failed = outcomes.flatMap((problems, place) =>
    problems.length === 0 ? [] : [{ skuId: skuIds[place] ?? '', problems }],
  );
  return accept({ done: outcomes.length - failed.length, failed }, checked.ignored);
}

function isOfStore(error: unknown): boolean {
  return error instanceof StoreUnavailableError || error instanceof StoreOverloadedError;
}

const NOT_STORED = requestProblem(
  'store_unavailable',
  'The database is unavailable, and the change may not have been stored. Retry shortly.',
);
