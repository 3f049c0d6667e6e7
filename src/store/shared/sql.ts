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
  /** SQLite runs this for each row instead (see `rowsStatement`). */
  readonly rowText?: string;
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
  /** No other transaction writes before this one ends, as on SQLite. */
  readonly isSoleWriter: boolean;
  /**
   * Waits until no other transaction holds this lock, and holds it until this one ends. Returns the store's time then. SQLite has
   * one writer, which needs no locks.
   */
  lock(key: number): Promise<number>;
}

/**
 * The time for leases, in the text of a statement. On PostgreSQL it is that of the database, because machines do not agree
 * on it; SQLite replaces this text by its own (sqlite/engine/sql.ts).
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
  return add({ name, text });
}

/**
 * A statement for many rows. PostgreSQL runs `text` once, whose lists are columns for `unnest` or `ANY`. SQLite, where a
 * statement costs microseconds, runs `rowText` for each row, whose placeholders are the same values: of a list the one of the
 * row, of anything else the value itself.
 */
export function rowsStatement<Row extends readonly unknown[] = never>(
  name: string,
  text: string,
  rowText: string,
): Statement<Row> {
  return add({ name, text, rowText });
}

function add<Row extends readonly unknown[]>(made: Statement<Row>): Statement<Row> {
  if (listed.has(made.name)) throw new Error(`Two statements have the name ${made.name}.`);
  listed.set(made.name, Object.freeze(made));
  return made;
}
