/**
 * Port of copies: everything out of a database and into an empty one, with every id and sequence number, so that in the new
 * place tokens still work, lists keep their order and no number is given out twice.
 *
 * A mark in the target says that a copy is under way and how far it came; each slice moves it in its own transaction.
 * A database with a mark is opened only by the copy that goes on with it.
 */
import type { CopiedTableName, CopiedTables } from './copied-tables.ts';
import type { OfferRecord } from './moves.ts';
import type { OfferNumbers } from './offers.ts';

/** One offer with all that is stored of it: as an export has it, and what only a copy carries. */
export interface CopiedOffer {
  /** By this the offers of an account are listed; no two offers of a database have the same. */
  readonly order: number;
  readonly record: OfferRecord;
  readonly membership: CopiedMembership | null;
  readonly numbers: CopiedNumbers;
}

interface CopiedMembership {
  readonly parentSkuId: string;
  readonly parentOrder: number;
  /** 0 for the parent, which has refinements, and a title perhaps. */
  readonly position: number;
  readonly refinements: string | null;
  readonly title: string | null;
}

/** Those of the nodes are in the order of the nodes of the inventory. */
type CopiedNumbers = Omit<OfferNumbers, 'nodes'> & { readonly nodes: readonly number[] };

/** What a store has given out and does not give out again. */
export interface CopiedCounters {
  /** Of writes. */
  readonly writeNumber: number;
  /** At least the `order` of every offer. */
  readonly orderMax: number;
  /** Of the tables whose rows have numbers. */
  readonly rows: Readonly<Partial<Record<CopiedTableName, number>>>;
}

/** Which state of which store is copied. */
export interface CopyOrigin {
  /** For people; without secrets. */
  readonly source: string;
  /** Over the rows of all small tables, among which the signing keys are of one store only. */
  readonly tablesDigest: string;
  readonly writeNumber: number;
}

/** Everything up to this offer of this account is in the target; accounts go in order of their number. */
export interface CopyPlace {
  readonly accountId: number;
  readonly order: number;
}

export interface CopyMark extends CopyOrigin, CopyPlace {}

/** One state of the store, which stays as it was while others write. */
export interface CopyReading {
  readCounters(): Promise<CopiedCounters>;
  readTables(): Promise<CopiedTables>;
  countOffers(accountId: number): Promise<number>;
  /** The next ones behind `after`, in their order; none behind the last. */
  readOffers(accountId: number, after: number): Promise<readonly CopiedOffer[]>;
  close(): Promise<void>;
}

export interface CopyStore {
  /** For people; without secrets. */
  readonly name: string;
  openReading(): Promise<CopyReading>;
  readMark(): Promise<CopyMark | undefined>;
  /** Sets the mark and fills the small tables. `not_empty`: there are rows in them already; nothing was changed. */
  beginCopy(origin: CopyOrigin, tables: CopiedTables, counters: CopiedCounters): Promise<'begun' | 'not_empty'>;
  /**
   * Stores the offers, which are of one account, and moves the mark from where the caller takes it to be.
   * `overtaken`: it is elsewhere, because another copy is at work; nothing was changed.
   */
  writeOffers(from: CopyPlace, accountId: number, offers: readonly CopiedOffer[]): Promise<'stored' | 'overtaken'>;
  /** Takes the mark away: the store may be opened. */
  finishCopy(): Promise<void>;
  close(): Promise<void>;
}

/** What whoever opens a store with a mark is told. */
export function unfinishedCopyText(source: string): string {
  return `The copy from ${source} into this store is not finished: run "offerbook copy" again, or use another store.`;
}
