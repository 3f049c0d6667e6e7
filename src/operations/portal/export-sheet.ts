/**
 * Use case: a merchant's user exports the offers of a list as a CSV sheet that can be uploaded again.
 *
 * The offers are read twice, page by page: first to find the columns that have a value, then while the sheet is sent. With all columns,
 * offers would have 449, prices 2,002 and whole offers about 7,000. Archived offers are left out, because an upload of their data would be refused.
 */
import type { Account } from '../../domain/account.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import { bodyJson, PARTS_IN_OFFER } from '../../domain/offers/parts.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { type Column, columnsOf } from '../../domain/sheets/columns.ts';
import { cellsOf, csvLines, csvText, type SheetValues, usedColumns, valuesOf } from '../../domain/sheets/write-rows.ts';
import type { SheetType } from '../../domain/vocabulary/file-types.ts';
import type { ListedOffer } from '../../store/port/offer-list.ts';
import type { OfferStore, WholeOffer } from '../../store/port/offers.ts';
import type { CurrentOffer, ListRequest } from './list-offers.ts';
import { offerPages } from './offer-pages.ts';
import type { ViewContext } from './view-context.ts';

type Pages = AsyncIterable<readonly SheetValues[]>;

/**
 * Offers that are read to find the columns, which takes about 10 s. If there are more, the sheet has every possible column: while nothing is
 * sent, a proxy may end the download, often after a minute.
 */
const SCANNED_OFFERS_MAX = 100_000;

export async function exportSheet(
  context: ViewContext,
  account: Account,
  type: SheetType,
  request: ListRequest,
  scanned_offers_max = SCANNED_OFFERS_MAX,
): Promise<Outcome<AsyncIterable<string>>> {
  const pages = await offerPages(context, account, request);
  if (!pages.ok) return pages;
  const isFixed = columnsOf(type).every(({ isRequired }) => isRequired);
  const scanned = isFixed ? accept([]) : await offerPages(context, account, { ...request, sort: 'oldest' });
  if (!scanned.ok) return scanned;
  const rows = (of: typeof scanned.value) => rowsOf(context, account, type, of);
  const choose = chooseColumns(type, account, rows(scanned.value), scanned_offers_max);
  return accept(lines(choose, rows(pages.value)));
}

/** Yields for each page, so that the reading ends when the client disconnects. Returns the columns. */
async function* chooseColumns(
  type: SheetType,
  { nodes }: Account,
  scanned: Pages,
  scanned_offers_max: number,
): AsyncGenerator<'', readonly Column[]> {
  const used = new Set<string>();
  let offers = 0;
  for await (const page of scanned) {
    for (const values of page) for (const name of values.keys()) used.add(name);
    offers += page.length;
    // A price or stock has at most one entry for each node.
    const isOfNodes = type === 'Price' ? /^/ : /^(?:price|inventory)\//;
    const isPossible = ({ field, slot = 1 }: Column) => slot <= Math.max(1, nodes.size) || !isOfNodes.test(field);
    if (offers > scanned_offers_max) return columnsOf(type).filter((one) => used.has(one.name) || isPossible(one));
    yield '';
  }
  return usedColumns(type, used);
}

async function* lines(choose: ReturnType<typeof chooseColumns>, pages: Pages): AsyncGenerator<string> {
  const columns = yield* choose;
  const names = new Set(columns.map(({ name }) => name));
  yield csvText([[...names]]);
  for await (const page of pages) {
    // The download ends early. Otherwise an upload of the sheet would delete the value that has no column.
    if (page.some((values) => values.keys().some((name) => !names.has(name)))) {
      throw new Error('An offer has a value for which the sheet has no column.');
    }
    yield csvLines(page.map((values) => cellsOf(columns, values)));
  }
}

async function* rowsOf(
  { store }: ViewContext,
  { accountId }: Account,
  type: SheetType,
  pages: AsyncIterable<readonly CurrentOffer[]> | Iterable<readonly CurrentOffer[]>,
): AsyncGenerator<readonly SheetValues[]> {
  for await (const page of pages) {
    const entries = await Promise.all(
      page.map(async ({ offer }) => ({ sku: offer.skuId, body: await bodyOf(store.offers, accountId, type, offer) })),
    );
    yield entries.filter(({ body }) => body !== undefined).flatMap((entry) => valuesOf(type, entry));
  }
}

/** Returns the body as in a bulk file; undefined if the offer has no such part, or would refuse it. */
async function bodyOf(offers: OfferStore, accountId: number, type: SheetType, offer: ListedOffer): Promise<unknown> {
  const { skuId, archived, document, price, priceNodes } = offer;
  if (type === 'Archive') return { is_archived: archived };
  if (archived) return undefined;
  if (type === 'Offers') return wholeBody(await offers.readWholeOffer({ accountId, skuId }));
  if (type === 'MerchantSKUs') return parseExactJson(document);
  if (type === 'Price') return price === null ? undefined : { price, fulfillment_nodes: priceNodes };
  const { nodes = [] } = (await offers.readInventory({ accountId, skuId })) ?? {};
  return nodes.length === 0 ? undefined : { fulfillment_nodes: nodes };
}

/** Returns the parts that a file of whole offers writes. An offer may have been archived since the list was read. */
export function wholeBody(offer: WholeOffer | undefined, names = NAMES): object | undefined {
  if (offer === undefined || offer.archived) return undefined;
  const { price, inventory } = offer;
  const stored = { offer, price: typeof price === 'string' ? undefined : price, inventory };
  const bodies = PARTS_IN_OFFER.map((part) => [part.name, bodyJson(part, stored, names)] as const);
  return Object.fromEntries(bodies.flatMap(([name, json]) => (json === null ? [] : [[name, parseExactJson(json)]])));
}

/** Columns have neutral names, so that a sheet works on every server. */
const NAMES = new Names(NEUTRAL_NAMES);
