/**
 * Finds a page of the offer list, the same way in both adapters: walks one index in the requested order and skips offers
 * that other filters exclude; if few match, gathers and sorts those. Neither looks at more offers than the limits of the
 * request.
 */

import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import type { ListedOffer, ListPlace, OfferFilter, OfferListPage, OfferListRequest } from '../port/offer-list.ts';

/**
 * The index to walk. `upload` and `sku`: all offers, by upload order or SKU id. `title`: all reviewed offers. Others: offers
 * of one status, category or sub-status, by upload order.
 */
export type WalkPath = 'upload' | 'sku' | 'title' | 'status' | 'category' | 'sub_status';

/** A filter with an index. */
export type Selector = 'words' | 'status' | 'category' | 'sub_status';

export interface WalkRequest extends OfferFilter {
  readonly path: WalkPath;
  readonly descending: boolean;
  readonly after: ListPlace;
  readonly examined_max: number;
  readonly limit: number;
}

export interface FoundOffer {
  readonly skuId: string;
  readonly place: ListPlace;
}

export interface Walked {
  /** In order. */
  readonly found: readonly FoundOffer[];
  /** The last offer examined; undefined at the end of the path, and if the limit was reached. */
  readonly end: ListPlace | undefined;
}

export interface GatherRequest extends OfferFilter {
  /** `words`: by `wordsLookedUp`; the other words filter the result. */
  readonly selector: Selector;
  readonly sort: OfferSort;
  readonly after: ListPlace;
  readonly limit: number;
  readonly gathered_max: number;
}

/** The part of an adapter. */
export interface OfferListReads {
  walk(accountId: number, request: WalkRequest): Promise<Walked>;
  /** Returns matching offers among those that the selector finds, in order; `too_many`: more than `gathered_max`. */
  gather(accountId: number, request: GatherRequest): Promise<readonly FoundOffer[] | 'too_many'>;
  /** Returns the offers that exist, in the order asked. */
  readListed(accountId: number, skuIds: readonly string[]): Promise<readonly ListedOffer[]>;
}

/** Before and after all offers: longer than any key, of the highest code point. */
const FIRST_PLACE: ListPlace = Object.freeze({ key: '', order: -1 });
const LAST_PLACE: ListPlace = Object.freeze({ key: '\u{10FFFF}'.repeat(100), order: Number.MAX_SAFE_INTEGER });

/** How long a selector that found too many is not tried again; a try takes some 100 ms for the most common words. */
const COMMON_MS = 60_000;
const COMMON_MAX = 1_000;

/** A lookup reads every entry of each word, however few offers have all of them. */
const LOOKED_UP_WORDS_MAX = 3;
/** Nearly every offer has a word that begins with a given letter. */
const LOOKED_UP_CHARACTERS_MIN = 2;

export class OfferList {
  readonly #reads: OfferListReads;
  /** Selectors that found too many, and until when to skip them. */
  readonly #common = new Map<string, number>();

  constructor(reads: OfferListReads) {
    this.#reads = reads;
  }

  async list(accountId: number, request: OfferListRequest): Promise<OfferListPage> {
    const { found, end } = await this.#find(accountId, request);
    const shown = found.slice(0, request.limit);
    const next = found.length > shown.length ? shown.at(-1)?.place : end;
    const skuIds = shown.map(({ skuId }) => skuId);
    return { offers: skuIds.length === 0 ? [] : await this.#reads.readListed(accountId, skuIds), next };
  }

  /** One extra row tells whether there are more. */
  async #find(accountId: number, request: OfferListRequest): Promise<Walked> {
    const { sort, limits, ...filter } = request;
    const { examined_max, first_examined_max, gathered_max } = limits;
    const descending = isDescending(sort);
    const after = request.after ?? (descending ? LAST_PLACE : FIRST_PLACE);
    const limit = request.limit + 1;
    const path = pathOf(request);
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
    const { selector, words, status, categoryId, subStatus, gathered_max } = request;
    const selected = { words: wordsLookedUp(words), status, category: categoryId, sub_status: subStatus }[selector];
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

/** Usually the most selective first. */
const SELECTORS: readonly Selector[] = Object.freeze(['words', 'category', 'sub_status', 'status']);

function isSet({ words, status, categoryId, subStatus }: OfferFilter, selector: Selector): boolean {
  if (selector === 'words') return wordsLookedUp(words).length > 0;
  return { status, category: categoryId, sub_status: subStatus }[selector] !== undefined;
}

function pathOf(request: OfferListRequest): WalkPath {
  const order = orderOf(request.sort);
  if (order !== 'upload') return order;
  const selected = SELECTORS.find((selector) => selector !== 'words' && isSet(request, selector));
  return selected === undefined || selected === 'words' ? 'upload' : selected;
}

/** Whether filters without an index apply: stock, archive flag, and words that are too short. */
function leavesOut({ words, inStock, archived }: OfferFilter): boolean {
  return words.length > 0 || inStock !== undefined || archived !== undefined;
}

/** Returns the words to look up: the longest, which usually match the fewest offers. */
export function wordsLookedUp(words: readonly string[]): readonly string[] {
  return words
    .filter((word) => [...word].length >= LOOKED_UP_CHARACTERS_MIN)
    .sort((one, other) => other.length - one.length)
    .slice(0, LOOKED_UP_WORDS_MAX);
}

export function orderOf(sort: OfferSort): 'upload' | 'sku' | 'title' {
  if (sort === 'newest' || sort === 'oldest') return 'upload';
  return sort === 'sku' || sort === '-sku' ? 'sku' : 'title';
}

export function isDescending(sort: OfferSort): boolean {
  return sort === 'newest' || sort.startsWith('-');
}

export function orderOfPath(path: WalkPath): 'upload' | 'sku' | 'title' {
  return path === 'sku' || path === 'title' ? path : 'upload';
}

/** Prefixes a word with the account, so that a search never meets words of others. Letters and digits only, as words are. */
export function accountWord(accountId: number, word: string): string {
  return `${accountId}x${word}`;
}
