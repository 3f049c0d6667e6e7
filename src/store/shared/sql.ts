/**
 * SQL as shared commands see it: named statements, and the connection that runs them on either engine.
 *
 * A connection prepares a statement once, under its name. All statements are listed, so that tests can hold each text to
 * the rules of a distributed database and run it on both engines.
 */

/** `Row` is the tuple of columns of one row. */
export interface Statement<Row extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  /** With `$1` placeholders. */
  readonly text: string;
  /** Exists only in types: without it the compiler would lose `Row`. */
  readonly row?: Row;
}

export interface Sql {
  run<Row extends readonly unknown[]>(statement: Statement<Row>, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Inside a write transaction. */
export interface WriteSql extends Sql {
  /** A sequence number that no write has; later writes of any process get a higher one. */
  drawNumber(): Promise<number>;
}

/**
 * The time for leases, in the text of a statement. On PostgreSQL it is that of the database, because machines do not agree
 * on it; SQLite replaces this text by its own (sqlite/sql.ts).
 *
 * The time at which a statement began, and not that of each row: a time that is the same throughout a statement can be
 * looked up in an index. A statement that waited for a lock has a time in the past then, by which leases seem to last
 * longer and new ones are shorter; both are on the safe side.
 */
export const STORE_MS = 'floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint';

const listed = new Map<string, Statement>();

/** Filled as the modules that hold statements are loaded. */
export const STATEMENTS: ReadonlyMap<string, Statement> = listed;

export function statement<Row extends readonly unknown[] = never>(name: string, text: string): Statement<Row> {
  if (listed.has(name)) throw new Error(`Two statements have the name ${name}.`);
  const made: Statement<Row> = Object.freeze({ name, text });
  listed.set(name, made);
  return made;
}
