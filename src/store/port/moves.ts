/** Port for moves: exports, imports and removals of whole merchants. */
import type { Environment } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, MerchantRecord, OfferRecord } from '../../domain/export/records.ts';
import type { StoreSnapshot } from './copy.ts';

/** Lease of an import. If it is not renewed for this long, another command may take over the import. */
export const IMPORT_LEASE_MS = 10_000;

/**
 * Exports, imports and removals of whole merchants. No request waits for them.
 *
 * Every write is a short transaction, so that a running server can write in between. During an import the merchant is suspended
 * and has no keys. A mark in the database names the store that imports a merchant; writes to that merchant by other move stores fail
 * with ImportOvertakenError.
 */
export interface MoveStore {
  openSnapshot(): Promise<StoreSnapshot>;

  /** Adds the merchant, suspended, with its accounts. `unfinished`: an earlier import of the merchant has not finished. */
  beginImport(merchant: MerchantRecord): Promise<Readonly<Record<Environment, number>> | 'exists' | 'unfinished'>;
  /** Stores all offers or none. `repeated`: an id that the account already has. */
  importOffers(accountId: number, offers: readonly OfferRecord[]): Promise<'stored' | { readonly repeated: string }>;
  /** Stores all groups or none. `refused`: a member that was never uploaded, or is in another group. */
  importGroups(accountId: number, groups: readonly GroupRecord[]): Promise<'stored' | { readonly refused: string }>;
  /** Adds the account settings, and lifts the suspension unless the merchant was exported as suspended. `taken`: a user name in use. */
  finishImport(
    merchant: MerchantRecord,
    accounts: readonly AccountRecord[],
  ): Promise<'stored' | { readonly taken: string }>;
  /** Renews the lease of the import. Every write of the import renews it too. */
  renewImport(merchantId: string): Promise<void>;
  /**
   * Takes over an import whose lease has expired, so that it can be erased; the former owner can no longer write. `busy_ms`: the lease is
   * still valid, and expires after this time unless the owner renews it.
   */
  takeOverImport(merchantId: string): Promise<'taken' | 'none' | { readonly busy_ms: number }>;

  /**
   * Suspends the merchant and marks it. Cancels another removal that has not begun to erase. `exportedTo`: an earlier removal exported the
   * merchant to this file and has begun to erase it.
   */
  beginRemoval(merchantId: string): Promise<'begun' | 'unknown' | { readonly exportedTo: string }>;
  /** Makes the suspension final. `ended`: the suspension was lifted, or another removal began; erase nothing. */
  beginErasing(merchantId: string, exportedTo: string): Promise<'begun' | 'ended'>;
  /** Returns the upload order of the account's last offer; 0 if it has none. */
  readLastOffer(accountId: number): Promise<number>;
  /** Erases offers up to `upTo` for about `slice_ms_max`, then some events. Returns how many offers it erased; `more`: call it again. */
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
