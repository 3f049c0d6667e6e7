/**
 * Finds a page of the offer list, the same way in both adapters: walks one index in the requested order and skips offers that other filters
 * exclude; if few offers match, gathers and sorts them instead. Neither way exceeds the limits of the request.
 */

import {
  isDescending,
  type KeyOrder,
  type ListLimits,
  type ListPosition,
  type OfferFilter,
  orderOf,
  startOf,
  UNPRICED,
  type ValueOrder,
  valueOrderOf,
} from '../../../domain/offers/offer-list.ts';
import { pageOf, type SortedRun } from '../../../domain/offers/sorted-runs.ts';
import { wordsLookedUp } from '../../../domain/text/search-words.ts';
import type { OfferSort } from '../../../domain/vocabulary/offer-sorts.ts';
import {
  OFFERS_COUNTED_MAX,
  type OfferListPage,
  type OfferListRequest,
  type OfferTotal,
} from '../../port/offer-list.ts';
import type { Methods } from '../command.ts';
import type * as listedOffers from './listed-offers.ts';
import { type RunPath, type RunRequest, SortedOffers } from './sorted-offers.ts';

/**
 * The index to walk. `upload` and `sku`: all offers, by upload order or SKU id. `title` and `statuses`: all reviewed offers.
 * Others: archived offers, or offers of one status, category or sub-status, by upload order.
 */
export type WalkPath = 'upload' | 'sku' | 'title' | 'statuses' | 'archived' | 'status' | 'category' | 'sub_status';

/** A filter with an index. */
export type Selector = (typeof SELECTORS)[number];

export interface WalkRequest extends OfferFilter {
  readonly path: WalkPath;
  readonly descending: boolean;
  readonly after: ListPosition;
  readonly examined_max: number;
  readonly limit: number;
}

export interface FoundOffer {
  readonly skuId: string;
  readonly position: ListPosition;
}

export type FoundRow = readonly [skuId: string, key: string, order: number];

export function foundOf([skuId, key, order]: FoundRow): FoundOffer {
  return { skuId, position: { key, order } };
}

export interface Walked {
  /** The matching offers, in order. */
  readonly found: readonly FoundOffer[];
  /** The last offer examined; undefined at the end of the path, and if the limit was reached. */
  readonly end: ListPosition | undefined;
}

export interface GatherRequest extends OfferFilter {
  /** `words` selects by `wordsLookedUp`; the other words filter the result. */
  readonly selector: Selector;
  readonly sort: OfferSort;
  readonly after: ListPosition;
  readonly limit: number;
  readonly gathered_max: number;
}

interface FoundPage extends Pick<OfferListPage, 'next' | 'held'> {
  readonly skuIds: readonly string[];
}

/** The operations that each adapter implements. */
export interface OfferListReads {
  walk(accountId: number, request: WalkRequest): Promise<Walked>;
  /** Returns the offers that match both the selector and the filter, in order; `too_many`: the selector finds more than `gathered_max`. */
  gather(accountId: number, request: GatherRequest): Promise<readonly FoundOffer[] | 'too_many'>;
  readRun(accountId: number, request: RunRequest): Promise<SortedRun>;
}

/** The operations that both adapters share. */
type SharedReads = Methods<typeof listedOffers>;

/** How long a selector that found too many offers is skipped. Trying it takes about 100 ms for the most common words. */
const COMMON_MS = 60_000;
const COMMON_MAX = 1_000;

/** How many offers a step of a count examines. A step takes about 30 ms on PostgreSQL. */
const COUNT_STEP_OFFERS = 5_000;

export class OfferList {
  readonly #reads: OfferListReads & SharedReads;
  /** Selectors that found too many, and until when to skip them. */
  readonly #common = new Map<string, number>();
  readonly #sorted: SortedOffers;

  constructor(reads: OfferListReads & SharedReads) {
    this.#reads = reads;
    this.#sorted = new SortedOffers((...asked) => reads.readRun(...asked));
  }

  async list(accountId: number, request: OfferListRequest): Promise<OfferListPage> {
    const page = await this.#page(accountId, request);
    if (page === 'too_many') return { offers: [], next: undefined, isTooMany: true };
    const { skuIds, ...rest } = page;
    return { offers: skuIds.length === 0 ? [] : await this.#reads.readListed(accountId, skuIds), ...rest };
  }

  async #page(accountId: number, request: OfferListRequest): Promise<FoundPage | 'too_many'> {
    const order = valueOrderOf(request.sort);
    if (order !== undefined) return this.#pageByValue(accountId, request, order);
    const { found, end } = await this.#find(accountId, request);
    const shown = found.slice(0, request.limit);
    const next = found.length > shown.length ? shown.at(-1)?.position : end;
    return { skuIds: shown.map(({ skuId }) => skuId), next };
  }

  /** Counts along the path of the filter, until it ends or the limits are reached. */
  async count(accountId: number, filter: OfferFilter, limits: ListLimits): Promise<OfferTotal> {
    const endMs = performance.now() + limits.count_ms_max;
    const examined_max = Math.min(COUNT_STEP_OFFERS, limits.examined_max);
    const request = { ...filter, sort: 'oldest', limits: { ...limits, examined_max } } as const;
    let offers = 0;
    let after: ListPosition | undefined;
    do {
      const limit = OFFERS_COUNTED_MAX - offers;
      const { found, end } = await this.#find(accountId, { ...request, after, limit });
      offers += Math.min(found.length, limit);
      if (found.length > limit) break;
      if (end === undefined) return { offers, isMore: false };
      after = end;
    } while (performance.now() < endMs);
    return { offers, isMore: true };
  }

