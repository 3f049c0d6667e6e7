/**
 * The store port: what Offerbook asks of a database, in words of the domain.
 *
 * Every write is one conditional command ("set the price unless the SKU is unknown or archived") that is durable when
 * its promise resolves. There is no transaction to hold open: that is what lets an adapter commit many callers'
 * writes together, and it leaves no window between a check and its write.
 *
 * JSON documents cross the port as text, in the neutral spelling of domain/names.ts, so that integers beyond 2^53
 * survive and a read can be answered without parsing.
 */
import type { Account, Environment, FulfillmentNode } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { Awaitable } from '../domain/awaitable.ts';
import type { Int64 } from '../domain/int64.ts';
import type { MemberFacts } from '../domain/variation-group.ts';
import type { ReturnShippingMethod } from '../domain/vocabulary/shipping-methods.ts';
import type { FileStore, ReportStore } from './file-port.ts';
import type { HistoryStore } from './history-port.ts';
import type { MoveMarkStore, Unfinished } from './move-marks-port.ts';
import type { OfferListStore } from './offer-list-port.ts';
import type { GroupUpload, NodePrice, NodeQuantity, RecordPage, WriteOutcome } from './offer-parts.ts';
import type { ActStore, PortalSessionStore, PortalUserStore } from './portal-port.ts';
import type { RateCounterStore } from './rate-counter-port.ts';
import type { RequestCountStore } from './request-count-port.ts';
import type { CatalogStore, ImageStore, OfferReviewStore, PolicyStore, StoredJudgement } from './review-port.ts';
import type { TaxonomyStore } from './taxonomy-port.ts';
import type { WorkStore } from './work-port.ts';

export type { GroupUpload, NodePrice, NodeQuantity, RecordPage, WriteOutcome } from './offer-parts.ts';
export type { OneTimeLink, PortalUser } from './portal-port.ts';

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

/** With what a judgement is made from. */
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
  /** As the review left it; `judgement` is null where it is due, or was never judged. Cheaper than `readOffer`. */
  readJudgedOffer(key: SkuKey): Awaitable<(ShownOffer & { readonly judgement: StoredJudgement | null }) | undefined>;
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

export interface NewCredential {
  readonly user: string;
  readonly salt: Uint8Array;
  readonly secretHash: Uint8Array;
}

export interface Credential extends NewCredential {
  /** Never used again for another credential set, so that a token can name it. */
  readonly credentialId: number;
  readonly accountId: number;
  readonly createdMs: number;
  /** Set when it was replaced with an overlap; it stops working then. */
  readonly endsMs: number | null;
  /** To the minute, some seconds late; null where it was not used yet. */
  readonly lastUsedMs: number | null;
}

export interface Merchant {
  readonly merchantId: string;
  readonly name: string;
  readonly createdMs: number;
  readonly suspended: boolean;
  /** Null where it is whole. */
  readonly unfinished: Unfinished | null;
  /** The account of each environment. */
  readonly accounts: Readonly<Record<Environment, number>>;
}

/** How products of a merchant come back. */
export interface Returns {
  readonly timeToReturnDays: number;
  readonly returnShippingMethods: readonly ReturnShippingMethod[];
}

export interface NewMerchant extends Returns {
  readonly merchantId: string;
  readonly name: string;
  readonly credentials: Readonly<Record<Environment, NewCredential>>;
}

export interface SigningKey {
  readonly keyId: string;
  readonly secret: Uint8Array;
  readonly createdMs: number;
  /** Set once it was replaced: until then it still verifies. */
  readonly endsMs: number | null;
}

/** Merchants, their keys and their set-up. Small data, changed by people; a server follows it by `setupVersion`. */
export interface SetupStore extends PortalUserStore, PortalSessionStore, ActStore, TaxonomyStore, PolicyStore {
  /** Grows with every change below, whichever process made it. */
  readSetupVersion(): Promise<number>;

