/**
 * Portal: GET /{env}/offers, /offers/count, /offers/export, /offers/{sku}/group and /offers/{sku}/parts, POST /{env}/offers/change,
 * /offers/change/preview and /files/{id}/undo
 */
import { Readable } from 'node:stream';
import { OffersChangeBody } from '../../domain/bodies/offers-change.ts';
import { OneOf, Text } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { SHEET_TYPES, type SheetType } from '../../domain/vocabulary/file-types.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { OFFER_SORTS } from '../../domain/vocabulary/offer-sorts.ts';
import { SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { OPTIONAL_PARTS, readSetParts } from '../../operations/offers/read.ts';
import type { ChangedOffers } from '../../operations/portal/change-file.ts';
import { changeOffers, SKIP_REASONS } from '../../operations/portal/change-offers.ts';
import { exportOffers } from '../../operations/portal/export-offers.ts';
import { exportSheet } from '../../operations/portal/export-sheet.ts';
import { countOffers, listOffers, type OfferRow, readGroupParent } from '../../operations/portal/list-offers.ts';
import { type PreviewedOffer, previewOffersChange } from '../../operations/portal/preview-offers-change.ts';
import { readRanks } from '../../operations/storefront/positions.ts';
import { foundAnswer, NOT_KEPT } from '../answers/answers.ts';
import { FileRecord, fileRecord } from '../answers/file-json.ts';
import { type AccountCall, type Answer, endpointsOf } from '../endpoint.ts';
import { limitParameter, readQuery } from '../query.ts';
import type { Services } from '../services.ts';
import { Count, OrNull, Time } from './answer-schemas.ts';
import { ARCHIVED, LIMIT, listCursor, readOfferQuery, STATUS_KEYS, STOCK, UPCOMING } from './offer-query.ts';

export function StatusName(names: Names) {
  return OneOf(
    STATUS_KEYS.map((status) => names.status(status)),
    { description: 'Status of the offer.' },
  );
}

export const ListedOffer = (names: Names) =>
  Type.Object({
    sku: Type.String({ description: 'SKU id.' }),
    title: Type.String({ description: 'Product title.' }),
    brand: Type.String({ description: 'Brand.' }),
    image: OrNull(Type.String({ description: 'URL of the main image.' })),
    status: StatusName(names),
    sub_status: Type.Array(OneOf(SUB_STATUSES), { description: 'Issues of the offer.' }),
    category: OrNull(
      Type.Object({
        id: Type.String({ description: 'Id in digits, as text because it may exceed 2^53.' }),
        name: OrNull(Type.String(), 'Name of the category; null if the current taxonomy does not have it.'),
      }),
      'Category; null if the offer has none.',
    ),
    price: OrNull(Type.Number(), 'Price; null if it is not set.'),
    quantity: Count('Total over all nodes.'),
    archived: Type.Boolean({ description: 'Whether the offer is archived.' }),
    updated: Time('Last change to data, price or stock.'),
    rank: Type.Optional(
      Type.Object(
        { rank: Count('From 1 for the best offer.'), of: Count('Offers that are compared.') },
        {
          description:
            'Rank among the offers of its product, a few seconds after changes. Present if the storefront shows the offer and others of ' +
            'the product; lists for operators do not have it.',
        },
      ),
    ),
  });

const OfferPage = (names: Names) =>
  Type.Object({
    offers: Type.Array(ListedOffer(names)),
    next: OrNull(
      Type.String(),
      'Value of `after` for the next page; null at the end. A page may have fewer offers than requested, even none, ' +
        'when the search reached its scan limit or the list is still being sorted: continue with `next`.',
    ),
    sorted: Type.Optional(
      Type.Object(
        {
          at: Time('When the list was sorted.'),
          again_from: Time('From this time on, a request without `after` sorts the list again.'),
        },
        { description: 'Present if the server sorted a long list once and keeps its order for all pages.' },
      ),
    ),
  });

const Total = Type.Object({
  offers: Count('Number of matching offers.'),
  is_more: Type.Boolean({ description: 'True if counting stopped at its limit, so more offers may match.' }),
});

export const Changed = Type.Object({
  offers: Count('Offers in the bulk file.'),
  skipped: Count('Offers that were skipped. For example, a price change skips archived offers.'),
  file: Type.Optional(FileRecord),
});

const Previewed = Type.Object({
  sku: Type.String(),
  title: Type.String(),
  before: OrNull(
    Type.Number(),
    'Price, or stock: at the node of the change, otherwise at all nodes. Null if it is not set.',
  ),
  after: Type.Number(),
});

const Preview = Type.Object({
  offers: Count('Offers that would change.'),
  skipped: Type.Array(Type.Object({ reason: OneOf(SKIP_REASONS), offers: Count('Offers skipped for this reason.') })),
  examples: Type.Array(Previewed, { description: 'The first five offers that would change, in upload order.' }),
  prices: Type.Optional(
    Type.Object(
      {
        lowest: Previewed,
        highest: Previewed,
        percent_max: Type.Number({
          description: 'Largest change of a price, in percent of the price before; 0 if no offer had a price.',
        }),
      },
      { description: 'Only for price changes.' },
    ),
  ),
});

const GroupOf = Type.Object({
  parent: OrNull(Type.String(), 'SKU id of the parent, if the offer is a child.'),
});

const SetParts = Type.Object({
  parts: Type.Array(OneOf(OPTIONAL_PARTS.map(({ name }) => name)), {
    description: 'The parts that are set. Reading any other part returns 404.',
  }),
});

const shared = { access: 'account', tag: 'Offers' } as const;

export const FILTERS = {
  q: {
    description:
      'Search words. Each must be the start of a word in the title, brand, SKU id or a product code. Leading zeros in codes are ignored.',
    schema: Text(LIMITS.offer_search_characters_max),
  },
  status: { description: 'Only offers with this status, spelled as in responses.', schema: Type.String() },
  sub_status: {
    description: 'Only offers with this sub-status, spelled as in responses.',
    schema: OneOf(SUB_STATUSES),
  },
  category: {
    description: 'Only offers in this category. Takes a category id; subcategories are not included.',
    schema: Type.String(),
  },
  stock: {
    description: 'Only offers in stock (`in`: a quantity above 0 at any node) or out of stock.',
    schema: OneOf(STOCK),
  },
  archived: { description: 'Only archived or only active offers. The default is both.', schema: OneOf(ARCHIVED) },
  upcoming: UPCOMING,
};
const SORT = {
  description:
    'Sort order. The default is `newest`, by first upload. Price, stock and time of change have no index: while the server sorts a ' +
    'long list, pages are empty; continue with `next`. All pages that follow keep the order in which the list was sorted. ' +
    'Lists of 2,000,000 or more offers are refused with the error `sort_too_many`.',
  schema: OneOf(OFFER_SORTS),
};

export const offersEndpoints = endpointsOf(shared, {
  'GET /offers': {
    id: 'listOffers',
    summary: 'List, search and filter offers',
    description:
      "Filters use the result of each offer's last review. A new offer appears in the unfiltered list immediately, and in searches " +
      'and filtered lists after its review.',
    query: {
      ...FILTERS,
      sort: SORT,
      after: { description: 'The `next` of the previous page with the same `sort`.', schema: Type.String() },
      limit: limitParameter(LIMIT),
    },
    answer: OfferPage,
    async handle({ services, account, query }) {
      const { names } = services.context;
      const request = readQuery(query, (reading) => readOfferQuery(reading, services.context));
      if ('problems' in request) return request;
      const listed = await listOffers(services.views, account, request);
      if (!listed.ok) return listed;
      const { offers, next, held } = listed.value;
      const skuIds = offers.map(({ skuId }) => skuId);
      const ranks = await readRanks(services.storefront, account, skuIds);
      const page: Static<ReturnType<typeof OfferPage>> = {
        offers: offers.map((offer) => {
          const found = ranks.get(offer.skuId);
          return { ...offerJson(offer, names), ...(found && { rank: { rank: found.rank, of: found.rankOf } }) };
        }),
        next: next === undefined ? null : listCursor(request.sort, next),
        ...(held && { sorted: { at: isoTime(held.sortedMs), again_from: isoTime(held.againFromMs) } }),
      };
      return { status: 200, json: JSON.stringify(page) };
    },
  },
  'GET /offers/count': {
    id: 'countOffers',
    summary: 'Count the offers that match',
    description:
      'The counts of all offers, of a status and of a sub-status are stored. Other filters are counted up to a limit.',
    query: FILTERS,
    answer: Total,
    async handle({ services, account, query }) {
      const request = readQuery(query, (reading) => readOfferQuery(reading, services.context));
      if ('problems' in request) return request;
      const { offers, isMore } = await countOffers(services.views, account, request);
      return { status: 200, json: JSON.stringify({ offers, is_more: isMore } satisfies Static<typeof Total>) };
    },
  },
  'GET /offers/export': {
    id: 'exportOffers',
    summary: 'Download the offers that match as CSV',
    description:
      'With `file_type`, the CSV can be uploaded again as a bulk file of this type: it has the columns in which an offer has a value, and no ' +
      'archived offers (except with `Archive`). Without it, the CSV has the columns of the offer list.',
    query: {
      ...FILTERS,
      sort: SORT,
      file_type: { description: 'Type of the bulk file. Stock has a row for each node.', schema: OneOf(SHEET_TYPES) },
    },
    transfer: { direction: 'out', description: 'CSV in UTF-8 with a byte order mark.', types: ['text/csv'] },
    handle: exportAnswer,
  },
  'POST /offers/change': {
    id: 'changeOffers',
    summary: 'Change price, stock or archive flag of many offers',
    description:
      'Creates a bulk file from the offers that match the query, or from `skus`, and submits it. If there are no offers to ' +
      'change, no file is created.',
    query: FILTERS,
    requestBody: OffersChangeBody,
    answer: Changed,
    unhurried: true,
    async handle({ services, account, query, body }) {
      const request = readQuery(query, (reading) => readOfferQuery(reading, services.context));
      if ('problems' in request) return request;
      return changedAnswer(services, await changeOffers(services, account, request, body));
    },
  },
  'POST /offers/change/preview': {
    id: 'previewOffersChange',
    summary: 'Preview a change of many offers',
    description:
      'Takes the same query and body as the change, and returns what it would do. Nothing is stored. An account has one preview at a ' +
      'time; another gets 429 with the error `previews_too_many`.',
    query: FILTERS,
    requestBody: OffersChangeBody,
    answer: Preview,
    unhurried: true,
    async handle({ services, account, query, body, whenClosed }) {
      const request = readQuery(query, (reading) => readOfferQuery(reading, services.context));
      if ('problems' in request) return request;
      const gone = new AbortController();
      whenClosed(() => gone.abort());
      const previewed = await previewOffersChange(services, account, request, body, gone.signal);
      if (!previewed.ok) return previewed;
      const { offers, skipped, examples, prices } = previewed.value;
      const preview: Static<typeof Preview> = {
        offers,
        skipped: Array.from(skipped, ([reason, count]) => ({ reason, offers: count })),
        examples: examples.map(previewedJson),
        ...(prices && {
          prices: {
            lowest: previewedJson(prices.lowest),
            highest: previewedJson(prices.highest),
            percent_max: prices.percentMax,
          },
        }),
      };
      return { status: 200, json: JSON.stringify(preview), headers: NOT_KEPT, ignored: previewed.ignored };
    },
  },
  'GET /offers/{user_defined_sku_id}/group': {
    id: 'readGroupOf',
    summary: "Read the parent of an offer's variation group",
    answer: GroupOf,
    failures: [404],
    async handle({ services, account, skuId }) {
      const found = await readGroupParent(services.views, account, skuId);
      return foundAnswer(found, (parent) => JSON.stringify({ parent } satisfies Static<typeof GroupOf>));
    },
  },
  // Browsers log every 404 as an error, so pages read this list first.
  'GET /offers/{user_defined_sku_id}/parts': {
    id: 'readSetParts',
    summary: 'Read which optional parts of an offer are set',
    answer: SetParts,
    failures: [404],
    async handle({ services, account, skuId }) {
      const found = await readSetParts(services.context, account, skuId);
      return foundAnswer(found, (parts) => JSON.stringify({ parts: [...parts] } satisfies Static<typeof SetParts>));
    },
  },
});

export function offerJson(offer: OfferRow, names: Names): Static<ReturnType<typeof ListedOffer>> {
  const { skuId, title, brand, image, verdict, category, price, quantity, archived, updatedMs } = offer;
  return {
    sku: skuId,
    title,
    brand,
    image: image === '' ? null : image,
    status: names.status(verdict.status),
    sub_status: [...verdict.subStatuses],
    category: category === null ? null : { id: String(category.id), name: category.name },
    price,
    quantity,
    archived,
    updated: isoTime(updatedMs),
  };
}

const SHEET_NAMES: Readonly<Record<SheetType, string>> = Object.freeze({
  Offers: 'offers',
  MerchantSKUs: 'product-data',
  Price: 'prices',
  Inventory: 'inventory',
  Archive: 'archive',
});

async function exportAnswer({ services, account, query }: AccountCall): Promise<Answer> {
  const { names, nowMs } = services.context;
  const asked = readQuery(query, (reading) => {
    return { type: reading.oneOf('file_type', SHEET_TYPES), request: readOfferQuery(reading, services.context) };
  });
  if ('problems' in asked) return asked;
  const { type, request } = asked;
  const exported =
    type === undefined
      ? await exportOffers(services.views, account, request, names)
      : await exportSheet(services.views, account, type, request);
  if (!exported.ok) return exported;
  const name = `${type === undefined ? 'offer-list' : SHEET_NAMES[type]}-${isoTime(nowMs()).slice(0, 10)}.csv`;
  const open = () => Readable.from(exported.value);
  return { status: 200, file: { type: 'text/csv; charset=utf-8', name, bytes: undefined, open } };
}

function previewedJson({ skuId, title, before, after }: PreviewedOffer): Static<typeof Previewed> {
  return { sku: skuId, title, before, after };
}

export async function changedAnswer(services: Services, changed: Outcome<ChangedOffers>): Promise<Answer> {
  if (!changed.ok) return changed;
  const { offers, skipped, file } = changed.value;
  const record = file === undefined ? {} : { file: await fileRecord(services, file) };
  const json = JSON.stringify({ offers, skipped, ...record });
  return { status: 200, json, headers: NOT_KEPT, ignored: changed.ignored };
}
