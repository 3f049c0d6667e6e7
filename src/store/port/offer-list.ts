/** Port for the offer list that people filter, search and sort. */
import type { ListLimits, ListPosition, OfferFilter } from '../../domain/offers/offer-list.ts';
import type { NodePrice } from '../../domain/offers/part.ts';
import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { StoredReview } from './offers.ts';

export interface OfferListRequest extends OfferFilter {
  readonly sort: OfferSort;
  readonly after: ListPosition | undefined;
  readonly limit: number;
  readonly limits: ListLimits;
}

/** A row of the list. */
export interface ListedOffer {
  readonly skuId: string;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  readonly price: number | null;
  /** Prices that differ at individual nodes. */
  readonly priceNodes: readonly NodePrice[];
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
  /** From this time on, a first page sorts the list again. */
  readonly againFromMs: number;
}

export interface OfferListPage {
  readonly offers: readonly ListedOffer[];
  /** Where the next page begins. A page that reached its limits has a next page even if it is not full. */
  readonly next: ListPosition | undefined;
  /** Unset if the list is read again for each page. */
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

/** Numbers of offers on a day, by status; offers that were never reviewed are not counted. */
export interface OfferDay {
  /** Days since 1970, in UTC. */
  readonly day: number;
  readonly available: number;
  /** Not available because of an issue or a policy. */
  readonly failing: number;
  readonly review: number;
  readonly archived: number;
}

export interface AccountDay extends OfferDay {
  readonly accountId: number;
}

/** How many failing offers an account had on two days. */
export interface OfferRise {
  readonly accountId: number;
  readonly before: number;
  readonly now: number;
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
  /** Returns the stored counts of all accounts that have offers, as those of `day`. */
  countOffersByAccount(day: number): Promise<readonly AccountDay[]>;
  /** Replaces the numbers of the same account and day. An account and day may occur once per call. */
  putOfferDays(days: readonly AccountDay[]): Promise<void>;
  /** Returns the sums of all accounts, in order of day; days without numbers are left out. */
  sumOfferDays(fromDay: number): Promise<readonly OfferDay[]>;
  /** Lists accounts with numbers for both days that had more failing offers on the second day, largest rise first. */
  listOfferRises(day: number, laterDay: number, limit: number): Promise<readonly OfferRise[]>;
  /** Drops some numbers. Returns whether more may be left. */
  dropOfferDays(beforeDay: number): Promise<boolean>;
  /** Counts available offers without stock. Examines every `every`-th offer in upload order; 1 examines all. */
  countOutOfStock(accountId: number, every: number): Promise<number>;
  /** Returns the parent of the group in which the SKU is a child; null if it is not a child, undefined if the SKU is unknown. */
  readGroupParent(accountId: number, skuId: string): Promise<string | null | undefined>;
}
