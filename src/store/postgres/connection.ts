/** In charge of what the files of this room ask of a connection, whoever holds it. */
import type { Statement } from './statements.ts';

export type Rows = readonly (readonly unknown[])[];

export interface Connection {
  /** Calls that do not wait for each other travel together and are run in the order of the calls. */
  run<Row extends readonly unknown[]>(statement: Statement<Row>, values?: readonly unknown[]): Promise<readonly Row[]>;
}

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
}
