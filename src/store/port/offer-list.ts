/** Port for the offer list that people filter, search and sort. */
import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { StoredReview } from './offers.ts';

/** A position in the list, valid whether or not its offer still exists. */
export interface ListPlace {
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
}

export const NO_FILTER: OfferFilter = Object.freeze({
  words: [],
  status: undefined,
  subStatus: undefined,
  categoryId: undefined,
  inStock: undefined,
  archived: undefined,
});

export interface OfferListRequest extends OfferFilter {
  readonly sort: OfferSort;
  readonly after: ListPlace | undefined;
  readonly limit: number;
  readonly limits: ListLimits;
}

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

/** A row of the list. */
export interface ListedOffer {
  readonly skuId: string;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  readonly price: number | null;
  /** JSON list of prices that differ at individual nodes. */
  readonly priceNodes: string;
  /** Sum of all nodes. */
  readonly quantity: number;
  /** The latest change to data, price or stock. */
  readonly updatedMs: number;
  /** The last verdict; null while the offer is due, and before the first review. */
  readonly verdict: StoredReview | null;
  /** The category at the last review, as digits. */
  readonly categoryId: string | null;
}

/** When a long list was sorted. All its pages are read in that order. */
export interface HeldSort {
  readonly sortedMs: number;
  /** From when on a first page sorts the list again. */
  readonly againFromMs: number;
}

export interface OfferListPage {
  readonly offers: readonly ListedOffer[];
  /** Where the next page begins. A page that reached its limits has a next page even if it is not full. */
  readonly next: ListPlace | undefined;
  /** Unset if the list is read anew for each page. */
  readonly held?: HeldSort;
  /** Set if more offers match than `sorted_runs_max` runs can sort. The page is then empty. */
  readonly isTooMany?: true;
}

/** How many offers match a filter; a lower bound if `isMore`. */
export interface OfferTotal {
  readonly offers: number;
  readonly isMore: boolean;
}

/** Limit on counting the offers that match a filter without a stored count. */
export const OFFERS_COUNTED_MAX = 10_000;

/** Counts offers by their last verdict; unreviewed offers are in no status. */
export interface OfferCounts {
  readonly byStatus: ReadonlyMap<Status, number>;
  readonly bySubStatus: ReadonlyMap<SubStatus, number>;
  /** Number of offers due for review, counted up to DUE_COUNTED_MAX. */
  readonly due: number;
  /** Number of due offers that were never reviewed. */
  readonly unreviewed: number;
}

/** Maximum number of due offers that are counted. Counting them takes about 20 ms. */
export const DUE_COUNTED_MAX = 20_000;

/**
 * The list of an account's offers. It filters, searches and sorts by the data that the review stored with its last verdict
 * (`storeReviews`), except for stock and the archive flag, which are current. So lists by status, category, words or title lack
 * offers that were never reviewed.
 */
export interface OfferListStore {
  listOffers(accountId: number, request: OfferListRequest): Promise<OfferListPage>;
  /** Counts up to OFFERS_COUNTED_MAX offers. */
  countOffers(accountId: number, filter: OfferFilter, limits: ListLimits): Promise<OfferTotal>;
  /** Returns the offers that exist, in the order of `skuIds`. */
  readListed(accountId: number, skuIds: readonly string[]): Promise<readonly ListedOffer[]>;
  /** Reads stored counts, which change in the commit that changes a verdict. */
  readOfferCounts(accountId: number): Promise<OfferCounts>;
  /** Counts available offers without stock. Examines every `every`-th offer in upload order; 1 examines all. */
  countOutOfStock(accountId: number, every: number): Promise<number>;
  /** Returns the parent of the group in which the SKU is a child; null if it is not a child, undefined if the SKU is unknown. */
  readGroupParent(accountId: number, skuId: string): Promise<string | null | undefined>;
}
