/** A connection to SQLite. No other file imports `node:sqlite`. */
import {
  backup,
  DatabaseSync,
  type DatabaseSyncOptions,
  type SQLInputValue,
  type StatementResultingChanges,
} from 'node:sqlite';
import { type Sql, STORE_MS, type Statement, type WriteSql } from '../../shared/sql.ts';

/** A prepared statement whose rows are tuples: building an object for each row costs more than reading it. */
export interface Query<Row extends readonly unknown[] = never> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  run(...values: SQLInputValue[]): StatementResultingChanges;
}

export type ConnectionOptions = DatabaseSyncOptions;
export type OnCopyProgress = (pagesDone: number, pages: number) => void;

/** Large enough that steps cost little compared to copying, small enough for a smooth progress bar. */
const COPY_STEP_PAGES = 512;

export class Connection extends DatabaseSync {
  /** Shared statements, each prepared once. */
  readonly #prepared = new Map<Statement, Query<readonly unknown[]>>();

  query<Row extends readonly unknown[] = never>(text: string): Query<Row> {
    const statement = this.prepare(text);
    statement.setReturnArrays(true);
    return statement as unknown as Query<Row>;
  }

  /** Runs a shared statement. */
  run<Row extends readonly unknown[]>(statement: Statement<Row>, values: readonly unknown[] = []): readonly Row[] {
    let made = this.#prepared.get(statement);
    if (made === undefined) {
      made = this.query<readonly unknown[]>(textOf(statement));
      this.#prepared.set(statement, made);
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

  /** Copies what the open transaction sees. Without a transaction, each concurrent write would restart the copy. */
  async copyTo(file: string, onProgress: OnCopyProgress): Promise<void> {
    if (!this.isTransaction) throw new Error('A copy needs an open transaction.');
    await backup(this, file, {
      rate: COPY_STEP_PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  }
}

/** The machine's own clock: no other machine has the database open. Constant throughout a statement. */
const SQLITE_STORE_MS = `CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`;

/** Leaves out row locks: there is one writer. */
export function textOf({ text, sqliteText = text, rowText = sqliteText }: Statement): string {
  const unlocked = rowText.replace(/ FOR (?:UPDATE|KEY SHARE)$/, '');
  return unlocked.replaceAll(STORE_MS, SQLITE_STORE_MS).replaceAll(/\$(\d+)/g, '?$1');
}

/** A statement runs synchronously; its promise is settled when the call returns. */
export function sqlOn(connection: Connection): Sql {
  return { run: async (statement, values) => connection.run(statement, values) };
}

export function writeSqlOn(connection: Connection, numbers: { drawApart(): number }): WriteSql {
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
