/** Runs the contract tests for the store port on the PostgreSQL adapter. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
import { administer } from './testing/administer.ts';
import { postgresSkipped } from './testing/availability.ts';
import { createReadyDatabase, PATIENCE } from './testing/test-database.ts';

const LOADED = [...STATEMENTS.keys()];

function createDatabase(options: Partial<DatabaseOptions> = {}): CreateDatabase {
  return async () => {
    const { url } = await createReadyDatabase();
    let emptyTables: readonly string[] | undefined;
    return {
      open: () => openPostgresStore({ url, ...PATIENCE, ...options }),
      openMoves: () => openPostgresMoves({ url, ...PATIENCE, ...options }),
      openCopy: () => openPostgresCopyStore({ url, ...PATIENCE, ...options }),
      openSetup: () => openPostgresSetupStore({ url, ...PATIENCE }),
      async clear(tables) {
        const withoutRows = await tablesWithoutRows(url);
        emptyTables ??= withoutRows;
        // Truncating an empty table replaces its files too, and there are more than a hundred.
        const filled = (tables ?? emptyTables).filter((table) => !withoutRows.includes(table));
        if (filled.length > 0) await administer(url, `TRUNCATE ${filled.join()} CASCADE`);
      },
    };
  };
}

function skippedIn(scope: Scope): string | false {
  return isRun(scope) ? postgresSkipped() : `one of the ${scope} tests`;
}

async function tablesWithoutRows(url: string): Promise<readonly string[]> {
  const tables = await administer(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
  const checks = tables.map(({ tablename }) => {
    return `SELECT '${tablename}' AS name WHERE NOT EXISTS (SELECT 1 FROM ${tablename})`;
  });
  return (await administer(url, checks.join(' UNION ALL '))).map(({ name }) => String(name));
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
  historyContract(store, create);
  historyOfFilesContract(store);
  feedContract(store);
  eventChangesContract(store);
  feedRaceContract(emptied);
  moveContract(emptied);
});
