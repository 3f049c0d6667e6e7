/**
 * In charge of where the store of a test is: the settings that lead to a new folder and, for PostgreSQL, to a new
 * database. Both are gone afterwards.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../../src/store/postgres/testing/test-database.ts';

export type StoreKind = 'sqlite' | 'postgres';

/** Settings, as a start or a command takes them. */
export type StorePlace = Readonly<Record<string, string>> & { readonly DATA_DIR: string };

/**
 * Settings for tests that are about something else than limits of time: what a database needs on a machine that is busy with
 * other things.
 */
export const PATIENCE = {
  DATABASE_CALL_MS_MAX: '60000',
  DATABASE_STATEMENT_MS_MAX: '50000',
  DATABASE_LOCK_MS_MAX: '40000',
} as const;

export async function createPlace(
  store: StoreKind,
  createDatabase = createTestDatabase,
): Promise<{ place: StorePlace; remove(): Promise<void> }> {
  const DATA_DIR = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  const database = store === 'postgres' ? await createDatabase() : undefined;
  return {
    place: database === undefined ? { DATA_DIR } : { DATA_DIR, DATABASE_URL: database.url, ...PATIENCE },
    async remove() {
      await database?.drop();
      await rm(DATA_DIR, { recursive: true, force: true });
    },
  };
}

export async function withPlace(store: StoreKind, run: (place: StorePlace) => Promise<void>): Promise<void> {
  const { place, remove } = await createPlace(store);
  try {
    await run(place);
  } finally {
    await remove();
  }
}
