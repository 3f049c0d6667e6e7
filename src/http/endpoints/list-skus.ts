/** GET /merchant-skus */
import { nearestName, suggestion } from '../../domain/check/near-names.ts';
import { OneOf, Text } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type ListPosition, NO_FILTER } from '../../domain/offers/offer-list.ts';
import type { Problem } from '../../domain/problem.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { searchWords } from '../../domain/text/search-words.ts';
import { SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { listCurrent } from '../../operations/portal/list-offers.ts';
import { listSkus } from '../../operations/read-sku.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import {
  type FilterContext,
  isOrder,
  listCursor,
  partsOfCursor,
  readStatus,
  readUpcoming,
  UPCOMING,
} from '../portal/offer-query.ts';
import {
  LIST_LIMIT,
  PAGE_QUERY,
  parametersOf,
  type QueryReading,
  queryProblem,
  readListPage,
  readQuery,
} from '../query.ts';
import type { Services } from '../services.ts';
import { SkuAnswer, skuAnswer } from './get-sku.ts';

const ListAnswer = Type.Object(
  {
    sku_urls: Type.Array(Type.String(), {
      description: 'Relative URL of each SKU: `merchant-skus/` and the percent-encoded SKU id.',
    }),
  },
  { title: 'SkuList', description: 'One page of uploaded SKUs.' },
);

export const listSkusEndpoint: MerchantEndpoint = {
  id: 'listSkus',
  method: 'GET',
  path: '/merchant-skus',
  access: 'merchant',
  needs: SCOPE.read,
  tag: 'SKUs',
  summary: 'List the uploaded SKUs, in the order of their first upload',
  description:
    'With `sku`, the response is that one SKU. Follow the `Link` header with `rel="next"` to get the next page. With `status`, `sub_status`, ' +
    '`q` and `upcoming`, the list has the SKUs that match all of them, as of their last review. Such a page may have fewer SKUs than `limit`, even ' +
    'none, and still a next page. Unknown parameters are then refused.',
  query: {
    sku: { description: 'Id of one SKU to read.', schema: Text(LIMITS.sku_id_characters_max, { min: 1 }) },
    after: {
      description: 'Id of a SKU. The page starts with the SKU that was uploaded after it.',
      schema: Text(LIMITS.sku_id_characters_max, { min: 1 }),
    },
    offset: { ...PAGE_QUERY.offset, description: 'Number of SKUs to skip. Paging with `after` is faster.' },
    limit: PAGE_QUERY.limit,
    status: { description: 'Lists only SKUs with this status.', schema: Type.String() },
    sub_status: {
      description: 'Lists only SKUs with this sub-status. Archived SKUs are left out.',
      schema: OneOf(SUB_STATUSES),
    },
    q: {
      description:
        'Words to search in title, brand, SKU id and product codes. A SKU matches if one of its words begins with each of them.',
      schema: Text(LIMITS.offer_search_characters_max, { min: 1 }),
    },
    upcoming: UPCOMING,
    cursor: { description: 'Where the page starts, from a `Link` header. Only with a filter.', schema: Type.String() },
  },
  answer: (names) => Type.Union([ListAnswer, SkuAnswer(names)]),
  failures: [404],
  async handle(call) {
    const filtered = readFiltered(call.query);
    if (typeof filtered === 'object') return { problems: [filtered] };
    if (filtered) return filteredAnswer(call);
    const asked = readQuery(call.query, (reading) => ({ skuId: readSkuId(reading, 'sku') }));
    if ('problems' in asked) return asked;
    return asked.skuId === undefined ? listAnswer(call) : skuAnswer(call, asked.skuId);
  },
};

async function listAnswer({ services, account, query }: MerchantCall): Promise<Answer> {
  const page = readQuery(query, (reading) => ({ after: readSkuId(reading, 'after'), ...readListPage(reading) }));
  if ('problems' in page) return page;
  const outcome = await listSkus(services.context, account, page);
  if (!outcome.ok) return outcome;
  const { skuIds, more } = outcome.value;
  const last = skuIds.at(-1);
  const next = more && last !== undefined ? `after=${encodeURIComponent(last)}&limit=${page.limit}` : undefined;
  return pageAnswer(services, skuIds, next);
}

