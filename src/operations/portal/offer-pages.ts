/** Walks all offers that match a list request, page by page. */
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { type CurrentOffer, type ListRequest, listCurrent, type Page } from './list-offers.ts';
import type { ViewContext } from './view-context.ts';

/** Offers per page, about 400 KB of documents. */
export const PAGE_OFFERS = 250;

/** Reads the first page immediately, so that a list that cannot be sorted is refused. */
export async function offerPages(
  context: ViewContext,
  account: Account,
  request: Omit<ListRequest, 'after' | 'limit'>,
): Promise<Outcome<AsyncGenerator<readonly CurrentOffer[]>>> {
  const read = (after: ListRequest['after']) =>
    listCurrent(context, account, { ...request, after, limit: PAGE_OFFERS });
  const first = await read(undefined);
  return first.ok ? accept(pagesFrom(first.value, read)) : first;
}

async function* pagesFrom(
  first: Page<CurrentOffer>,
  read: (after: ListRequest['after']) => Promise<Outcome<Page<CurrentOffer>>>,
): AsyncGenerator<readonly CurrentOffer[]> {
  for (let page = first; ; ) {
    yield page.offers;
    if (page.next === undefined) return;
    const next = await read(page.next);
    // A download then ends early, which the browser reports as an error. Otherwise it would look complete.
    if (!next.ok) throw new Error('More offers match than can be sorted.');
    page = next.value;
  }
}
