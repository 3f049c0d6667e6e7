/** Use case: somebody of a merchant archives or unarchives several offers, each as the single call does. */
import type { Account } from '../../domain/account.ts';
import type { Author } from '../../domain/author.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { Problem } from '../../domain/problem.ts';
import { requestProblem } from '../../domain/problem.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import type { Context } from '../context.ts';
import { putArchive } from '../put-archive.ts';

export interface ArchivedOffers {
  readonly done: number;
  readonly failed: readonly { readonly skuId: string; readonly problems: readonly Problem[] }[];
}

/** A SKU that is named twice counts once. */
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
  const outcomes = await Promise.all(skuIds.map(async (skuId) => ({ skuId, problems: await problemsOf(skuId) })));
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  return accept({ done: outcomes.length - failed.length, failed }, checked.ignored);
}
