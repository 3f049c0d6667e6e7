/** Port of the offer list that people filter, search and sort. */
import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { StoredReview } from './review.ts';

/** A place in the order of the list: behind or before it the offers go on, whatever becomes of the one that is there. */
export interface ListPlace {
  /** The SKU id, or the key of the title; '' where they are in order of upload. */
  readonly key: string;
  /** Of the upload; 0 where they are in order of SKU id. */
  readonly order: number;
}

/** Absent: whatever it is. */
export interface OfferFilter {
  /** Each begins a word of the offer. None: not searched. */
  readonly words: readonly string[];
  readonly status: Status | undefined;
  readonly subStatus: SubStatus | undefined;
  readonly categoryId: string | undefined;
  /** Some node has a quantity above 0. */
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

/** Of the offers that one page may cost, however large the account is. */
export interface ListLimits {
  /** That are looked at along an index; then the page ends with what was found. */
  readonly examined_max: number;
  /** Of those, the first, which tell whether enough fit; most pages are full by then, and counting is spared. */
  readonly first_examined_max: number;
  /** That are put in order without an index. */
  readonly gathered_max: number;
}

/** Each some 20 ms at most, when nobody else is there. */
export const LIST_LIMITS: ListLimits = Object.freeze({
  examined_max: 20_000,
  first_examined_max: 2_000,
  gathered_max: 5_000,
});

/** What a row of the list shows. */
export interface ListedOffer {
  readonly skuId: string;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  readonly price: number | null;
  /** Of all nodes. */
  readonly quantity: number;
  /** Of data, price and stock, the last. */
  readonly updatedMs: number;
  /** As the review left it; null where the offer is due, or was never reviewed. */
  readonly verdict: StoredReview | null;
  /** As the review left it, digits. */
  readonly categoryId: string | null;
}

export interface OfferListPage {
  readonly offers: readonly ListedOffer[];
  /** Where the next page begins. There may be one with fewer offers than asked for: so many were looked through. */
  readonly next: ListPlace | undefined;
}

/** Of the last verdict of each offer; those that were never reviewed are in none. */
export interface OfferCounts {
  readonly byStatus: ReadonlyMap<Status, number>;
  readonly bySubStatus: ReadonlyMap<SubStatus, number>;
  /** Due for review, counted up to `counted_max`. */
  readonly due: number;
  /** Of those, never reviewed. */
  readonly unreviewed: number;
}

/** Due offers of an account that are counted at most: some 20 ms. */
export const DUE_COUNTED_MAX = 20_000;

/**
 * The list of an account's offers. What it filters, searches and sorts by is what the review wrote with its last verdict
 * (`storeReviews`), except for stock and the archive flag, which are read as they are. So offers are missing from a list
 * by status, category, words or title until they were reviewed for the first time.
 */
export interface OfferListStore {
  /** Looks at no more offers than the limits say, by an index. */
  listOffers(accountId: number, request: OfferListRequest): Promise<OfferListPage>;
  /** Without counting reviewed offers: the numbers move in the commit that changes a verdict. */
  readOfferCounts(accountId: number): Promise<OfferCounts>;
  /** Of the group that the SKU is a child in; null where it is in none. Undefined: it was never uploaded. */
  readGroupParent(accountId: number, skuId: string): Promise<string | null | undefined>;
}