function pageAnswer({ publicUrl }: Services, skuIds: readonly string[], next: string | undefined): Answer {
  return {
    status: 200,
    json: JSON.stringify({ sku_urls: skuIds.map((skuId) => `merchant-skus/${encodeURIComponent(skuId)}`) }),
    headers: next === undefined ? {} : { link: `<${publicUrl()}/merchant-skus?${next}>; rel="next"` },
  };
}

const FILTERS: readonly string[] = ['status', 'sub_status', 'q', 'upcoming', 'cursor'];
const KNOWN: readonly string[] = [...FILTERS, 'sku', 'after', 'offset', 'limit'];

/**
 * Returns whether the list is filtered. A list must not be longer than the client asked for, so a filtered list refuses all parameters that
 * it does not know, and other lists refuse misspelled filters.
 */
function readFiltered(query: string): boolean | Problem {
  const sent = parametersOf(query);
  const isFiltered = sent.some(({ name }) => FILTERS.includes(name));
  const empty = sent.find(({ name, raw }) => FILTERS.includes(name) && raw === '');
  if (empty !== undefined) return queryProblem(`${empty.name}: must not be empty.`);
  const other = sent.find(({ name }) =>
    isFiltered ? name !== 'limit' && !FILTERS.includes(name) : !KNOWN.includes(name) && nearestName(name, FILTERS),
  );
  if (other === undefined) return isFiltered;
  if (KNOWN.includes(other.name)) return queryProblem(`${other.name}: not supported with a filter.`);
  return queryProblem(`${other.name.slice(0, 50)}: unknown filter${suggestion(other.name, FILTERS)}.`);
}

async function filteredAnswer({ services, account, query }: MerchantCall): Promise<Answer> {
  const asked = readQuery(query, (reading) => readFilteredPage(reading, services.context));
  if ('problems' in asked) return asked;
  const { limit, ...filter } = asked;
  // A page of the offer list reads whole offers, so it is shorter than other pages.
  const page = { ...NO_FILTER, ...filter, sort: 'oldest', limit: Math.min(limit, LIMITS.offer_page_max) } as const;
  const outcome = await listCurrent(services.views, account, page);
  if (!outcome.ok) return outcome;
  const { offers, next } = outcome.value;
  const rest = new URLSearchParams(query);
  if (next !== undefined) rest.set('cursor', listCursor('oldest', next));
  const skuIds = offers.map(({ offer }) => offer.skuId);
  return pageAnswer(services, skuIds, next && String(rest));
}

function readFilteredPage(reading: QueryReading, context: FilterContext) {
  const text = reading.searchText('q', LIMITS.offer_search_characters_max);
  const words = searchWords(text);
  if (text !== '' && words.length === 0) reading.refuse('q: must have a letter or a digit.');
  return {
    words,
    status: readStatus(reading, context.names),
    subStatus: reading.oneOf('sub_status', SUB_STATUSES),
    upcoming: readUpcoming(reading, context),
    after: readCursor(reading),
    limit: reading.wholeNumber('limit', LIST_LIMIT),
  };
}

function readCursor(reading: QueryReading): ListPosition | undefined {
  const text = reading.text('cursor');
  if (text === undefined) return undefined;
  const [sort, key, order] = partsOfCursor(text);
  if (sort === 'oldest' && key === '' && isOrder(order)) return { key, order };
  return reading.refuse('cursor: must be from the `Link` header of an earlier page.');
}

function readSkuId(reading: QueryReading, name: string): string | undefined {
  const skuId = reading.text(name);
  const fault = skuId === undefined ? undefined : skuIdFault(skuId);
  return fault === undefined ? skuId : reading.refuse(`${name}: ${fault}.`, 'sku_id_invalid');
}
