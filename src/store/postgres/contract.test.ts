/** Holds the PostgreSQL adapter to the contract of the store port. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeContract } from '../contract/store-contract.ts';
import { openPostgresCopyStore, openPostgresMoves, openPostgresStore } from './open.ts';
import { STATEMENTS } from './statements.ts';
import { postgresSkipped } from './testing/availability.ts';
import { createReadyDatabase, PATIENCE } from './testing/test-database.ts';

const LOADED = [...STATEMENTS.keys()];

describe('PostgreSQL store', { skip: postgresSkipped() }, () => {
  storeContract(async () => {
    const { url } = await createReadyDatabase();
    return {
      open: () => openPostgresStore({ url, ...PATIENCE }),
      openMoves: () => openPostgresMoves({ url, ...PATIENCE }),
      openCopy: () => openPostgresCopyStore({ url, ...PATIENCE }),
      // As open-store.ts does: any number of processes may have the whole store open.
      openDesk: () => openPostgresStore({ url, ...PATIENCE }),
    };
  });

  it('makes no text of SQL as it runs, which the rules for SQL would not see', () => {
    assert.deepEqual([...STATEMENTS.keys()], LOADED);
  });
});
