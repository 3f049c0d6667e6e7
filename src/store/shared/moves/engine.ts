/** What moves and copies ask of an engine: transactions, and whole offers, which each engine stores in its own way. */
import type { CopiedCounters, CopiedOffer } from '../../port/copy.ts';
import type { GroupRecord } from '../../port/moves.ts';
import type { Outcome } from '../command.ts';
import type { Sql, WriteSql } from '../sql.ts';

/** One state of the database, which stays as it was while others write. */
export interface Moment {
  readonly sql: Sql;
  close(): Promise<void>;
}

export interface MoveEngine {
  /** For people; without secrets. */
  readonly name: string;
  /** For single statements. */
  readonly sql: Sql;
  readonly offers: WholeOffers;
  readonly counters: Counters;
  /** A transaction. It stores all of what it wrote, or nothing where it throws or its result is `undone`. */
  write<T>(work: (sql: WriteSql) => Promise<Outcome<T>>): Promise<T>;
  /** The moment is taken before it resolves. */
  openMoment(): Promise<Moment>;
  /** The time by which leases last: the database's own, where several machines use it. */
  readNowMs(sql: Sql): Promise<number>;
  /** Keeps the account from being erased until the end of the transaction; false where there is none. */
  holdAccount(sql: Sql, accountId: number): Promise<boolean>;
  /** In transactions of about that time, each of which calls `permit` first. */
  eraseOffers(
    accountId: number,
    upTo: number,
    slice_ms_max: number,
    permit: (sql: Sql) => Promise<void>,
  ): Promise<{ skus: number; more: boolean }>;
  close(): Promise<void>;
}

/** The one reader and the one writer of whole offers. */
export interface WholeOffers {
  count(sql: Sql, accountId: number): Promise<number>;
  /** The last one by order of first upload; 0 when there is none. */
  readLast(sql: Sql, accountId: number): Promise<number>;
  /** The next ones behind `after`, in their order. */
  read(sql: Sql, accountId: number, after: number, limit: number): Promise<CopiedOffer[]>;
  /** The next ones behind `after`, in order of their parents. */
  readGroups(sql: Sql, accountId: number, after: number, limit: number): Promise<OrderedGroup[]>;
  /** The order of an offer that was uploaded at that place of that write; null where the database gives it. */
  newOrder(number: number, place: number): number | null;
  /** All are due for review. Returns the id of an offer that the account has already, where the rest must be undone. */
  insert(sql: Sql, accountId: number, offers: readonly NewOffer[]): Promise<string | undefined>;
  /** The parent first in each group. Returns the id of a member that is unknown or grouped already, where the rest must be undone. */
  joinGroups(sql: Sql, accountId: number, members: readonly Member[], number: number): Promise<string | undefined>;
}

export interface NewOffer extends Omit<CopiedOffer, 'order'> {
  readonly order: number | null;
}

type OrderedGroup = readonly [order: number, group: GroupRecord];

export interface Member {
  readonly skuId: string;
  readonly parent: string;
  /** 0 for the parent, which has refinements, and a title perhaps. */
  readonly position: number;
  readonly refinements: string | null;
  readonly title: string | null;
}

/** What the database has given out; none goes back. */
export interface Counters {
  read(sql: Sql): Promise<CopiedCounters>;
  raise(sql: Sql, counters: CopiedCounters): Promise<void>;
}
