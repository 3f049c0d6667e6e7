/** Port of moves: whole merchants out of a database, into it, and erased from it. */
import type { Environment, FulfillmentNode } from '../../domain/account.ts';
import type { ReturnShippingMethod } from '../../domain/vocabulary/shipping-methods.ts';
import type { GroupUpload, RecordPage, StoredInventory, StoredPrice } from './offers.ts';
import type { NewCredential } from './settings.ts';

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

/** The setup of one account, as it leaves a store and enters another. */
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

/** An import that gives no sign of life for that long counts as dead, and may be taken over. */
export const IMPORT_LEASE_MS = 10_000;

/** A store that was opened for moves is the owner of the marks that it sets. */
interface MoveMarkStore {
  /** Says that the import still lives; each of its writes says so too. */
  renewImport(merchantId: string): Promise<void>;
  /**
   * Makes this store the owner of an import that was cut off, so that it may be erased; whoever had it can write no more.
   * `busy_ms`: its owner was alive just now, and counts as dead after that time unless it gives another sign.
   */
  takeOverImport(merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }>;

  /**
   * Suspends the merchant and marks it. Another removal that has not begun to erase is over then.
   * `exportedTo`: an earlier one has begun to erase, after the whole merchant was exported to that file.
   */
  beginRemoval(merchantId: string): Promise<'begun' | 'unknown' | { readonly exportedTo: string }>;
  /**
   * From here on the merchant cannot be let in again. `ended`: the removal is over, because the merchant was let in or another
   * removal was begun; nothing may be erased.
   */
  beginErasing(merchantId: string, exportedTo: string): Promise<'begun' | 'ended'>;
}
