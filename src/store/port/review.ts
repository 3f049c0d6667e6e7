/** Port for the review: which offers are due, and the stored results. */
import type { Environment } from '../../domain/account.ts';
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import type { GroupStanding } from '../../domain/offers/variation-group.ts';
import type { Evidence } from '../../domain/review/facts.ts';
import type { Listing } from '../../domain/review/listing.ts';
import type { StoredOffer, StoredReview } from './offers.ts';
import type { WorkSize } from './work.ts';

/** Background work (see work.ts): reviewing the due offers of an account, and marking all its offers as due. */
export const REVIEW_KIND = 'review';
export const SWEEP_KIND = 'review-sweep';

/** An offer that is due for review, with everything that its verdict depends on. */
export interface DueOffer
  extends Pick<StoredOffer, 'document' | 'archived' | 'priced' | 'stockNodeIds' | 'inGroup' | 'evidence'> {
  readonly skuId: string;
  /** Sequence number of the write, or of the sweep, that made it due. */
  readonly mark: number;
}

export interface OfferReview extends StoredReview {
  readonly skuId: string;
  /** The mark that was reviewed. An offer that was marked again since then stays due. */
  readonly mark: number;
  /** It names the codes and URLs that it applies to, so it may be incomplete but never wrong. */
  readonly evidence: Evidence;
  /** Equal for shoes of the account in the same shoe group; null for other offers. */
  readonly shoeKey: string | null;
  /** Search and sort data of the offer list. */
  readonly listing: Listing;
}

export interface UpcomingFailures {
  readonly skuId: string;
  /** The announced changes under which it would fail. */
  readonly announcedIds: readonly number[];
}

/**
 * Tracks which offers are due, and stores the results of the review.
 *
 * Writes mark offers as due in their own commit if a verdict may change: every upload, change to the archive flag or to a group (all
 * members, before and after), the first price, the first stock record at a node. They announce work of the kind `review`. When a member
 * leaves a group or is uploaded again, the review of that member marks the other members. Settings changes that may change verdicts (nodes,
 * taxonomy, policies, placeholders) begin a sweep in their own commit, which marks all offers.
 */
export interface OfferReviewStore {
  /** Returns offers in order of mark, then of upload. Read the settings afterwards: a change of them sets marks when its sweep runs. */
  readDueOffers(accountId: number, limit: number): Promise<readonly DueOffer[]>;
  /**
   * Stores evidence, verdict and listing, and clears the marks of offers that were not marked again since. Skips offers that are no longer
   * due, because another process has reviewed them. Runs in slices that single calls do not wait for. If it fails, some of the reviews may
   * be stored.
   */
  storeReviews(accountId: number, reviews: readonly OfferReview[], nowMs: number): Promise<void>;
  /**
   * Stores which of these offers would fail under which announced changes, for the changes that are still announced, and adds events for the
   * differences. Call it before `storeReviews`, so that an offer stays due if the process dies in between.
   */
  noteUpcoming(accountId: number, offers: readonly UpcomingFailures[], nowMs: number): Promise<void>;
  /** Counts the offers that would fail, by announced change. */
  countUpcoming(accountId: number): Promise<ReadonlyMap<number, number>>;
  /** Lists the SKUs that would fail under an announced change, in order. `after`: the last SKU of the page before, or ''. */
  listUpcoming(accountId: number, announcedId: number, after: string, limit: number): Promise<readonly string[]>;
  /** Forgets some offers that would have failed under a settled change. If it was cancelled, they get an event. */
  clearUpcoming(accountId: number, announcedId: number, nowMs: number): Promise<'more' | 'done'>;
  /**
   * Adds words of stored listings to the index for search, which a database may do after the commit. Until then, offers are found by the
   * words that they still have. `more`: call it again soon.
   */
  indexWords(): Promise<'more' | 'done'>;
  /** Marks the SKUs that exist, and announces the work, as fresh by default. */
  markDue(accountId: number, skuIds: readonly string[], size?: WorkSize): Promise<void>;
  /**
   * Starts to mark offers as due for review, in the background: for the given accounts, or for all accounts of the environment. With a
   * filter, only matching offers are marked. A sweep in progress restarts; unless it has the same filter, it then marks all offers.
   */
  beginSweeps(
    of: { readonly accountIds?: readonly number[]; readonly environment?: Environment },
    filter?: OfferFilter,
  ): Promise<void>;
  /** Lists all sweeps in any order. */
  listSweeps(): Promise<readonly Sweep[]>;
  readSweep(accountId: number): Promise<Sweep | undefined>;
  /** Moves the cursor of a sweep with a filter; undefined ends the sweep. Returns false if the sweep was restarted since it was read. */
  moveSweep(sweep: Sweep, cursor: number | undefined): Promise<boolean>;
  /** Marks the next offers of a sweep without a filter, at most `limit`; `done` if none is left. */
  sweep(accountId: number, limit: number): Promise<'more' | 'done'>;
  /**
   * Announces work whose announcement was lost because a process died, or is missing because the database is a copy: due offers, sweeps,
   * unfinished files, requested reports and catalog news.
   */
  announceForgotten(): Promise<void>;
  /**
   * Returns the variation groups of the SKUs, each group once and from one snapshot, with the evidence of each member's last review. A
   * group may have 2,001 members, so pass few SKUs at a time.
   */
  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): Promise<readonly GroupStanding[]>;
  /** Returns the shoes of one shoe group, in order of SKU id. */
  readShoeGroup(accountId: number, shoeKey: string, limit: number): Promise<readonly string[]>;
  /**
   * Counts due offers of all accounts, and how long the oldest has been due. Above 100,000 offers of an account, the count may be 1 % low;
   * it ends at 10 million.
   */
  readReviewFigures(): Promise<DueFigures>;
}

export interface DueFigures extends Omit<AccountDue, 'accountId'> {
  /** Accounts with due offers, in any order. */
  readonly accounts: readonly AccountDue[];
  /** Number of accounts that are not counted, because their database node does not respond. */
  readonly accountsMissing: number;
}

export interface AccountDue {
  readonly accountId: number;
  readonly due: number;
  readonly oldestDue_ms: number;
}

export function dueFigures(accounts: readonly AccountDue[], accountsMissing: number): DueFigures {
  const due = accounts.reduce((sum, account) => sum + account.due, 0);
  const oldestDue_ms = Math.max(0, ...accounts.map((account) => account.oldestDue_ms));
  return { due, oldestDue_ms, accounts, accountsMissing };
}

/** A background pass over an account's offers that marks them as due, in upload order. */
export interface Sweep {
  readonly accountId: number;
  /** Upload order of the last offer that was examined. */
  readonly cursor: number;
  /** Null: all offers. */
  readonly filter: OfferFilter | null;
}
