/**
 * `npm run bench:offers`: measures the portal's offer list with a million generated offers of one merchant: p50 and p99 by kind
 * of page, at the start, middle and end of the list, the total of each filter, and the counts of the overview. Prints a table,
 * and writes bench/results/offers-<store>.json.
 *
 * `--skus N` uses fewer, to try a change; `--store postgres` measures on its own PostgreSQL; `--keep FOLDER` keeps the SQLite
 * database there and reuses it the next time.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import { readSettings } from '../src/config/settings.ts';
import type { OfferRecord } from '../src/domain/export/records.ts';
import { LIST_LIMITS, type ListPosition, NO_FILTER } from '../src/domain/offers/offer-list.ts';
import type { NodeQuantity } from '../src/domain/offers/part.ts';
import { readReviewedDocument } from '../src/domain/review/reviewed-document.ts';
import { offerWords, searchWords, titleKey } from '../src/domain/text/search-words.ts';
import type { OfferSort } from '../src/domain/vocabulary/offer-sorts.ts';
import { clearableOf } from '../src/store/contract/put-parts.ts';
import { openMoves, openStore } from '../src/store/open-store.ts';
import type { OfferListRequest } from '../src/store/port/offer-list.ts';
import type { DueOffer, OfferReview } from '../src/store/port/review.ts';
import type { Store } from '../src/store/port.ts';
import { FigureTable } from './floors.ts';
import { planOf } from './generated-files.ts';
import { openDatabases } from './measured-databases.ts';
import { countOf, NOISY, storeOf } from './options.ts';
import { writeResult } from './report.ts';

const { values: options } = parseArgs({
  options: {
    skus: { type: 'string', default: '1000000' },
    store: { type: 'string', default: 'sqlite' },
    keep: { type: 'string' },
    ...NOISY,
  },
});
const SKUS = countOf('skus', options.skus);
const STORE = storeOf(options.store);

const SEED = 1;
const SLICE_OFFERS = 1000;
const PAGE_OFFERS = 50;
const TURNS = 40;
/** A delay that users do not notice while paging. */
const P99_MS_MAX = 100;
/** Limit for totals, and for sort orders without an index. */
const SLOWEST_P99_MS_MAX = 300;

type Filter = Partial<Omit<OfferListRequest, 'sort' | 'after' | 'limit' | 'limits' | 'words'>> & {
  readonly q?: string;
};

/** A kind of page, with the sort orders in which it is read. */
interface Kind {
  readonly what: string;
  readonly filter: Filter;
  readonly sorts: readonly OfferSort[];
}

const ANY = Object.freeze({ ...NO_FILTER, limits: LIST_LIMITS });
const SAMPLED = 5_000;
const LAST_ORDER = Number.MAX_SAFE_INTEGER;
const MERCHANT_ID = 'measured';
const BY_ALL: readonly OfferSort[] = ['newest', 'sku', 'title'];
/** Without an index. Each page must be fast; how long a list takes to be sorted is a figure of its own. */
const BY_VALUE: readonly OfferSort[] = ['price', '-stock', '-updated'];
const KINDS: readonly Kind[] = [
  {
    what: 'all offers',
    filter: {},
    sorts: ['newest', 'oldest', 'sku', '-sku', 'title', '-title', 'status', '-status'],
  },
  { what: 'all offers', filter: {}, sorts: BY_VALUE },
  { what: 'of a common status', filter: { status: 'available' }, sorts: BY_VALUE },
  { what: 'in stock', filter: { inStock: true }, sorts: BY_VALUE },
  { what: 'search, common word', filter: { q: 'size' }, sorts: BY_VALUE },
  { what: 'of a rare status', filter: { status: 'archived' }, sorts: BY_VALUE },
  { what: 'of a category', filter: { categoryId: '1010100' }, sorts: BY_VALUE },
  { what: 'of a sub-status', filter: { subStatus: 'Missing price' }, sorts: BY_VALUE },
  { what: 'search, rare word', filter: { q: '0001' }, sorts: BY_VALUE },
  { what: 'search, two words', filter: { q: 'blue shirt' }, sorts: BY_VALUE },
  { what: 'of a common status', filter: { status: 'available' }, sorts: BY_ALL },
  { what: 'of a rare status', filter: { status: 'archived' }, sorts: BY_ALL },
  { what: 'of a sub-status', filter: { subStatus: 'Missing price' }, sorts: BY_ALL },
  { what: 'of a category', filter: { categoryId: '1010100' }, sorts: BY_ALL },
  { what: 'in stock', filter: { inStock: true }, sorts: BY_ALL },
  { what: 'out of stock', filter: { inStock: false }, sorts: BY_ALL },
  { what: 'search, one letter', filter: { q: 's' }, sorts: BY_ALL },
  { what: 'search, common word', filter: { q: 'size' }, sorts: BY_ALL },
  { what: 'search, two words', filter: { q: 'blue shirt' }, sorts: BY_ALL },
  { what: 'search, rare word', filter: { q: '0001' }, sorts: BY_ALL },
  { what: 'search, no hit', filter: { q: 'zzzz' }, sorts: BY_ALL },
  { what: 'search and status and stock', filter: { q: 'bl', status: 'missing', inStock: true }, sorts: BY_ALL },
];

