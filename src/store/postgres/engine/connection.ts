/** The interfaces of connections to PostgreSQL, of transactions on them, and their deadlines by `performance.now()`. */

import { StoreUnavailableError } from '../../port/errors.ts';
import type { Sql, Statement } from '../../shared/sql.ts';

export type Rows = readonly (readonly unknown[])[];

/** Calls that do not wait for each other travel together and are run in the order of the calls. */
export type Connection = Sql;

/** One connection, for what lives as long as that: session locks, and scripts of several statements. */
export interface HeldConnection extends Connection {
  /** All of the text or, when a statement of it fails, nothing. */
  runScript(text: string): Promise<void>;
}

export interface Command {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

export interface TransactionOptions {
  /** READ COMMITTED unless told otherwise. */
  readonly isolation?: 'repeatable read';
  readonly readOnly?: boolean;
  /** By `performance.now()`; without one the call has the whole time that calls have. */
  readonly deadlineMs?: number;
  /** Of all statements, where they are of one account. */
  readonly accountId?: number | undefined;
}

/** For a timer. Never negative: timers warn of that, and run all the same. */
export function timeLeftMs(deadlineMs: number): number {
  return Math.max(0, deadlineMs - performance.now());
}

/** What is late must not begin: it would take a connection, and those who share that along when it is given up. */
export function requireTimeLeft(deadlineMs: number): void {
  if (performance.now() >= deadlineMs) throw new StoreUnavailableError('What came before this took all of its time.');
}
