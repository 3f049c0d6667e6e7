/**
 * Defines SQL statements for both engines, and the connection that shared commands run them on.
 *
 * A connection prepares a statement once, under its name. All statements are listed, so that tests can check each text against
 * the rules of a distributed database and run it on both engines.
 */

import { columnsIn, primaryKeyOf } from './schema/columns.ts';

/** The columns of one row, as a tuple. */
type AnyRow = readonly unknown[];

export interface Statement<Row extends AnyRow = AnyRow> {
  readonly name: string;
  /** The SQL, with `$1` placeholders. */
  readonly text: string;
  /** SQLite runs this instead (see `engineStatement`). */
  readonly sqliteText?: string;
  /** SQLite runs this for each row instead (see `rowsStatement`). */
  readonly rowText?: string;
  /** Exists only in types: without it the compiler would lose `Row`. */
  readonly row?: Row;
}

export interface Sql {
  run<Row extends AnyRow>(statement: Statement<Row>, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** SQL inside a write transaction. */
export interface WriteSql extends Sql {
  /** Draws a new sequence number. Later writes of any process get a higher one. */
  drawNumber(): Promise<number>;
  /** Whether no other transaction can write before this one ends, as on SQLite. */
  readonly isSoleWriter: boolean;
  /** Takes a lock until the transaction ends, and returns the database's time. SQLite has one writer and needs no locks. */
  lock(key: number): Promise<number>;
}

/**
 * The current time in the text of a statement, for leases. On PostgreSQL it is the database's, because clocks of machines
 * differ; SQLite replaces this text (sqlite/engine/connection.ts).
 *
 * It is the start time of the statement, because a constant can be looked up in an index. After waiting for a lock it lies in
 * the past, so existing leases seem longer and new ones are shorter. Both are safe.
 */
export const STORE_MS = 'floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint';

const listed = new Map<string, Statement>();

/** Filled as the modules with statements are loaded. */
export const STATEMENTS: ReadonlyMap<string, Statement> = listed;

/** Takes the text as a template: statement('read size')`SELECT ...`. */
type Tag<Row extends AnyRow> = (text: TemplateStringsArray, ...parts: readonly (string | number)[]) => Statement<Row>;

export function statement<Row extends AnyRow = never>(name: string): Tag<Row> {
  return (text, ...parts) => add({ name, text: textOf(text, parts) });
}

function textOf(text: TemplateStringsArray, parts: readonly (string | number)[]): string {
  return String.raw({ raw: text }, ...parts).trimStart();
}

/** A statement on tables that differ between the engines. SQLite gets a list as JSON text, for `json_each`. */
export function engineStatement<Row extends AnyRow = never>(
  name: string,
  text: string,
  sqliteText: string,
): Statement<Row> {
  return add({ name, text, sqliteText });
}

/**
 * A statement for many rows. PostgreSQL runs `text` once, with lists as columns for `unnest` or `ANY`. SQLite, where a statement
 * costs microseconds, runs `rowText` for each row: a placeholder stands for the row's item of a list, or for the value itself.
 *
 * Without `rowText`, called as a template: an item replaces `ANY` of its list, or its column of `unnest(...) AS i (...)`.
 */
export function rowsStatement<Row extends AnyRow = never>(name: string): Tag<Row>;
export function rowsStatement<Row extends AnyRow = never>(name: string, text: string, rowText: string): Statement<Row>;
export function rowsStatement(name: string, text?: string, rowText?: string): Tag<AnyRow> | Statement {
  if (text !== undefined && rowText !== undefined) return add({ name, text, rowText });
  return (template, ...parts) => {
    const joined = textOf(template, parts);
    return add({ name, text: joined, rowText: textForRow(joined) });
  };
}

function textForRow(text: string): string {
  const [, lists = '', columns = ''] = /unnest\((.*?)\) AS i \((.*?)\)/.exec(text) ?? [];
  const placeholders = lists.split(', ');
  const itemOf = new Map(columns.split(', ').map((column, index) => [column, placeholders[index] ?? '']));
  return text
    .replace(/FROM unnest\(.*?\) AS i \(.*?\)\s+JOIN (.*?) ON/, 'FROM $1 WHERE')
    .replace(/(FROM|USING) unnest\(.*?\) AS i \(.*?\)/, '')
    .replaceAll(/\bi\.(\w+)/g, (_, column: string) => itemOf.get(column) ?? '')
    .replaceAll(/= ANY \((.*?)\)/g, '= $1')
    .replaceAll(/(\$\d+)::\w+(?:\[\])?/g, '$1')
    .replaceAll('GREATEST(', 'max(')
    .replaceAll('LEAST(', 'min(');
}

/**
 * A statement that inserts into a shared table. The values are one for each of `columns`, then a list for each column of `ofRow`; without
 * `ofRow`, it inserts one row. Rows are inserted in one order, so that concurrent inserts do not deadlock. `ending` says what to do with
 * a row whose primary key exists, where `REPLACE` sets its other columns, or what to return.
 */
export function insertStatement<Row extends AnyRow = []>(
  name: string,
  table: string,
  columns: readonly string[],
  ending: '' | 'REPLACE' | 'DO NOTHING' | `DO UPDATE ${string}` | `RETURNING ${string}` = '',
  ofRow: readonly string[] = [],
): Statement<Row> {
  const all = [...columns, ...ofRow];
  const into = `INSERT INTO ${table} (${all.join(', ')})`;
  const end = endingOf(table, all, ending);
  const text = `${into} VALUES (${all.map((_, index) => `$${index + 1}`).join(', ')}) ${end}`;
  if (ofRow.length === 0) return add({ name, text });
  const typeOf = new Map(columnsIn(table).map((column) => [column.name, column.type]));
  const cast = all.map((column, index) => `$${index + 1}::${typeOf.get(column)}`);
  const lists = cast.slice(columns.length).map((list) => `${list}[]`);
  return rowsStatement(
    name,
    `${into} SELECT ${[...cast.slice(0, columns.length), ...ofRow].join(', ')}
     FROM unnest(${lists.join(', ')}) AS i (${ofRow.join(', ')}) ORDER BY ${ofRow.join(', ')} ${end}`,
    text,
  );
}

function endingOf(table: string, columns: readonly string[], ending: string): string {
  if (!ending.startsWith('DO ') && ending !== 'REPLACE') return ending;
  const keys = primaryKeyOf(table);
  const others = columns.filter((column) => !keys.split(', ').includes(column));
  const replace = `DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  return `ON CONFLICT (${keys}) ${ending === 'REPLACE' ? replace : ending}`;
}

/** Returns the values of each field as a list, for a statement for many rows. */
export function listsOf<Row>(rows: readonly Row[], ...fields: readonly (keyof Row)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]));
}

/** Runs one statement, whose values are the arguments. */
type RunStatement<T> = (sql: Sql, ...values: readonly unknown[]) => Promise<T>;

export function rowsOf<Row extends AnyRow, T>(statement: Statement<Row>, of: (row: Row) => T): RunStatement<T[]> {
  return async (sql, ...values) => (await sql.run(statement, values)).map((row) => of(row));
}

/** Returns undefined if the statement finds no row. */
export function firstOf<Row extends AnyRow, T>(statement: Statement<Row>, of: (row: Row) => T) {
  return async (...run: Parameters<RunStatement<T>>) => (await rowsOf(statement, of)(...run))[0];
}

/** Returns the number in the first row; 0 if it is null, or there is no row. */
export function numberOf(statement: Statement<[number | null]>): RunStatement<number> {
  return async (sql, ...values) => (await sql.run(statement, values))[0]?.[0] ?? 0;
}

/** Returns the time of the store's clock (see `STORE_MS`). */
export const readStoreMs: (sql: Sql) => Promise<number> = numberOf(statement('read time')`SELECT ${STORE_MS}`);

/** Returns whether the statement finds or changes a row. */
export function isFound(statement: Statement): RunStatement<boolean> {
  return async (sql, ...values) => (await sql.run(statement, values)).length > 0;
}

/** Returns nothing. */
export function runOnly(statement: Statement<[]>): RunStatement<void> {
  return async (sql, ...values) => void (await sql.run(statement, values));
}

/**
 * Deletes at most `rows_max` of the rows of a shared table that `which` selects, so that the step is short. Returns whether some may be
 * left. `which` ends with an order: every copy of a table on Citus must delete the same rows.
 */
export function dropSome(name: string, table: string, which: string, rows_max = 200): RunStatement<boolean> {
  const key = primaryKeyOf(table);
  const drop = statement<[one: number]>(name)`
    DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${which} LIMIT ${rows_max}) RETURNING 1`;
  return async (sql, ...values) => (await sql.run(drop, values)).length === rows_max;
}

function add<Row extends AnyRow>(made: Statement<Row>): Statement<Row> {
  if (listed.has(made.name)) throw new Error(`Two statements have the name ${made.name}.`);
  listed.set(made.name, Object.freeze(made));
  return made;
}
