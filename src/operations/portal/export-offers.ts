/** Use case: a merchant's user exports the offers of a list as CSV, read page by page while it is sent. */
import type { Account } from '../../domain/account.ts';
import type { Names } from '../../domain/names.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { csvLine, plainCell, textCell } from '../../domain/sheets/csv.ts';
import { reviewKnowledge } from '../review-knowledge.ts';
import { type CurrentOffer, type ListRequest, type OfferRow, rowOf } from './list-offers.ts';
import { offerPages } from './offer-pages.ts';
import type { ViewContext } from './view-context.ts';

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

export async function exportOffers(
  context: ViewContext,
  account: Account,
  request: ListRequest,
  names: Names,
): Promise<Outcome<AsyncIterable<string>>> {
  const { taxonomy } = reviewKnowledge(context.rules, account);
  const pages = await offerPages(context, account, request);
  return pages.ok ? accept(lines(pages.value, (offer) => lineOf(rowOf(offer, taxonomy), names))) : pages;
}

async function* lines(
  pages: AsyncIterable<readonly CurrentOffer[]>,
  line: (offer: CurrentOffer) => string,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(HEADINGS);
  for await (const offers of pages) yield offers.map(line).join('');
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
