/** Holds the PostgreSQL adapter to the contract of the store port. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeContract } from '../contract/store-contract.ts';
import { openPostgresCopyStore, openPostgresMoves, openPostgresStore } from './open.ts';
import { STATEMENTS } from './statements.ts';
import { postgresSkipped } from './testing/availability.ts';
import { createTestDatabase } from './testing/test-database.ts';

const LOADED = [...STATEMENTS.keys()];

describe('PostgreSQL store', { skip: postgresSkipped() }, () => {
  storeContract(async () => {
    const { url } = await createTestDatabase();
    return {
      open: () => openPostgresStore({ url }),
      openMoves: () => openPostgresMoves({ url }),
      openCopy: () => openPostgresCopyStore({ url }),
    };
  });

  it('makes no text of SQL as it runs, which the rules for SQL would not see', () => {
    assert.deepEqual([...STATEMENTS.keys()], LOADED);
  });
});
