/** Port for the change history of offers. */
import type { Author } from '../../domain/author.ts';
import type { ChangeBy, OfferChange, UndoablePart } from '../../domain/offers/history.ts';
import type { SkuKey } from './offers.ts';

export interface HistoryPageRequest {
  /** The `next` of the previous page; undefined for the first page. */
  readonly after: number | undefined;
  readonly limit: number;
  /** Changes before this time are omitted, even if they are not dropped yet. */
  readonly sinceMs: number;
}

/** A page of changes, newest first. Large documents may end it early; `next` is undefined on the last page. */
export interface HistoryPage {
  readonly changes: readonly OfferChange[];
  readonly next: number | undefined;
}

/** The position of a record among the records of an account. */
export interface RecordPlace {
  /** Numbers the offers in order of first upload. */
  readonly offer: number;
  /** Orders the records of an offer by time. */
  readonly seq: number;
}

/** Some records of an account, by offer and then oldest first. The lists correspond by index. */
export interface RecordSizes {
  readonly offer: readonly number[];
  readonly seq: readonly number[];
  /** See `PART_CODES`. */
  readonly part: readonly number[];
  readonly atMs: readonly number[];
  readonly bytes: readonly number[];
  /** Where the next records start; undefined at the end. */
  readonly next: RecordPlace | undefined;
}

export interface HistorySize {
  /** At least the size of the history, with all bytes that were noted. */
  readonly bytes: number;
  /** Size of the account's offers when they were last measured; 0: never. */
  readonly offers_bytes: number;
}

/**
 * Every write that changes a part of an offer records author, time and the value before, in its own commit. A write that changes nothing
 * records nothing. All rows of one file that change a part are one change, even if they are written again after a crash.
 *
 * A group is a part of its parent. A change is also recorded for a parent that loses a child, or its whole group, to another group.
 */
export interface HistoryStore {
  /** Returns undefined for an unknown SKU. */
  readHistory(key: SkuKey, page: HistoryPageRequest): Promise<HistoryPage | undefined>;
  /** Returns the changes that `by` made to this part of these offers. Offers whose part `by` did not change are left out. */
  readChangesBy(
    accountId: number,
    by: Author,
    part: UndoablePart,
    skuIds: readonly string[],
  ): Promise<readonly ChangeBy[]>;
  /** Returns the stock that archiving set to 0. Leaves out offers that are not archived, or had no stock. */
  readArchivedStock(
    accountId: number,
    skuIds: readonly string[],
  ): Promise<readonly Pick<ChangeBy, 'skuId' | 'before'>[]>;
  /** Drops some records older than `beforeMs`, or some authors that no record names, in a few milliseconds. `more`: call it again. */
  dropHistory(beforeMs: number): Promise<'more' | 'done'>;
  /** Adds the bytes to the account's size, which other processes share. `offers_bytes`: 0 if they were not measured. */
  noteHistorySize(accountId: number, added: HistorySize): Promise<HistorySize>;
  /** Returns some of the account's records after this position; there may be none before the end. */
  readHistorySizes(accountId: number, after: RecordPlace): Promise<RecordSizes>;
  /** Returns the size of some of the account's offers after this one. `next`: the last one of them; undefined at the end. */
  readOffersSize(
    accountId: number,
    after: number,
  ): Promise<{ readonly bytes: number; readonly next: number | undefined }>;
  /** Drops these records. Returns the size of those that still existed. */
  dropRecords(accountId: number, records: readonly RecordPlace[]): Promise<number>;
}
