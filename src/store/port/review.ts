/** Port of the review: which offers are due, and what the review stored about them. */
import type { Listing } from '../../domain/review/listing.ts';
import type { GroupStanding } from '../../domain/variation-group.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';

/** Background work (see work.ts): to review the due offers of an account, and to mark all of them. */
export const REVIEW_KIND = 'review';

export const SWEEP_KIND = 'review-sweep';

/** An offer that is due for review, with all that it is reviewed by. */
export interface DueOffer {
  readonly skuId: string;
  /** The number of the write, or of the sweep, that made it due. */
  readonly mark: number;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  readonly priced: boolean;
  /** Nodes that the merchant has sent a quantity for, 0 included, in order of id. */
  readonly stockNodeIds: readonly string[];
  readonly inGroup: boolean;
  /** JSON text of what was found before; null: nothing yet. */
  readonly evidence: string | null;
}

export interface StoredReview {
  readonly status: Status;
  readonly subStatuses: readonly SubStatus[];
  /** Names the rules that it was made by, and all else that is not stored with the offer. */
  readonly rules: string;
}

export interface OfferReview extends StoredReview {
  readonly skuId: string;
  /** That it was reviewed for. An offer that was marked again meanwhile stays due. */
  readonly mark: number;
  /** JSON text; it names what it was found for, so that it is never wrong, only incomplete. */
  readonly evidence: string;
  /** Tells which shoes of the account belong together; null for other offers. */
  readonly shoeKey: string | null;
  /** What the list of offers finds it by (see offer-list.ts). */
  readonly listing: Listing;
}

/**
 * Which offers are due, and what the review made of them.
 *
 * The writes of offers mark what they touch in their own commit, where it can change a verdict: every upload, change
 * of the archive flag and of a group (all that are in it, before or then), the first price, the first stock record at a node.
 * They announce work of the kind `review` for the account (see work.ts). Who stays in a group that loses a member to
 * another, or whose member is uploaded again, is marked by the review once it comes to that member. Changes of the setup that can change verdicts (nodes, taxonomy,
 * policies, placeholders) begin a sweep in their own commit, which marks all offers of the accounts they concern.
 */
export interface OfferReviewStore {
  /**
   * Those marked first, first, and of those marked together the ones uploaded first. What they are reviewed by must not be
   * older than this read: a change of the setup that began a sweep is not seen in the marks.
   */
  readDueOffers(accountId: number, limit: number): Promise<readonly DueOffer[]>;
  /**
   * Stores evidence, verdict and listing, and takes the mark away where it is still the one that was reviewed. Of an offer
   * that is not due any more nothing is stored: somebody has reviewed it meanwhile, by no less than this. Written in slices that
   * single calls do not wait for; when it fails, some may be stored and the others are due as before.
   */
  storeReviews(accountId: number, reviews: readonly OfferReview[], nowMs: number): Promise<void>;
  /** Marks those of the SKUs that exist, and announces the work. */
  markDue(accountId: number, skuIds: readonly string[]): Promise<void>;
  /** Marks some next offers, `limit` at most, of a sweep that was begun for the account; `done` when none is left. */
  sweep(accountId: number, limit: number): Promise<'more' | 'done'>;
  /**
   * Announces the work of accounts that have due offers, a sweep, unfinished files or reports that were asked for, and that
   * of news of the catalog, where there is no such work: a process may have died in between, or the store is a copy of another.
   */
  announceForgotten(): Promise<void>;
  /**
   * The variation groups in which the SKUs are, as parent or child, each group once and of one state, with what the members
   * were reviewed by last. A group may have 2,001 members: ask for few at a time.
   */
  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): Promise<readonly GroupStanding[]>;
  /** The shoes that belong together, in order of SKU id. */
  readShoeGroup(accountId: number, shoeKey: string, limit: number): Promise<readonly string[]>;
  /**
   * Due offers, and how long the one has been due that comes first, over all accounts; for people who watch. Of a very
   * large account not more than 100,000 may be counted.
   */
  readReviewFigures(): Promise<DueFigures>;
}

export interface DueFigures {
  readonly due: number;
  readonly oldestDue_ms: number;
  /** Accounts with due offers that are not counted: their database node does not answer. */
  readonly accountsMissing: number;
}

/** An offer by account and SKU id, as shared data refers to it. */
export interface OfferReference {
  readonly accountId: number;
  readonly skuId: string;
}
