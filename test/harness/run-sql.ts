/** Runs a statement in the database of a test, even while a server has it open. */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/store/sqlite/engine/data-dir.ts';
import { selectColumn } from './postgres-place.ts';
import type { StorePlace } from './store-place.ts';

const BUSY_TIMEOUT_MS = 10_000;

/** Returns the first column of every row. */
export async function runSql(place: StorePlace, sql: string): Promise<unknown[]> {
  if (place.DATABASE_URL !== undefined) return selectColumn(place, sql);
  using database = new DatabaseSync(databaseFile(place.DATA_DIR), { timeout: BUSY_TIMEOUT_MS });
  return database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0]);
}