  /** While the offers are being sorted, the page is empty and the next one begins at the same position. */
  async #pageByValue(accountId: number, request: OfferListRequest, order: ValueOrder): Promise<FoundPage | 'too_many'> {
    const { sort, limits, limit, after: asked, ...filter } = request;
    const descending = isDescending(sort);
    const after = asked ?? startOf(sort);
    const path = pathOf(request, 'oldest') as RunPath;
    const paths = isSet(request, 'words') ? (['words', path] as const) : ([path] as const);
    const sorting = { ...filter, order, unpriced: UNPRICED[descending ? 'descending' : 'ascending'] };
    const list = await this.#sorted.read(accountId, sorting, paths, asked === undefined, limits);
    if (list === undefined) return { skuIds: [], next: after };
    const { sorted, ...held } = list;
    if (sorted === 'too_many') return 'too_many';
    const positions = pageOf(sorted, after, limit + 1, descending);
    const shown = positions.slice(0, limit);
    const orders = shown.map((position) => position.order);
    const skuIds = orders.length === 0 ? [] : await this.#reads.nameOffers(accountId, orders);
    return { skuIds, next: positions.length > limit ? shown.at(-1) : undefined, ...held };
  }

  /** Finds a page. One extra row shows whether there are more. */
  async #find(accountId: number, request: OfferListRequest): Promise<Walked> {
    const { limits, ...filter } = request;
    const { examined_max, first_examined_max, gathered_max } = limits;
    const sort = sortWithin(request);
    const descending = isDescending(sort);
    const after = request.after ?? startOf(sort);
    const limit = request.limit + 1;
    const path = pathOf(request, sort);
    const selectors = SELECTORS.filter((selector) => selector !== path && isSet(request, selector));
    const firstExamined = selectors.length > 0 ? first_examined_max : leavesOut(request) ? examined_max : limit;
    const walk = { ...filter, path, descending };
    const first = await this.#reads.walk(accountId, { ...walk, after, examined_max: firstExamined, limit });
    if (first.end === undefined || selectors.length === 0) return first;
    for (const selector of selectors) {
      const found = await this.#gather(accountId, { ...filter, selector, sort, after, limit, gathered_max });
      if (found !== 'too_many') return { found, end: undefined };
    }
    const rest = await this.#reads.walk(accountId, {
      ...walk,
      after: first.end,
      examined_max: examined_max - first_examined_max,
      limit: limit - first.found.length,
    });
    return { found: [...first.found, ...rest.found], end: rest.end };
  }

  async #gather(accountId: number, request: GatherRequest): Promise<readonly FoundOffer[] | 'too_many'> {
    const { selector, words, status, categoryId, subStatus, upcoming, gathered_max } = request;
    const values = { upcoming, words: wordsLookedUp(words), status, category: categoryId, sub_status: subStatus };
    const selected = values[selector];
    const name = JSON.stringify([accountId, gathered_max, selector, selected]);
    if ((this.#common.get(name) ?? 0) > performance.now()) return 'too_many';
    const found = await this.#reads.gather(accountId, request);
    if (found === 'too_many') {
      if (this.#common.size >= COMMON_MAX) this.#common.clear();
      this.#common.set(name, performance.now() + COMMON_MS);
    }
    return found;
  }
}

/** Filters whose index is in upload order, usually the most selective first. */
const WALKED = Object.freeze(['category', 'sub_status', 'status'] as const);
/** Filters with an index. */
const SELECTORS = Object.freeze(['upcoming', 'words', ...WALKED] as const);

function isSet({ words, status, categoryId, subStatus, upcoming }: OfferFilter, selector: Selector): boolean {
  if (selector === 'words') return wordsLookedUp(words).length > 0;
  return { status, category: categoryId, sub_status: subStatus, upcoming }[selector] !== undefined;
}

/** Replaces a sort by status with upload order if the list has only one status: the index by status would read other statuses first. */
function sortWithin({ sort, status }: OfferListRequest): OfferSort {
  if (orderOf(sort) !== 'status' || status === undefined) return sort;
  return isDescending(sort) ? 'newest' : 'oldest';
}

function pathOf(filter: OfferFilter, sort: OfferSort): WalkPath {
  const order = orderOf(sort);
  if (order === 'status') return 'statuses';
  if (order === 'sku' || order === 'title') return order;
  return WALKED.find((each) => isSet(filter, each)) ?? (filter.archived === true ? 'archived' : 'upload');
}

/** Whether filters without an index apply: stock, archive flag, and words that are too short. */
function leavesOut({ words, inStock, archived }: OfferFilter): boolean {
  return words.length > 0 || inStock !== undefined || archived !== undefined;
}

export function orderOfPath(path: WalkPath): KeyOrder {
  if (path === 'statuses') return 'status';
  return path === 'sku' || path === 'title' ? path : 'upload';
}

/** Prefixes a word with the account, so that a search never matches words of other accounts. The result has only letters and digits. */
export function accountWord(accountId: number, word: string): string {
  return `${accountId}x${word}`;
}
