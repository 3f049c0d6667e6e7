/**
 * In charge of how a page of the list of offers is found, the same in every adapter: along one index, in the order asked
 * for, past the offers that other filters leave out; and where few fit, by gathering those and putting them in order.
 * Neither looks at more offers than the limits of the request say, however large the account is.
 */

import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import type { ListedOffer, ListPlace, OfferFilter, OfferListPage, OfferListRequest } from '../port/offer-list.ts';

/**
 * What the offers are read along. `upload` and `sku`: all offers, by the order of their upload or by SKU id. `title`: all
 * that were reviewed. Others: those of one status, category or sub-status, by the order of their upload.
 */
export type WalkPath = 'upload' | 'sku' | 'title' | 'status' | 'category' | 'sub_status';

/** A filter by which offers can be found without looking at others. */
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
  /** The last that was looked at; undefined at the end of the path, and where as many were found as asked for. */
  readonly end: ListPlace | undefined;
}

export interface GatherRequest extends OfferFilter {
  /** `words`: by those of them that `wordsLookedUp` gives; the others leave out what these find. */
  readonly selector: Selector;
  readonly sort: OfferSort;
  readonly after: ListPlace;
  readonly limit: number;
  readonly gathered_max: number;
}

/** What an adapter does of it. */
export interface OfferListReads {
  walk(accountId: number, request: WalkRequest): Promise<Walked>;
  /** Of the offers that the selector finds the ones that fit, in order; `too_many`: it finds more than `gathered_max`. */
  gather(accountId: number, request: GatherRequest): Promise<readonly FoundOffer[] | 'too_many'>;
  /** Those of them that exist, in the order asked. */
  readListed(accountId: number, skuIds: readonly string[]): Promise<readonly ListedOffer[]>;
}

/** Before all offers, and behind all: longer than any key, of the highest code point. */
const FIRST_PLACE: ListPlace = Object.freeze({ key: '', order: -1 });
const LAST_PLACE: ListPlace = Object.freeze({ key: '\u{10FFFF}'.repeat(100), order: Number.MAX_SAFE_INTEGER });

/** How long a selector that found too many is not asked again: it takes some 100 ms to find out for the commonest words. */
const COMMON_MS = 60_000;
const COMMON_MAX = 1_000;

/** Every entry of each of them is read, however few offers have them all. */
const LOOKED_UP_WORDS_MAX = 3;
/** One letter begins some entry of nearly every offer. */
const LOOKED_UP_CHARACTERS_MIN = 2;

export class OfferList {
  readonly #reads: OfferListReads;
  /** What found too many, and until when that counts. */
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

  /** One more than asked for tells whether there are more. */
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

/** Those that find the fewest offers, as a rule, come first. */
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

/** Stock and archive flag, which have no index, and words that are too short for theirs. */
function leavesOut({ words, inStock, archived }: OfferFilter): boolean {
  return words.length > 0 || inStock !== undefined || archived !== undefined;
}

/** The words that are looked up in their index: the longest, of which the fewest offers have one, as a rule. */
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

/** By which order the offers of a path come. */
export function orderOfPath(path: WalkPath): 'upload' | 'sku' | 'title' {
  return path === 'sku' || path === 'title' ? path : 'upload';
}

/** The words of an account's offers, told apart from those of others; letters and digits, as the words are. */
export function accountWord(accountId: number, word: string): string {
  return `${accountId}x${word}`;
}
