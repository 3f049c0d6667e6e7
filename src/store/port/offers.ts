/** Port for offers: their parts, reads by key, the list of SKUs, and the conditional writes of single calls. */
import type { Author } from '../../domain/author.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Int64 } from '../../domain/int64.ts';
import type { MemberFacts } from '../../domain/variation-group.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';

/** `unknown` and `archived`: nothing was changed. */
export type WriteOutcome = 'stored' | 'unknown' | 'archived';

export type GroupOutcome =
  | WriteOutcome
  /** These children cannot be in a group; nothing was changed. */
  | { readonly refused: readonly { readonly skuId: string; readonly state: 'unknown' | 'archived' }[] };

/** `currentTag`: the precondition does not hold; null if the part is not set. Nothing was changed. */
export type PartsOutcome = GroupOutcome | { readonly currentTag: string | null };

export interface NodePrice {
  readonly fulfillment_node_id: string;
  readonly fulfillment_node_price: number;
}

export interface NodeQuantity {
  readonly fulfillment_node_id: string;
  readonly quantity: number;
}

export interface GroupUpload {
  /** JSON text of the list of attribute ids. */
  readonly refinements: string;
  readonly title: string | null;
  /** In the order sent, without the parent and without duplicates. */
  readonly childrenSkus: readonly string[];
}

/** A write of one part of an offer. */
export type PartWrite = { readonly skuId: string } & (
  | { readonly kind: 'sku'; readonly document: string }
  /** Replaces the price with its node prices. */
  | { readonly kind: 'price'; readonly price: number; readonly nodes: readonly NodePrice[] }
  /** Changes only the given nodes; each node at most once. */
  | { readonly kind: 'inventory'; readonly quantities: readonly NodeQuantity[] }
  /** JSON text of the list of nodes; null removes all exceptions. */
  | { readonly kind: 'shipping'; readonly exceptions: string | null }
  /** Null removes all exceptions. */
  | { readonly kind: 'returns'; readonly locationIds: readonly string[] | null }
  /** A change to the flag also sets the quantity of every node to zero, with a new time. */
  | { readonly kind: 'archive'; readonly archived: boolean }
  /** Replaces the group of this parent. Members leave their former group, and a member's own group ends. */
  | { readonly kind: 'group'; readonly group: GroupUpload }
);

/** A condition on the current state of the part that a write changes. */
export interface Precondition {
  /** The part must have one of these tags; `*`: it must be set. */
  readonly ifMatch?: readonly string[] | '*';
  /** The part must not be set. */
  readonly ifNoneMatch?: '*';
}

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

export type SkuState = 'unknown' | 'open' | 'archived';

export interface StoredPrice {
  readonly price: number;
  readonly nodes: readonly NodePrice[];
  readonly updatedMs: number;
}

export interface StoredInventory {
  /** In order of node id, by code point. */
  readonly nodes: readonly (NodeQuantity & { readonly updatedMs: number })[];
  /** When all stock was last set to zero, or if it never was, when the SKU was first uploaded. */
  readonly stampMs: number;
}

export interface InventoryReading {
  readonly nodes: StoredInventory['nodes'];
  /** Null if there are nodes: each node has its own time, and reading this field would cost a lookup. */
  readonly stampMs: number | null;
}

/** The member data that the rules for variation groups need. */
export interface GroupMember extends MemberFacts {
  readonly archived: boolean;
}

/** The data that a SKU read returns. */
export interface ShownOffer {
  /** JSON text of the uploaded fields. */
  readonly document: string;
  /** `textTag` of the document, stored because hashing takes a tenth of a read. */
  readonly documentTag: string;
  readonly archived: boolean;
  /** JSON text of the list of nodes with their exceptions. */
  readonly shippingExceptions: string | null;
  readonly returnLocationIds: readonly string[] | null;
  /** The group in which this SKU is the parent. */
  readonly group: GroupUpload | null;
}

/** The last verdict of the review. */
export interface StoredReview {
  readonly status: Status;
  readonly subStatuses: readonly SubStatus[];
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
  /** JSON text of the review's evidence; null before the first review. */
  readonly evidence: string | null;
}

/**
 * The sequence number of the last write to each part of an offer; 0: never written. A write that is applied later than it was sent, such as
 * a bulk row, does not change a part with a higher number. Clearing a part is a write too, so a number outlives its part.
 */
export interface OfferNumbers {
  readonly document: number;
  readonly price: number;
  /** The archive flag. */
  readonly archived: number;
  readonly shippingExceptions: number;
  readonly returnLocations: number;
  /** The last time it joined a group, as parent or child, or its group ended. */
  readonly group: number;
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
   * part. A precondition applies to the first part, and is checked in the same commit, after the SKU's state.
   */
  write(key: WriteKey, parts: readonly PartWrite[], nowMs: number, precondition?: Precondition): Promise<PartsOutcome>;
}
