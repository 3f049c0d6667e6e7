/** Defines the filters, sort orders, positions and limits of the offer list. */
import type { OfferSort } from '../vocabulary/offer-sorts.ts';
import type { Status, SubStatus } from '../vocabulary/statuses.ts';

/** A position in the list, valid whether or not its offer still exists. */
export interface ListPosition {
  /** The sort value: SKU id, title key, status, or a number as text. Empty in upload order. */
  readonly key: string;
  /** Upload order; 0 if the list is sorted by SKU id. */
  readonly order: number;
}

/** Undefined filters do not apply. */
export interface OfferFilter {
  /** Each must be a prefix of one of the offer's words. */
  readonly words: readonly string[];
  readonly status: Status | undefined;
  readonly subStatus: SubStatus | undefined;
  readonly categoryId: string | undefined;
  /** Whether some node has a quantity above 0. */
  readonly inStock: boolean | undefined;
  readonly archived: boolean | undefined;
  /** Ids of announced rule changes. At least one of them would make the offer fail. */
  readonly upcoming: readonly number[] | undefined;
}

export const NO_FILTER: OfferFilter = Object.freeze({
  words: [],
  status: undefined,
  subStatus: undefined,
  categoryId: undefined,
  inStock: undefined,
  archived: undefined,
  upcoming: undefined,
});

/** An order with an index. */
export type KeyOrder = 'upload' | 'sku' | 'title' | 'status';

/** Sorts by current values of the offer. */
export type ValueOrder = 'price' | 'stock' | 'updated';

/** Returns the index order for a sort. Sorts by value have none. */
export function orderOf(sort: OfferSort): KeyOrder {
  return sort === 'newest' || sort === 'oldest' ? 'upload' : (sort.replace('-', '') as KeyOrder);
}

/** Returns undefined for a sort with an index. */
export function valueOrderOf(sort: OfferSort): ValueOrder | undefined {
  const order = sort.replace('-', '');
  return order === 'price' || order === 'stock' || order === 'updated' ? order : undefined;
}

export function isDescending(sort: OfferSort): boolean {
  return sort === 'newest' || sort.startsWith('-');
}

/** Positions before and after all offers. The key of the last position is longer than any other and has the highest code points. */
const FIRST_PLACE: ListPosition = Object.freeze({ key: '', order: -1 });
const LAST_PLACE: ListPosition = Object.freeze({ key: '\u{10FFFF}'.repeat(100), order: Number.MAX_SAFE_INTEGER });
/** Positions before and after all numbers. */
const FIRST_VALUE: ListPosition = Object.freeze({ key: '-2', order: 0 });
const LAST_VALUE: ListPosition = Object.freeze({
  key: String(Number.MAX_SAFE_INTEGER),
  order: Number.MAX_SAFE_INTEGER,
});

/** Returns the position where the first page begins. */
export function startOf(sort: OfferSort): ListPosition {
  const [first, last] = valueOrderOf(sort) === undefined ? [FIRST_PLACE, LAST_PLACE] : [FIRST_VALUE, LAST_VALUE];
  return isDescending(sort) ? last : first;
}

/** Sort values for offers without a price, which come last in both directions: beyond every price, but between the positions above. */
export const UNPRICED = Object.freeze({ ascending: 1_000_000_000_000_000, descending: -1 });

/** Limits on the offers read for one page, however large the account is. */
export interface ListLimits {
  /** Maximum number of offers examined along an index. After that, the page ends with the offers found. */
  readonly examined_max: number;
  /** Number of offers examined before the matches of each filter are counted. Most pages are full by then. */
  readonly first_examined_max: number;
  /** Maximum number of matches of one filter that are collected and sorted, instead of examining offers along an index. */
  readonly gathered_max: number;
  /** Maximum number of offers in a sorted run, by price, stock or time of change. These have no index, which would slow down writes. */
  readonly sorted_max: number;
  /** Maximum number of runs per list, of `sorted_max` offers each. */
  readonly sorted_runs_max: number;
  /** If sorting takes longer, the page is empty, and the next page continues when the sort is done. */
  readonly sort_ms_max: number;
  /** Counting stops at the end of the step in which this time is exceeded. */
  readonly count_ms_max: number;
}

/** On an idle machine, reading up to a limit takes about 20 ms; sorting `sorted_max` offers takes 150 ms on the slower engine. */
export const LIST_LIMITS: ListLimits = Object.freeze({
  examined_max: 20_000,
  first_examined_max: 2_000,
  gathered_max: 5_000,
  sorted_max: 10_000,
  sorted_runs_max: 200,
  sort_ms_max: 200,
  count_ms_max: 100,
});
