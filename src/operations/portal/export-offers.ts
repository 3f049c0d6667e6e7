/** Use case: a merchant's user exports the offers of a list as CSV, read page by page while it is sent. */
import type { Account } from '../../domain/account.ts';
import { csvLine, plainCell, textCell } from '../../domain/csv.ts';
import type { Names } from '../../domain/names.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { type ListRequest, listOffers, type OfferRow, type Page } from './list-offers.ts';
import type { WatchContext } from './watch-context.ts';

/** Offers per page, about 400 KB of documents. */
const PAGE_OFFERS = 250;
/** Without this byte order mark, spreadsheets read UTF-8 as another encoding. */
const BYTE_ORDER_MARK = '\uFEFF';

const HEADINGS = Object.freeze([
  'sku',
  'title',
  'brand',
  'status',
  'sub_status',
  'category',
  'price',
  'quantity',
  'archived',
  'updated',
]);

/** Reads the first page before anything is sent, so that a list that cannot be sorted is refused. */
export async function exportOffers(
  context: WatchContext,
  account: Account,
  request: ListRequest,
  names: Names,
): Promise<Outcome<AsyncIterable<string>>> {
  const from = { ...request, limit: PAGE_OFFERS };
  const first = await listOffers(context, account, from);
  if (!first.ok) return first;
  const read = async (after: ListRequest['after']) => listOffers(context, account, { ...from, after });
  return accept(lines(first.value, read, names));
}

async function* lines(
  first: Page<OfferRow>,
  read: (after: ListRequest['after']) => Promise<Outcome<Page<OfferRow>>>,
  names: Names,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(HEADINGS);
  for (let page = first; ; ) {
    yield page.offers.map((offer) => lineOf(offer, names)).join('');
    if (page.next === undefined) return;
    const next = await read(page.next);
    // The download ends early, which the browser reports as an error. Otherwise it would look complete.
    if (!next.ok) throw new Error('More offers match than can be sorted.');
    page = next.value;
  }
}

function lineOf(offer: OfferRow, names: Names): string {
  const { skuId, title, brand, verdict, category, price, quantity, archived, updatedMs } = offer;
  return csvLine([
    textCell(skuId),
    textCell(title),
    textCell(brand),
    textCell(names.status(verdict.status)),
    plainCell(verdict.subStatuses.join('; ')),
    textCell(category?.name ?? String(category?.id ?? '')),
    price === null ? '' : String(price),
    String(quantity),
    archived ? 'yes' : 'no',
    new Date(updatedMs).toISOString(),
  ]);
}
