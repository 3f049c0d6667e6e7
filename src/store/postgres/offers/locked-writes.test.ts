/** Tests writes of several parts, and writes under a precondition, by two processes on one database. */
import { after, before, describe } from 'node:test';
import { partsContract } from '../../contract/parts-contract.ts';
import type { Store } from '../../port.ts';
import { openPostgresStore } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../testing/test-database.ts';

describe('two processes on PostgreSQL', { skip: postgresSkipped() }, () => {
  const stores: Store[] = [];
  before(async () => {
    const { url } = await createReadyDatabase();
    for (const splitsWrites of [false, true]) stores.push(await openPostgresStore({ url, ...PATIENCE, splitsWrites }));
  });
  after(() => Promise.all(stores.map((store) => store.close())));

  partsContract(
    () => stores[0] as Store,
    () => stores[1] as Store,
  );
});
