/** Defines commands and transactions, and checks deadlines, which are times of `performance.now()`. */
import type { EventBatch } from '../../../domain/events.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Sql, Statement } from '../../shared/sql.ts';

export type Rows = readonly (readonly unknown[])[];

/** Statements can be sent before earlier ones have returned; the server runs them in the order of the calls. */
export type Connection = Sql;

export interface Command {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  /** The events of the rows that the command returned, unless the statement adds them itself (see history/event-commands.ts). */
  readonly events?: (rows: Rows) => readonly EventBatch[];
}

export interface TransactionOptions {
  /** Default: READ COMMITTED. */
  readonly isolation?: 'repeatable read';
  readonly readOnly?: boolean;
  /** The account that all statements concern, if there is only one. */
  readonly accountId?: number | undefined;
  /** Default: the usual call timeout, from now. */
  readonly deadlineMs?: number | undefined;
}

/** Returns the time until the deadline; never negative, because Node warns about negative timeouts. */
export function timeLeftMs(deadlineMs: number): number {
  return Math.max(0, deadlineMs - performance.now());
}

/** Throws if the deadline has passed. A call that starts late would occupy a connection, and fail the calls that share it. */
export function requireTimeLeft(deadlineMs: number): void {
  if (performance.now() >= deadlineMs)
    throw new StoreUnavailableError('The deadline of the call passed before it started.');
}
