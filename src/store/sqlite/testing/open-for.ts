/** Opens SQLite stores for tests, and closes each store when its test ends, passed or failed. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { SetupStore, Store } from '../../port.ts';
import type { SqliteStoreOptions } from '../open.ts';
import { openSqliteSetupStore, openSqliteStore } from '../open.ts';
import { temporaryDir } from './temporary-dir.ts';

/** Opens a store, in a new folder by default. A thread that dies fails the test unless `onFatal` is given. */
export async function openStoreFor(test: TestContext, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ dataDir: temporaryDir(), onFatal: (error) => assert.fail(error), ...options });
  test.after(() => store.close());
  return store;
}

export async function openSetupFor(test: TestContext, dataDir: string): Promise<SetupStore> {
  const store = await openSqliteSetupStore({ dataDir });
  test.after(() => store.close());
  return store;
}
