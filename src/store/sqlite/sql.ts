/** Runs shared statements on a SQLite connection, each prepared once for the connection. */
import type { Sql, Statement, WriteSql } from '../shared/sql.ts';
import { STORE_MS } from '../shared/store-time.ts';
import { type Connection, type Query, query } from './engine.ts';
import type { WriteNumbers } from './write-numbers.ts';

/** The system's clock, as of `Date.now`. */
const SQLITE_MS = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";

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
    made = query<readonly unknown[]>(connection, sqliteText(statement));
    queries.set(statement, made);
  }
  return (made as Query<Row>).all(...(values as never[]));
}

export function sqliteText({ text }: Statement): string {
  return text.replaceAll(STORE_MS, SQLITE_MS).replaceAll(/\$(\d+)/g, '?$1');
}

/** A statement runs where it is called, and its promise is settled when the call returns. */
export function sqlOn(connection: Connection): Sql {
  return { run: async (statement, values) => runStatement(connection, statement, values) };
}

export function writeSqlOn(connection: Connection, numbers: WriteNumbers): WriteSql {
  return { ...sqlOn(connection), drawNumber: async () => numbers.drawApart() };
}
