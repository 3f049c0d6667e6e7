/** Use case: a merchant lists the ids of all uploaded SKUs, in the order of their first upload. */
import type { Account } from '../domain/account.ts';
import { accept, type Outcome, refuse } from '../domain/outcome.ts';
import { requestProblem } from '../domain/problem.ts';
import type { SkuPage, SkuPageRequest } from '../store/port/offers.ts';
import type { Context } from './context.ts';

export async function listSkus(context: Context, account: Account, page: SkuPageRequest): Promise<Outcome<SkuPage>> {
  const found = await context.store.offers.listSkus(account.accountId, page);
  if (found !== 'after_unknown') return accept(found);
  return refuse([requestProblem('after_unknown', `after: SKU ${page.after} not found.`)]);
}
