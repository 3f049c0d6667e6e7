/**
 * Port for reading a database in one snapshot, which exports use too, and for copying it into an empty one. A copy keeps every id and sequence number: tokens still work, lists keep their
 * order, and no number is used twice.
 *
 * A mark in the target records the progress; each slice moves it in its own transaction. Only the copy itself opens a database with a mark.
 */
import type { Merchant } from '../../domain/account.ts';
import type { AccountRecord, GroupRecord, OfferRecord } from '../../domain/export/records.ts';
import type { OfferNumbers } from './offers.ts';

/** An offer as in an export, with the fields that only a copy needs. */
export interface CopiedOffer {
  /** Position in the list of an account's offers; unique in the database. */
  readonly order: number;
  readonly record: OfferRecord;
  readonly membership: CopiedMembership | null;
  /** Sequence numbers. Those of the nodes are in the order of the inventory's nodes. */
  readonly numbers: Omit<OfferNumbers, 'nodes'> & { readonly nodes: readonly number[] };
}

export interface CopiedGroup {
  /** The position of the parent. */
  readonly order: number;
  readonly record: GroupRecord;
}

export interface CopiedMembership {
  readonly parentSkuId: string;
  readonly parentOrder: number;
  /** 0 for the parent, which has refinements and optionally a title. */
  readonly position: number;
  readonly refinements: string | null;
  readonly title: string | null;
}

/** The highest numbers in use. The copy must not use them again. */
export interface CopiedCounters {
  readonly writeNumber: number;
  /** At least the `order` of every offer. */
  readonly orderMax: number;
  /** Generated ids, by table. */
  readonly rows: Readonly<Partial<Record<CopiedTableName, number>>>;
}

/** Identifies the source of a copy and its state. */
export interface CopyOrigin {
  /** A name for people to read, without secrets. */
  readonly source: string;
  /** Digest of all small tables. It is unique to a database, because the tables include the signing keys. */
  readonly tablesDigest: string;
  readonly writeNumber: number;
}

/** The last copied offer. Everything up to and including it is copied. Accounts are copied in order of id. */
export interface CopyPosition {
  readonly accountId: number;
  readonly order: number;
}

export interface CopyMark extends CopyOrigin, CopyPosition {}

/** Reads from one snapshot while other processes write. `after` is 0, or the `order` of the last entry read; a page after the last is empty. */
export interface StoreSnapshot {
  /** Lists merchants in order of id. */
  listMerchants(): Promise<readonly Merchant[]>;
  readAccount(accountId: number): Promise<AccountRecord>;
  countOffers(accountId: number): Promise<number>;
  /** Reads offers in order of first upload. */
  readOffers(accountId: number, after: number): Promise<readonly CopiedOffer[]>;
  /** Reads groups in order of the parent's first upload. */
  readGroups(accountId: number, after: number): Promise<readonly CopiedGroup[]>;
  readCounters(): Promise<CopiedCounters>;
  readTables(): Promise<CopiedTables>;
  close(): Promise<void>;
}

export interface CopyStore {
  /** A name for people to read, without secrets. */
  readonly name: string;
  openSnapshot(): Promise<StoreSnapshot>;
  readMark(): Promise<CopyMark | undefined>;
  /** Sets the mark and fills the small tables. `not_empty`: they have rows; nothing was changed. */
  beginCopy(origin: CopyOrigin, tables: CopiedTables, counters: CopiedCounters): Promise<'begun' | 'not_empty'>;
  /** Stores offers of one account and moves the mark. `overtaken`: another copy moved it; nothing was changed. */
  writeOffers(from: CopyPosition, accountId: number, offers: readonly CopiedOffer[]): Promise<'stored' | 'overtaken'>;
  /** Removes the mark, so that the database may be opened. */
  finishCopy(): Promise<void>;
  close(): Promise<void>;
}

export function unfinishedCopyText(source: string): string {
  return `The copy from ${source} into this database is not finished. Run "offerbook copy" again, or use another database.`;
}

/** Values in the order of the table's columns. */
export type CopiedRow = readonly (string | number | Uint8Array | null)[];

/**
 * The small tables, which are copied row by row with their ids: settings, portal users, the activity log and pending background work.
 * Both engines have them under the same names. A new table must be listed here, or named in the tests of copies.
 *
 * A copy omits the rest. The storefront is projected again. The review recreates its results, the catalog and the images, because all offers are due in the copy.
 * Bulk files and reports are stored in a folder of the source and expire after 30 days. Users sign in again. The history is
 * larger than the offers and starts empty, like the change feed and the request log. Idempotency keys expire after a day. Webhooks
 * are not copied.
 *
 * Each table comes after the tables that it references.
 */
export const COPIED_TABLES = Object.freeze([
  ...(['merchant', 'account', 'credential', 'fulfillment_node', 'return_location', 'signing_key'] as const),
  ...(['portal_user', 'one_time_link', 'passkey', 'operator_act', 'pending_import', 'pending_removal'] as const),
  ...(['taxonomy', 'taxonomy_part', 'policy', 'placeholder', 'rule_change', 'announced_change'] as const),
  'catalog_correction',
  'work_lease',
] as const);

export type CopiedTableName = (typeof COPIED_TABLES)[number];

/** The rows of all tables; small compared to the offers, so they are copied in one step. */
export type CopiedTables = Readonly<Record<CopiedTableName, readonly CopiedRow[]>>;
