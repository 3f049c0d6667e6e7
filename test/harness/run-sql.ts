/** Runs a statement in the database of a test, even while a server has it open. */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/store/sqlite/engine/data-dir.ts';
import { selectColumn } from './postgres-place.ts';
import type { StorePlace } from './store-place.ts';
import { waitUntil } from './wait-until.ts';

const BUSY_TIMEOUT_MS = 10_000;
const WAIT_MS_MAX = 60_000;

/** Returns the first column of every row. */
export async function runSql(place: StorePlace, sql: string): Promise<unknown[]> {
  if (place.DATABASE_URL !== undefined) return selectColumn(place, sql);
  using database = new DatabaseSync(databaseFile(place.DATA_DIR), { timeout: BUSY_TIMEOUT_MS });
  return database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0]);
}

/** Waits until PostgreSQL has finished the statements that a stopped process had sent. */
export function statementsEnded(place: StorePlace): Promise<void> {
  return noneOf(place, "state = 'active'");
}

/** Waits until PostgreSQL has closed the connections of a killed process. */
export function disconnected(place: StorePlace): Promise<void> {
  return noneOf(place, 'true');
}

async function noneOf(place: StorePlace, condition: string): Promise<void> {
  if (place.DATABASE_URL === undefined) return;
  await waitUntil('other connections to end', WAIT_MS_MAX, async () => {
    const others = `datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`;
    const open = await runSql(place, `SELECT pid FROM pg_stat_activity WHERE ${others}`);
    return open.length === 0 ? true : undefined;
  });
}
