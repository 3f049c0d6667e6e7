/** Runs the contract of the store port on the SQLite adapter. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { storeContract } from '../contract/store-contract.ts';
import { databaseFile } from './engine/data-dir.ts';
import { openForWriting } from './engine/engine.ts';
import { openSqliteCatalogClient, openSqliteCopyStore, openSqliteMoves, openSqliteStore } from './open.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

describe('SQLite store', () => {
  storeContract(async () => {
    const dataDir = temporaryDir();
    return {
      open: () => openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) }),
      openMoves: () => openSqliteMoves({ dataDir }),
      openCopy: () => openSqliteCopyStore({ dataDir }),
      openCatalogClient: () => openSqliteCatalogClient({ dataDir }),
      async clear(tables) {
        const connection = openForWriting(databaseFile(dataDir));
        connection.exec(`BEGIN IMMEDIATE; ${tables.map((table) => `DELETE FROM ${table};`).join(' ')} COMMIT`);
        connection.close();
      },
    };
  });
});
