/** Port of the offers themselves: their parts, reads by key, the list of SKUs, and the conditional writes of single calls. */
import type { Author } from '../../domain/author.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Int64 } from '../../domain/int64.ts';
import type { MemberFacts } from '../../domain/variation-group.ts';
import type { StoredReview } from './review.ts';

/** `unknown` and `archived` mean that nothing was changed. */
export type WriteOutcome = 'stored' | 'unknown' | 'archived';

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
  /** In the order sent, without the parent and without repetitions. */
  readonly childrenSkus: readonly string[];
}

/** A part of a long list, and where the next one starts; `next` is undefined behind the last. */
export interface RecordPage<T> {
  readonly records: readonly T[];
  readonly next: number | undefined;
}

export interface SkuKey {
  readonly accountId: number;
  readonly skuId: string;
}

/** Of a SKU that is written to, with whom its history names for the change. */
export interface WriteKey extends SkuKey {
  readonly by: Author;
}

/** `unknown`: the SKU was never uploaded. `unset`: it was, but this part of it was not. */
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
  /** When stock was last zeroed as a whole, else when the SKU was first uploaded. */
  readonly stampMs: number;
}

/** As it is read by key. */
export interface InventoryReading {
  readonly nodes: StoredInventory['nodes'];
  /** Null where there are nodes: they have times of their own, and this one has to be looked for. */
  readonly stampMs: number | null;
}

/** What the rules of a variation group need to know of one of its members. */
export interface GroupMember extends MemberFacts {
  readonly archived: boolean;
}

/** What the SKU read shows of an offer. */
export interface ShownOffer {
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly archived: boolean;
  /** JSON text of the list of nodes with their exceptions. */
  readonly shippingExceptions: string | null;
  readonly returnLocationIds: readonly string[] | null;
  /** Of which it is the parent. */
  readonly group: GroupUpload | null;
}

/** With what a verdict is made from. */
export interface StoredOffer extends ShownOffer {
  readonly priced: boolean;
  /** As parent or as child. */
  readonly inGroup: boolean;
  /** Nodes that the merchant has sent a quantity for, 0 included, in order of id. */
  readonly stockNodeIds: readonly string[];
  /** JSON text of what the review has found; null: nothing yet. */
  readonly evidence: string | null;
}

/**
 * The number of the last write to each part of an offer, 0 for a part that was never written. What is applied later than
 * it was sent, as a row of a file is, is applied to a part with no higher number than its own, and is superseded else.
 */
export interface OfferNumbers {
  readonly document: number;
  readonly price: number;
  /** Of the flag. */
  readonly archived: number;
  /** Clearing is a write: its number outlives what it cleared. So it is with the two that follow. */
  readonly shippingExceptions: number;
  readonly returnLocations: number;
  /** Of joining a group, as parent or child, or of the end of the group that it was in. */
  readonly group: number;
  /** Of the last zeroing of the whole stock; it is that of every node which is not below. */
  readonly inventory: number;
  readonly nodes: ReadonlyMap<string, number>;
}

export interface SkuPage {
  readonly skuIds: readonly string[];
  readonly more: boolean;
}

export type GroupOutcome =
  | WriteOutcome
  /** Some children cannot be in a group; nothing was changed. */
  | { readonly refused: readonly { readonly skuId: string; readonly state: 'unknown' | 'archived' }[] };

/** Reads by full key may answer at once, and then throw at once too. */
export interface OfferStore {
  readSkuState(key: SkuKey): Awaitable<SkuState>;
  readOffer(key: SkuKey): Awaitable<StoredOffer | undefined>;
  /** As the review left it; `verdict` is null where it is due, or was never reviewed. Cheaper than `readOffer`. */
  readReviewedOffer(key: SkuKey): Awaitable<(ShownOffer & { readonly verdict: StoredReview | null }) | undefined>;
  readPrice(key: SkuKey): Awaitable<Lookup<StoredPrice>>;
  readInventory(key: SkuKey): Awaitable<InventoryReading | undefined>;
  /** JSON text of the list of nodes with their exceptions. */
  readShippingExceptions(key: SkuKey): Awaitable<Lookup<string>>;
  readReturnLocations(key: SkuKey): Awaitable<Lookup<readonly string[]>>;
  readGroup(key: SkuKey): Awaitable<Lookup<GroupUpload>>;
  readNumbers(key: SkuKey): Awaitable<OfferNumbers | undefined>;
  /**
   * Those of the SKUs that exist, in the order asked, described for the given refinements. A group may have 2,001
   * members with 50 attributes each, so that the description is made where it holds nobody up.
   */
  readMembers(
    accountId: number,
    skuIds: readonly string[],
    refinements: readonly Int64[],
  ): Promise<readonly GroupMember[]>;
  /** In order of first upload. `offset` counts from behind `after`. */
  listSkus(accountId: number, page: SkuPageRequest): Promise<SkuPage | 'after_unknown'>;

  /**
   * Draws a number for what is applied later. Writes have theirs from the same counter: one that was answered before has
   * no higher number than this, one that is called after this was answered has a higher one. No number is drawn twice.
   */
  drawNumber(): Promise<number>;
  putSku(key: WriteKey, document: string, nowMs: number): Promise<'stored' | 'archived'>;
  /** Replaces the price with its node prices. */
  putPrice(key: WriteKey, price: { price: number; nodes: readonly NodePrice[] }, nowMs: number): Promise<WriteOutcome>;
  /** Touches only the nodes given; each node at most once. */
  patchInventory(key: WriteKey, quantities: readonly NodeQuantity[], nowMs: number): Promise<WriteOutcome>;
  /** Replaces the group of this parent; members leave the group they were in, and a member's own group ends. */
  putGroup(key: WriteKey, group: GroupUpload, nowMs: number): Promise<GroupOutcome>;
  /** JSON text of the list of nodes; null clears. */
  putShippingExceptions(key: WriteKey, exceptions: string | null, nowMs: number): Promise<WriteOutcome>;
  /** null clears. */
  putReturnLocations(key: WriteKey, locationIds: readonly string[] | null, nowMs: number): Promise<WriteOutcome>;
  /** When it changes the flag it also zeroes every node's quantity and stamps it; else it changes nothing. */
  setArchived(key: WriteKey, archived: boolean, nowMs: number): Promise<'stored' | 'unknown'>;
}

export interface SkuPageRequest {
  readonly after: string | undefined;
  readonly offset: number;
  readonly limit: number;
}
