/** Defines what moves and copies need from an engine: transactions, and writes of whole offers, which each stores differently. */
import type { CopiedCounters, CopiedMembership, CopiedOffer } from '../../port/copy.ts';
import type { Undoable } from '../command.ts';
import type { Sql, WriteSql } from '../sql.ts';

/** One snapshot of the database, unchanged while other processes write. */
export interface Moment {
  readonly sql: Sql;
  close(): Promise<void>;
}

export interface MoveEngine {
  /** A name for people to read, without secrets. */
  readonly name: string;
  /** Runs single statements. */
  readonly sql: Sql;
  readonly offers: WholeOffers;
  readonly counters: Counters;
  /** Runs a transaction, which stores nothing if it throws or its result is `undone`. */
  write<T>(work: (sql: WriteSql) => Promise<Undoable<T>>): Promise<T>;
  /** Resolves after the snapshot is taken. */
  openMoment(): Promise<Moment>;
  close(): Promise<void>;
}

/** Writes and erases whole offers. */
export interface WholeOffers {
  /** Returns the upload order of an imported offer; null if the database assigns it. */
  newOrder(number: number, index: number): number | null;
  /** Inserts offers, all due for review. Returns the id of an offer that exists already; the caller must undo the rest. */
  insert(sql: Sql, accountId: number, offers: readonly NewOffer[]): Promise<string | undefined>;
  /** Parents come first in each group. Returns the id of a member that is unknown or grouped already; the caller must undo the rest. */
  joinGroups(sql: Sql, accountId: number, members: readonly Member[], number: number): Promise<string | undefined>;
  /** Erases offers up to the upload order `upTo`, with their history and listing. Children of an erased parent are due for review. */
  erase(sql: WriteSql, accountId: number, upTo: number): Promise<readonly ErasedOffer[]>;
  /** Removes words of erased offers from the index for search, in steps; `more`: call it again. */
  eraseWords(sql: WriteSql): Promise<'more' | 'done'>;
}

export interface ErasedOffer {
  readonly skuId: string;
  readonly isParent: boolean;
  /** JSON text; null before the first review. */
  readonly evidence: string | null;
  /** Status of its listing; null: it had none. */
  readonly status: string | null;
  readonly subStatusBits: number;
}

export interface NewOffer extends Omit<CopiedOffer, 'order'> {
  readonly order: number | null;
}

export interface Member extends Omit<CopiedMembership, 'parentSkuId' | 'parentOrder'> {
  readonly skuId: string;
  readonly parent: string;
}

/** The highest numbers in use, which are never lowered. */
export interface Counters {
  read(sql: Sql): Promise<CopiedCounters>;
  raise(sql: Sql, counters: CopiedCounters): Promise<void>;
}
