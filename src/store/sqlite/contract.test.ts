/** Runs the contract tests for the store port on the SQLite adapter. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { storeContract } from '../contract/store-contract.ts';
import { databaseFile } from './engine/data-dir.ts';
import { openForWriting } from './engine/engine.ts';
import { openSqliteCopyStore, openSqliteMoves, openSqliteSetupStore, openSqliteStore } from './open.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

describe('SQLite store', () => {
  storeContract(async () => {
    const dataDir = temporaryDir();
    let emptyTables: readonly string[] | undefined;
    return {
      open: () => openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) }),
      openMoves: () => openSqliteMoves({ dataDir }),
      openCopy: () => openSqliteCopyStore({ dataDir }),
      openSetup: () => openSqliteSetupStore({ dataDir }),
      async clear() {
        const connection = openForWriting(databaseFile(dataDir));
        emptyTables ??= connection
          .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'offer\\_words%' ESCAPE '\\'`)
          .all()
          .map(({ name }) => String(name))
          .filter((table) => connection.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined);
        connection.exec(
          `BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON; ${emptyTables.map((table) => `DELETE FROM ${table};`).join(' ')} COMMIT`,
        );
        connection.close();
      },
    };
  });
});