const figures = new FigureTable('Offer list', options.noisy);
const SAMPLE = sampleOf(SKUS);
const folder = options.keep ?? mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
if (options.keep === undefined) opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const database = STORE === 'postgres' ? await (await openDatabases(opened))('offers') : {};
const place = path.join(folder, 'offers');
const isThere = existsSync(place);
mkdirSync(place, { recursive: true });
const settings = readSettings({ DATA_DIR: place, ...database });
const store = opened.adopt(
  await openStore(settings, (error) => {
    throw error;
  }),
  (one) => one.close(),
);
const accountId = isThere
  ? ((await store.settings.readMerchant(MERCHANT_ID))?.accounts.test ?? Number.NaN)
  : await seed(store);
await measureCounts(store);
for (const [what, { filter }] of new Map(KINDS.map((kind) => [kind.what, kind])))
  await measureTotal(store, what, filter);
for (const { what, filter, sorts } of KINDS) {
  for (const sort of sorts) await measurePages(store, what, filter, sort);
}
report();

/** Stores offers as import and review would, but faster. One offer in eight has no price, and one in a thousand is archived. */
async function seed(of: Store): Promise<number> {
  const catalog = new Catalog(planOf(SEED));
  const moves = opened.adopt(await openMoves(settings), (one) => one.close());
  const record = { merchantId: MERCHANT_ID, name: 'Measured', createdMs: Date.now(), suspended: false };
  const merchant = { ...record, timeToReturnDays: 30, returnShippingMethods: [] };
  const accounts = await moves.beginImport(merchant);
  if (typeof accounts === 'string') throw new Error(`The merchant ${accounts}.`);
  const accountId = accounts.test;
  let startMs = performance.now();
  for (let from = 0; from < SKUS; from += SLICE_OFFERS) {
    const places = Array.from({ length: Math.min(SLICE_OFFERS, SKUS - from) }, (_, place) => from + place);
    const stored = await moves.importOffers(
      accountId,
      places.map((place) => offerRecord(catalog, place)),
    );
    if (stored !== 'stored') throw new Error(`The SKU ${stored.repeated} already exists.`);
  }
  await moves.finishImport(merchant, []);
  figures.figure({ what: 'imported', value: SKUS / ((performance.now() - startMs) / 1000), unit: 'offers/s' });
  startMs = performance.now();
  const slices: number[] = [];
  for (;;) {
    const due = await of.review.readDueOffers(accountId, SLICE_OFFERS);
    if (due.length === 0) break;
    const reviews = due.map(reviewOf);
    slices.push(await timed(() => of.review.storeReviews(accountId, reviews, Date.now())));
  }
  const seconds = (performance.now() - startMs) / 1000;
  figures.figure({ what: 'verdicts read, listed and stored', value: SKUS / seconds, unit: 'offers/s' });
  figures.figure({ what: `the slowest ${SLICE_OFFERS} of them to be stored`, value: Math.max(...slices), unit: 'ms' });
  return accountId;
}

function offerRecord(catalog: Catalog, place: number): OfferRecord {
  const nowMs = Date.now();
  const { price } = JSON.parse(catalog.price(place)) as { price: number };
  const { fulfillment_nodes: nodes } = JSON.parse(catalog.inventory(place)) as { fulfillment_nodes: NodeQuantity[] };
  return {
    skuId: catalog.skuId(place),
    archived: place % 1000 === 0,
    firstUploadMs: nowMs,
    document: catalog.sku(place),
    documentUpdatedMs: nowMs,
    price: place % 8 === 0 ? null : { price, nodes: [], updatedMs: nowMs },
    inventory: { stampMs: nowMs, nodes: nodes.map((node) => ({ ...node, updatedMs: nowMs })) },
    clearable: clearableOf(),
  };
}

/** Returns a review with evidence of realistic size. */
function reviewOf({ skuId, mark, document: text, archived, priced }: DueOffer): OfferReview {
  const document = readReviewedDocument(text);
  const category = document.product_type_id ?? document.marketplace_browse_node_id;
  return {
    skuId,
    mark,
    status: archived ? 'archived' : priced ? 'available' : 'missing',
    subStatuses: priced ? [] : ['Missing price'],
    rules: 'measured',
    evidence: { images: { ['x'.repeat(540)]: { verdict: 'passed' } } },
    shoeKey: null,
    listing: {
      titleKey: titleKey(document.product_title),
      categoryId: category === undefined ? null : String(category),
      words: offerWords(skuId, document),
    },
  };
}

