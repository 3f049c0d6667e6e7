/** Runs the contract tests for the store port on the PostgreSQL adapter. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Client } from 'pg';
import { isRun, type Scope } from '../../../test/harness/scope.ts';
import { eventChangesContract } from '../contract/event-changes-contract.ts';
import { exceptionsContract } from '../contract/exceptions-contract.ts';
import { feedContract, feedRaceContract } from '../contract/feed-contract.ts';
import { fileRowsContract } from '../contract/file-rows-contract.ts';
import { groupContract } from '../contract/group-contract.ts';
import { historyContract } from '../contract/history-contract.ts';
import { historyOfFilesContract } from '../contract/history-of-files-contract.ts';
import { inventoryContract } from '../contract/inventory-contract.ts';
import { moveContract } from '../contract/move-contract.ts';
import { numberContract } from '../contract/number-contract.ts';
import { priceContract } from '../contract/price-contract.ts';
import { skuContract } from '../contract/sku-contract.ts';
import { storeContract } from '../contract/store-contract.ts';
import { type CreateDatabase, clearedStores, sharedStore } from '../contract/subject.ts';
import { STATEMENTS } from '../shared/sql.ts';
import type { DatabaseOptions } from './engine/engine.ts';
import { openPostgresCopyStore, openPostgresMoves, openPostgresSetupStore, openPostgresStore } from './open.ts';
import { postgresSkipped } from './testing/availability.ts';
import { createReadyDatabase, PATIENCE } from './testing/test-database.ts';

const LOADED = [...STATEMENTS.keys()];

/** Connections that clear databases. Connecting for each statement, and truncating, took ten times as much CPU time. */
const clients: Client[] = [];
after(() => Promise.all(clients.map((client) => client.end())));

function createDatabase(options: Partial<DatabaseOptions> = {}): CreateDatabase {
  return async () => {
    const { url } = await createReadyDatabase();
    let clear: (() => Promise<void>) | undefined;
    return {
      open: () => openPostgresStore({ url, ...PATIENCE, ...options }),
      openMoves: () => openPostgresMoves({ url, ...PATIENCE, ...options }),
      openCopy: () => openPostgresCopyStore({ url, ...PATIENCE, ...options }),
      openSetup: () => openPostgresSetupStore({ url, ...PATIENCE }),
      async clear() {
        clear ??= await connectToClear(url);
        await clear();
      },
    };
  };
}

async function connectToClear(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  // Dropping the database ends the connection.
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  // A table is newer than those that its foreign keys reference, so its rows are deleted first.
  const { rows } = await client.query<{ tables: string[] }>(
    `SELECT array_agg(relname::text ORDER BY oid DESC) AS tables FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
  );
  const allTables = rows[0]?.tables ?? [];
  const text = allTables
    .map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM ${table})`)
    .join(' UNION ALL ');
  const tablesWithRows = async () =>
    new Set((await client.query<{ name: string }>({ name: 'tables with rows', text })).rows.map(({ name }) => name));
  const filledAtFirst = await tablesWithRows();
  const emptyTables = allTables.filter((table) => !filledAtFirst.has(table));
  return async () => {
    const filled = await tablesWithRows();
    const cleared = emptyTables.filter((table) => filled.has(table));
    if (cleared.length > 0) await client.query(cleared.map((table) => `DELETE FROM ${table}`).join(';'));
  };
}

function skippedIn(scope: Scope): string | false {
  return isRun(scope) ? postgresSkipped() : `one of the ${scope} tests`;
}

describe('PostgreSQL store', { skip: skippedIn('usual') }, () => {
  storeContract(createDatabase());

  it('builds no SQL text at run time, which the SQL rules would not check', () => {
    assert.deepEqual([...STATEMENTS.keys()], LOADED);
  });
});

describe('PostgreSQL store that records writes as on Citus', { skip: skippedIn('long') }, () => {
  const create = createDatabase({ splitsWrites: true });
  const store = sharedStore(create);
  const emptied = clearedStores(create);
  skuContract(store);
  priceContract(store);
  inventoryContract(store);
  exceptionsContract(store);
  groupContract(store);
  numberContract(store, emptied, create);
  fileRowsContract(store);
  historyContract(store, emptied);
  historyOfFilesContract(store);
  feedContract(store);
  eventChangesContract(store);
  feedRaceContract(emptied);
  moveContract(emptied);
});
