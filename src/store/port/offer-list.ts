/** Port of the offer list that people filter, search and sort. */
import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { StoredReview } from './review.ts';

/** A position in the list, valid whether or not its offer still exists. */
export interface ListPlace {
  /** The SKU id, or the key of the title; '' in order of upload. */
  readonly key: string;
  /** Upload order; 0 in order of SKU id. */
  readonly order: number;
}

/** Undefined filters do not apply. */
export interface OfferFilter {
  /** Each is the start of a word of the offer. */
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

/** How many offers one page may cost, however large the account is. */
export interface ListLimits {
  /** Examined along an index; then the page ends with what was found. */
  readonly examined_max: number;
  /** Examined before counting what the filters match; most pages are full by then. */
  readonly first_examined_max: number;
  /** Sorted without an index. */
  readonly gathered_max: number;
}

/** Each takes some 20 ms at most on an idle machine. */
export const LIST_LIMITS: ListLimits = Object.freeze({
  examined_max: 20_000,
  first_examined_max: 2_000,
  gathered_max: 5_000,
});

/** A row of the list. */
export interface ListedOffer {
  readonly skuId: string;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  readonly price: number | null;
  /** Sum of all nodes. */
  readonly quantity: number;
  /** The latest change of data, price or stock. */
  readonly updatedMs: number;
  /** The last verdict; null while the offer is due, and before the first review. */
  readonly verdict: StoredReview | null;
  /** As of the last review; digits. */
  readonly categoryId: string | null;
}

export interface OfferListPage {
  readonly offers: readonly ListedOffer[];
  /** Where the next page begins. A page may have a next one though it is not full, because its limits were reached. */
  readonly next: ListPlace | undefined;
}

/** Counts offers by their last verdict; unreviewed offers are in no status. */
export interface OfferCounts {
  readonly byStatus: ReadonlyMap<Status, number>;
  readonly bySubStatus: ReadonlyMap<SubStatus, number>;
  /** Due for review, counted up to DUE_COUNTED_MAX. */
  readonly due: number;
  /** Due offers that were never reviewed. */
  readonly unreviewed: number;
}

/** Counting this many due offers takes some 20 ms. */
export const DUE_COUNTED_MAX = 20_000;

/**
 * The list of an account's offers. It filters, searches and sorts by what the review stored with its last verdict
 * (`storeReviews`), except for stock and the archive flag, which are current. So lists by status, category, words or title lack
 * offers that were never reviewed.
 */
export interface OfferListStore {
  listOffers(accountId: number, request: OfferListRequest): Promise<OfferListPage>;
  /** Reads stored counts, which change in the commit that changes a verdict. */
  readOfferCounts(accountId: number): Promise<OfferCounts>;
  /** Counts available offers without stock: one in `every`, by order of upload; all if it is 1. */
  countOutOfStock(accountId: number, every: number): Promise<number>;
  /** Returns the parent of the group that the SKU is a child of; null: no such group. Undefined: unknown SKU. */
  readGroupParent(accountId: number, skuId: string): Promise<string | null | undefined>;
}