async function measureCounts(of: Store): Promise<void> {
  const times: number[] = [];
  let counts = await of.offerList.readOfferCounts(accountId);
  for (let turn = 0; turn < TURNS; turn++)
    times.push(
      await timed(async () => {
        counts = await of.offerList.readOfferCounts(accountId);
      }),
    );
  for (const [status, offers] of counts.byStatus)
    figures.figure({ what: `offers ${status}`, value: offers, unit: 'offers' });
  addTimes('counts of the overview', times, P99_MS_MAX);
}

async function measureTotal(of: Store, what: string, filter: Filter): Promise<void> {
  const { q = '', ...rest } = filter;
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    times.push(
      await timed(async () => {
        await of.offerList.countOffers(accountId, { ...ANY, ...rest, words: searchWords(q) }, LIST_LIMITS);
      }),
    );
  }
  addTimes(`total, ${what}`, times, SLOWEST_P99_MS_MAX);
}

/** Measures consecutive pages at the start, from the middle, and in the last hundredth of the list. */
async function measurePages(of: Store, what: string, filter: Filter, sort: OfferSort): Promise<void> {
  const { q = '', ...rest } = filter;
  const request = { ...ANY, ...rest, words: searchWords(q), sort, limit: PAGE_OFFERS };
  const middle = await placeOf(of, sort, 0.5);
  const late = await placeOf(of, sort, 0.99);
  for (const [where, start] of [
    ['beginning', undefined],
    ...(BY_VALUE.includes(sort)
      ? []
      : ([
          ['middle', middle],
          ['end', late],
        ] as const)),
  ] as const) {
    const times: number[] = [];
    let after: ListPosition | undefined = start;
    let sortedMs: number | undefined;
    const startMs = performance.now();
    for (let turn = 0; turn < TURNS; turn++) {
      let next: ListPosition | undefined;
      times.push(
        await timed(async () => {
          const page = await of.offerList.listOffers(accountId, { ...request, after });
          next = page.next;
          if (page.offers.length > 0) sortedMs ??= performance.now() - startMs;
        }),
      );
      after = next ?? start;
      // Empty pages while the list is being sorted are measured, but replace no other page.
      if (BY_VALUE.includes(sort) && sortedMs === undefined && next !== undefined) turn--;
    }
    if (BY_VALUE.includes(sort))
      figures.figure({ what: `${what}, ${sort}, sorted after`, value: sortedMs ?? 0, unit: 'ms' });
    addTimes(`${what}, ${sort}, ${where}`, times, BY_VALUE.includes(sort) ? SLOWEST_P99_MS_MAX : P99_MS_MAX);
  }
}

/** Returns the place after about this share of the list. */
async function placeOf(of: Store, sort: OfferSort, share: number): Promise<ListPosition> {
  const isDown = sort === 'newest' || sort.startsWith('-');
  const upwards = isDown ? 1 - share : share;
  if (sort === 'newest' || sort === 'oldest') {
    const [first, last] = await Promise.all([edgeOf(of, 'oldest'), edgeOf(of, 'newest')]);
    return { key: '', order: Math.round(first + (last - first) * upwards) };
  }
  if (sort.endsWith('status')) return { key: 'available', order: isDown ? LAST_ORDER : 0 };
  const keys = sort.endsWith('sku') ? SAMPLE.map(({ skuId }) => skuId) : SAMPLE.map(({ title }) => title);
  return { key: keys.sort(byBytes)[Math.floor(keys.length * upwards)] ?? '', order: 0 };
}

async function edgeOf(of: Store, sort: OfferSort): Promise<number> {
  const { next } = await of.offerList.listOffers(accountId, { ...ANY, sort, after: undefined, limit: 1 });
  return next?.order ?? Number.NaN;
}

function sampleOf(skus: number) {
  const catalog = new Catalog(planOf(SEED));
  return Array.from({ length: SAMPLED }, (_, place) => {
    const { product_title } = readReviewedDocument(catalog.sku(Math.floor((place * skus) / SAMPLED)));
    return { skuId: catalog.skuId(Math.floor((place * skus) / SAMPLED)), title: titleKey(product_title) };
  });
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function addTimes(what: string, times: readonly number[], ceiling: number): void {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  figures.figure({ what: `${what}, p50`, value: at(0.5), unit: 'ms' });
  figures.figure({ what: `${what}, p99`, value: at(0.99), unit: 'ms', ceiling });
}

function report(): void {
  figures.sayMissed();
  writeResult(`offers-${STORE}`, { notes: [`${SKUS.toLocaleString('en-US')} offers, ${STORE}`], tables: [figures] });
}
