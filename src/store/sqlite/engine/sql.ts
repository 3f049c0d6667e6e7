/** Runs shared statements on a SQLite connection, each prepared once for the connection. */
import { type Sql, STORE_MS, type Statement, type WriteSql } from '../../shared/sql.ts';
import { type Connection, type Query, query } from './engine.ts';
import type { WriteNumbers } from './write-numbers.ts';

/** The machine's own clock: no other machine has the database open. Constant throughout a statement. */
const SQLITE_STORE_MS = `CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`;

const prepared = new WeakMap<Connection, Map<Statement, Query<readonly unknown[]>>>();

export function runStatement<Row extends readonly unknown[]>(
  connection: Connection,
  statement: Statement<Row>,
  values: readonly unknown[] = [],
): readonly Row[] {
  let queries = prepared.get(connection);
  if (queries === undefined) {
    queries = new Map();
    prepared.set(connection, queries);
  }
  let made = queries.get(statement);
  if (made === undefined) {
    made = query<readonly unknown[]>(connection, textOf(statement));
    queries.set(statement, made);
  }
  const one = made as Query<Row>;
  if (statement.sqliteText !== undefined) {
    return one.all(...(values.map((value) => (Array.isArray(value) ? JSON.stringify(value) : value)) as never[]));
  }
  if (statement.rowText === undefined) return one.all(...(values as never[]));
  const rows = values.find((value) => Array.isArray(value))?.length ?? 0;
  return Array.from({ length: rows }, (_, row) =>
    one.all(...(values.map((value) => (Array.isArray(value) ? value[row] : value)) as never[])),
  ).flat();
}

/** Leaves out row locks: there is one writer. */
export function textOf({ text, sqliteText = text, rowText = sqliteText }: Statement): string {
  const unlocked = rowText.replace(/ FOR (?:UPDATE|KEY SHARE)$/, '');
  return unlocked.replaceAll(STORE_MS, SQLITE_STORE_MS).replaceAll(/\$(\d+)/g, '?$1');
}

/** A statement runs synchronously; its promise is settled when the call returns. */
export function sqlOn(connection: Connection): Sql {
  return { run: async (statement, values) => runStatement(connection, statement, values) };
}

export function writeSqlOn(connection: Connection, numbers: WriteNumbers): WriteSql {
  return {
    ...sqlOn(connection),
    drawNumber: async () => numbers.drawApart(),
    isSoleWriter: true,
    lock: async () => Date.now(),
  };
}

/** A statement that is not listed, because PostgreSQL does not run it. */
export function sqliteStatement<Row extends readonly unknown[]>(text: string): Statement<Row> {
  return Object.freeze({ name: text, text });
}
