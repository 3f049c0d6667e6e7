/** Port of moves: exports, imports and removals of whole merchants. */
import type { Environment, FulfillmentNode } from '../../domain/account.ts';
import type { GroupUpload, RecordPage, ShownOffer, StoredInventory, StoredPrice } from './offers.ts';
import type { Credential, Merchant } from './settings.ts';

/** An offer with all its parts. */
export interface OfferRecord extends Omit<ShownOffer, 'documentTag' | 'group'> {
  readonly skuId: string;
  readonly firstUploadMs: number;
  readonly documentUpdatedMs: number;
  readonly price: StoredPrice | null;
  readonly inventory: StoredInventory;
}

/** A variation group with its parent. */
export interface GroupRecord extends GroupUpload {
  readonly skuId: string;
}

/** A merchant without its accounts. */
export type MerchantRecord = Omit<Merchant, 'unfinished' | 'accounts'>;

export type CredentialRecord = Omit<Credential, 'credentialId' | 'accountId' | 'lastUsedMs'>;

/** The settings of one account. */
export interface AccountRecord {
  readonly accountId: number;
  /** In order of creation. */
  readonly credentials: readonly CredentialRecord[];
  /** In order of id. */
  readonly nodes: readonly FulfillmentNode[];
  readonly returnLocationIds: readonly string[];
}

/** Reads one state of the database while others write. */
export interface StoreSnapshot {
  /** Lists merchants in order of id. */
  listMerchants(): Promise<readonly Merchant[]>;
  readAccount(accountId: number): Promise<AccountRecord>;
  countOffers(accountId: number): Promise<number>;
  /** Reads offers in order of first upload; `from` is 0, or the `next` of the page before. */
  readOffers(accountId: number, from: number): Promise<RecordPage<OfferRecord>>;
  /** Reads groups in order of the parent's first upload. */
  readGroups(accountId: number, from: number): Promise<RecordPage<GroupRecord>>;
  close(): Promise<void>;
}

/** An import that was not renewed for this long counts as dead, and may be taken over. */
export const IMPORT_LEASE_MS = 10_000;

/**
 * Exports, imports and removals of whole merchants. No request waits for them.
 *
 * Every write is a short transaction, so that a running server can write in between. During an import the merchant is suspended
 * and has no keys. A mark in the database names the store that imports or erases a merchant; writes by other stores fail
 * with ImportOvertakenError.
 */
export interface MoveStore {
  openSnapshot(): Promise<StoreSnapshot>;

  /** Adds the merchant, suspended, with its accounts. `unfinished`: an import of it has begun already. */
  beginImport(merchant: MerchantRecord): Promise<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'>;
  /** Stores all or none. `repeated` is an id that the account has already. */
  importOffers(accountId: number, offers: readonly OfferRecord[]): Promise<'stored' | { readonly repeated: string }>;
  /** Stores all or none. `refused` is a member that was never uploaded, or that is in another group. */
  importGroups(accountId: number, groups: readonly GroupRecord[]): Promise<'stored' | { readonly refused: string }>;
  /** Adds the account settings, and lifts the suspension unless the merchant was suspended. `taken`: a user name in use. */
  finishImport(
    merchant: MerchantRecord,
    accounts: readonly AccountRecord[],
  ): Promise<'stored' | { readonly taken: string }>;
  /** Renews the lease of the import, as each of its writes does. */
  renewImport(merchantId: string): Promise<void>;
  /**
   * Takes over a dead import, so that it may be erased; the former owner can no longer write. `busy_ms`: the owner is
   * alive, and counts as dead if it does not renew for that time.
   */
  takeOverImport(merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }>;

  /**
   * Suspends the merchant and marks it. Ends another removal that has not begun to erase. `exportedTo`: an earlier removal has
   * begun to erase, after exporting the merchant to that file.
   */
  beginRemoval(merchantId: string): Promise<'begun' | 'unknown' | { readonly exportedTo: string }>;
  /** Makes the suspension final. `ended`: the suspension was lifted, or another removal began; erase nothing. */
  beginErasing(merchantId: string, exportedTo: string): Promise<'begun' | 'ended'>;
  /** Returns the last offer of the account by order of first upload; 0 if it has none. */
  readLastOffer(accountId: number): Promise<number>;
  /** Erases offers up to `upTo` for about `slice_ms_max`. Returns how many were erased, and whether any are left. */
  eraseOffers(accountId: number, upTo: number, slice_ms_max: number): Promise<{ skus: number; more: boolean }>;
  /** Erases some idempotency keys and logged requests of the account. Returns true if some may be left. */
  eraseRequests(accountId: number): Promise<boolean>;
  /**
   * Discards the account's bulk files and reports: they cannot be read, listed or worked on. The next retention sweep removes
   * their records and bytes (`listKeptBefore`).
   */
  discardFiles(accountId: number): Promise<void>;
  /**
   * Erases the merchant with its accounts, keys and portal users, and discards its files; its offers must be gone. `accountId`:
   * erases only if this is still an account of the merchant.
   */
  eraseMerchant(merchantId: string, accountId?: number): Promise<'erased' | 'unknown' | 'has_offers'>;
  close(): Promise<void>;
}
