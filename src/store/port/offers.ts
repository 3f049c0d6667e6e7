/** Port for offers: their parts, reads by key, the list of SKUs, and the conditional writes of single calls. */
import type { Author } from '../../domain/author.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Int64 } from '../../domain/int64.ts';
import type { GroupOutcome, InventoryReading, PartWrite, ShownOffer, StoredPrice } from '../../domain/offers/part.ts';
import type { MemberFacts } from '../../domain/offers/variation-group.ts';
import type { SkuState } from '../../domain/offers/write-state.ts';
import type { WriteConditions } from '../../domain/precondition.ts';
import type { Evidence } from '../../domain/review/facts.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import type { Verdict } from '../../domain/vocabulary/statuses.ts';

/**
 * `currentTag`: the precondition does not hold; null if the part is not set. Nothing was changed. `newTag`: stored, and this is the tag
 * right after the write. It is returned only where the write alone does not determine the tag (`writtenTag`).
 */
export type PartsOutcome = GroupOutcome | { readonly currentTag: string | null } | { readonly newTag: string | null };

/** Which tag a write compares and returns: the tag of its first part, or the tag of the whole offer. */
export type TagScope = 'part' | 'offer';

/** `next` is where the next page starts; undefined on the last. */
export interface RecordPage<T> {
  readonly records: readonly T[];
  readonly next: number | undefined;
}

export interface SkuKey {
  readonly accountId: number;
  readonly skuId: string;
}

/** The key of a write, with the author that the history names. */
export interface WriteKey extends SkuKey {
  readonly by: Author;
}

/** `unknown`: the SKU was never uploaded. `unset`: it has no such part. */
export type Lookup<T> = 'unknown' | 'unset' | T;

/** The member data that the rules for variation groups need. */
export interface GroupMember extends MemberFacts {
  readonly archived: boolean;
}

/** The last verdict of the review. */
export interface StoredReview extends Verdict {
  /** Identifies the rules and all other input that is not stored with the offer. */
  readonly rules: string;
}

/** Everything that a verdict depends on. */
export interface StoredOffer extends ShownOffer {
  readonly priced: boolean;
  /** Whether it is in a group, as parent or child. */
  readonly inGroup: boolean;
  /** Nodes with a stock record, 0 included, in order of id. */
  readonly stockNodeIds: readonly string[];
  /** Evidence of the last review; empty before the first. */
  readonly evidence: Evidence;
}

/** Everything that is stored of an offer, as of one moment. `verdict` is null while the offer is due, and before the first review. */
export interface WholeOffer extends StoredOffer {
  readonly verdict: StoredReview | null;
  readonly price: Lookup<StoredPrice>;
  readonly inventory: InventoryReading;
}

/**
 * The sequence number of the last write to each part of an offer; 0: never written. A write that is applied later than it was sent, such as
 * a bulk row, does not change a part with a higher number. Clearing a part is a write too, so a number outlives its part.
 */
export interface OfferNumbers extends Readonly<Record<OfferPart, number>> {
  /** The last time it joined a group, as parent or child, or its group ended. */
  readonly variation: number;
  /** The last time all stock was set to zero; applies to every node not in `nodes`. */
  readonly inventory: number;
  readonly nodes: ReadonlyMap<string, number>;
}

export interface SkuPageRequest {
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

export interface SkuPage {
  readonly skuIds: readonly string[];
  readonly more: boolean;
}

/** Reads by full key may return, and throw, synchronously. */
export interface OfferStore {
  readSkuState(key: SkuKey): Awaitable<SkuState>;
  readOffer(key: SkuKey): Awaitable<StoredOffer | undefined>;
  /** Cheaper than `readOffer`. `verdict` is null while the offer is due, and before the first review. */
  readReviewedOffer(key: SkuKey): Awaitable<(ShownOffer & { readonly verdict: StoredReview | null }) | undefined>;
  readWholeOffer(key: SkuKey): Awaitable<WholeOffer | undefined>;
  readPrice(key: SkuKey): Awaitable<Lookup<StoredPrice>>;
  readInventory(key: SkuKey): Awaitable<InventoryReading | undefined>;
  readNumbers(key: SkuKey): Promise<OfferNumbers | undefined>;
  /**
   * Describes the SKUs that exist, in the requested order, for the given refinements. A group may have 2,001 members with 50 attributes
   * each, so the attributes are selected outside the request thread.
   */
  readMembers(
    accountId: number,
    skuIds: readonly string[],
    refinements: readonly Int64[],
  ): Promise<readonly GroupMember[]>;
  /** Lists SKUs in order of first upload. `offset` counts from `after`. */
  listSkus(accountId: number, page: SkuPageRequest): Promise<SkuPage | 'after_unknown'>;
  /**
   * Writes parts of the offer in one commit, or none of them. `sku` must be the first part; an archive flag or a group must be the only
   * part. A precondition applies to the tag of `scope` (by default the first part's), and is checked in the same commit, after the SKU's
   * state. If PostgreSQL folds writes of one account to the same stock or flag, only the last of them has a `newTag`. A write that is
   * `keyed` rejects with KeyNotStoredError unless it is accepted and its key was free; on PostgreSQL it always does.
   */
  write(
    key: WriteKey,
    parts: readonly PartWrite[],
    nowMs: number,
    conditions?: WriteConditions,
    scope?: TagScope,
  ): Promise<PartsOutcome>;
}