  /** `exists`: a merchant of that id, or a user of one of those names. */
  addMerchant(merchant: NewMerchant, nowMs: number): Promise<'stored' | 'exists'>;
  /** In order of merchant id. */
  listMerchants(): Promise<readonly Merchant[]>;
  readMerchant(merchantId: string): Promise<Merchant | undefined>;
  /**
   * A merchant that is let in is not removed: a removal that has erased nothing yet is over. `unfinished`: half of it is not
   * here, so that it cannot be let in.
   */
  setSuspended(merchantId: string, suspended: boolean): Promise<'stored' | 'unknown' | 'unfinished'>;
  /** How its products come back, in both environments. */
  setReturns(merchantId: string, returns: Returns): Promise<'stored' | 'unknown'>;
  readAccount(accountId: number): Promise<Account | undefined>;

  readCredentialOfUser(user: string): Promise<Credential | undefined>;
  readCredential(credentialId: number): Promise<Credential | undefined>;
  /** Those that still work at `nowMs`, in the order in which they were made. */
  listCredentials(accountId: number, nowMs: number): Promise<readonly Credential[]>;
  /**
   * The sets in use now are replaced: they end at `overlapEndsMs`, or at once when that is not after `nowMs`. One that
   * was to end earlier still does; one that has ended is no longer there to be read.
   */
  rollCredential(accountId: number, next: NewCredential, nowMs: number, overlapEndsMs: number): Promise<void>;

  /** Adds the node or replaces its set-up. */
  putNode(accountId: number, node: FulfillmentNode): Promise<void>;
  addReturnLocation(accountId: number, locationId: string): Promise<'stored' | 'exists'>;

  /** Newest first. */
  listSigningKeys(): Promise<readonly SigningKey[]>;
  /**
   * Replaces the keys in use, which go on verifying until `previousEndMs`, or until the end they already had where that
   * is earlier; keys past their end are dropped.
   */
  addSigningKey(key: { keyId: string; secret: Uint8Array }, nowMs: number, previousEndMs: number): Promise<void>;
  /** Adds the key unless there is one: processes that start together end with the same one. */
  addFirstSigningKey(key: { keyId: string; secret: Uint8Array }, nowMs: number): Promise<void>;

  /** Drops links, credential sets and signing keys whose end is not after `nowMs`. None of them works any more. */
  dropEnded(nowMs: number): Promise<DroppedSetup>;
}

/** One offer with all its parts, as it leaves a store and enters another. */
export interface OfferRecord {
  readonly skuId: string;
  readonly archived: boolean;
  readonly firstUploadMs: number;
  /** JSON text of the uploaded fields. */
  readonly document: string;
  readonly documentUpdatedMs: number;
  readonly price: StoredPrice | null;
  readonly inventory: StoredInventory;
  /** JSON text of the list of nodes with their exceptions. */
  readonly shippingExceptions: string | null;
  readonly returnLocationIds: readonly string[] | null;
}

/** A variation group with its parent. */
export interface GroupRecord extends GroupUpload {
  readonly skuId: string;
}

/** A merchant with what it says of itself; its accounts are apart. */
export interface MerchantRecord {
  readonly merchantId: string;
  readonly name: string;
  readonly createdMs: number;
  readonly suspended: boolean;
  readonly timeToReturnDays: number;
  readonly returnShippingMethods: readonly ReturnShippingMethod[];
}

export interface CredentialRecord extends NewCredential {
  readonly createdMs: number;
  readonly endsMs: number | null;
}

/** The set-up of one account, as it leaves a store and enters another. */
export interface AccountRecord {
  readonly accountId: number;
  /** In the order in which they were made. */
  readonly credentials: readonly CredentialRecord[];
  /** In order of id. */
  readonly nodes: readonly FulfillmentNode[];
  readonly returnLocationIds: readonly string[];
}

/** One state of the store, which stays as it was while others write. */
export interface StoreSnapshot {
  readMerchant(merchantId: string): Promise<MerchantRecord | undefined>;
  /** In order of merchant id, without those that are half moved in or half erased. */
  listMerchantIds(): Promise<readonly string[]>;
  readAccount(merchantId: string, environment: Environment): Promise<AccountRecord>;
  countOffers(accountId: number): Promise<number>;
  /** In order of first upload; `from` is 0, or the `next` of the page before. */
  readOffers(accountId: number, from: number): Promise<RecordPage<OfferRecord>>;
  /** In order of the parent's first upload. */
  readGroups(accountId: number, from: number): Promise<RecordPage<GroupRecord>>;
  close(): Promise<void>;
}

