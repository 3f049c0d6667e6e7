/** Settings for a test database: a new folder and, for PostgreSQL, a new database. Both are removed afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../../src/store/postgres/testing/test-database.ts';

export type StoreKind = 'sqlite' | 'postgres';

/** Settings for a server or a command. */
export type StorePlace = Readonly<Record<string, string>> & { readonly DATA_DIR: string };

/** Database timeouts for tests that are not about timeouts, on a busy machine. */
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
      // A killed server may still be ending.
      await rm(DATA_DIR, { recursive: true, force: true, maxRetries: 20 });
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