/**
 * Whole merchants out of a store, into it and away from it. Opened by whoever moves one; no request waits for it.
 *
 * Every write is a short transaction of its own, so that a server beside it goes on writing. A merchant that is half
 * moved in is suspended and has no keys; `beginImport` tells of one that another import is moving in, or left behind. What
 * is written to it or erased of it, is so only while this store has its mark, and fails with ImportOvertakenError else.
 */
export interface MoveStore extends MoveMarkStore {
  openSnapshot(): Promise<StoreSnapshot>;

  /** Adds the merchant with its accounts, for nobody to reach yet. `unfinished`: an import of it was begun before. */
  beginImport(merchant: MerchantRecord): Promise<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'>;
  /** All of them or none. `repeated` is an id that the account has already. */
  importOffers(accountId: number, offers: readonly OfferRecord[]): Promise<'stored' | { readonly repeated: string }>;
  /** All of them or none. `refused` is a member that was never uploaded, or that is in another group. */
  importGroups(accountId: number, groups: readonly GroupRecord[]): Promise<'stored' | { readonly refused: string }>;
  /** Adds keys and places, and opens the merchant unless it was suspended. `taken` is a user of another merchant. */
  finishImport(
    merchant: MerchantRecord,
    accounts: readonly AccountRecord[],
  ): Promise<'stored' | { readonly taken: string }>;

  /** The last offer of the account by order of first upload; 0 when it has none. */
  readLastOffer(accountId: number): Promise<number>;
  /** Erases offers up to the one given for about that long, and says how many and whether some are left. */
  eraseOffers(accountId: number, upTo: number, slice_ms_max: number): Promise<{ skus: number; more: boolean }>;
  /**
   * The account's bulk files and reports are no longer there to be read, listed or worked on. Their records and bytes are
   * left to the next sweep for retention (`listFilesBefore`, `listReportsBefore`), for which they are old enough then.
   */
  discardFiles(accountId: number): Promise<void>;
  /**
   * Erases the merchant with its accounts, keys, places and portal users; its offers must be gone. Discards its files. With
   * `accountId`: unless that is an account of another merchant, or of none, by now.
   */
  eraseMerchant(merchantId: string, accountId?: number): Promise<'erased' | 'unknown' | 'has_offers'>;
  close(): Promise<void>;
}

/** How many of each were dropped because their time was over. */
export interface DroppedSetup {
  readonly links: number;
  readonly credentials: number;
  readonly signingKeys: number;
}

/** Calls that were taken and not answered yet. */
export interface QueueFigures {
  readonly waiting: number;
  /** 0 when none waits. */
  readonly oldestWaitMs: number;
}

/** What an operator watches; cheap to read. */
export interface StoreFigures {
  readonly writes: QueueFigures;
  readonly lists: QueueFigures;
  /** How many writes were committed together: counts by upper bound, and one beyond the last. */
  readonly commitWrites: {
    readonly bounds: readonly number[];
    readonly counts: readonly number[];
    readonly sum: number;
  };
  /** On disk. */
  readonly sizeBytes: number;
}

export interface Store
  extends OfferStore,
    SetupStore,
    WorkStore,
    OfferReviewStore,
    CatalogStore,
    ImageStore,
    FileStore,
    ReportStore,
    HistoryStore,
    OfferListStore,
    RequestCountStore {
  /** Undefined where one process alone serves the store, which then counts by itself, and exactly. */
  readonly rateCounters: RateCounterStore | undefined;
  readFigures(): Promise<StoreFigures>;
  /** Resolves when the store can answer and, as far as that shows, be written; rejects with StoreUnavailableError else. */
  ping(): Promise<void>;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

/** The store cannot take or finish the request: locked, full, read-only, gone. Nothing may be reported as stored. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The database node that holds the account cannot be asked; other accounts may be served. */
export class AccountUnavailableError extends StoreUnavailableError {}

/** The disk of the embedded database has no room for writes; reads work. */
export class StoreFullError extends StoreUnavailableError {}

/** More calls are waiting than the store lets wait; this one was not taken. */
export class StoreOverloadedError extends Error {
  override readonly name = 'StoreOverloadedError';
}
