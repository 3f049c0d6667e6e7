/** Tests that ten processes can start at once on an empty database, which is set up once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { LOCK_KEY } from '../../src/store/postgres/engine/migrations.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { requestToken } from '../harness/api-client.ts';
import { postgresPlace, selectColumn } from '../harness/postgres-place.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import type { StorePlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PROCESSES = 10;
/** Enough time for ten processes on two cores, alongside other tests. */
const DEADLINE_MS = 240_000;
const WAITING = `SELECT count(*)::int FROM pg_locks
  WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describe('a first start', { skip: postgresSkipped() }, () => {
  it('of ten processes at once starts all of them, with one signing key and one demo merchant', async (t) => {
    const place = await postgresPlace();
    const release = await lockMigrations(place);
    const servers: ServeProcess[] = [];
    const failures: unknown[] = [];
    const start = async () => {
      const variables = { ...place, LOG_LEVEL: 'warn' };
      const server = await startServeProcess(variables, ['--demo'], DEADLINE_MS);
      t.after(() => server.stop('SIGKILL'));
      servers.push(server);
    };
    const starting = Array.from({ length: PROCESSES }, () => start().catch((error) => failures.push(error)));
    try {
      await waitUntil('all to stand at the same line', DEADLINE_MS, async () => {
        assert.deepEqual(failures, []);
        return (await selectColumn(place, WAITING))[0] === PROCESSES ? true : undefined;
      });
    } finally {
      await release();
    }
    await Promise.all(starting);
    assert.deepEqual(failures, []);
    const migrations = await selectColumn(place, 'SELECT * FROM migration ORDER BY 1');
    assert.equal(new Set(migrations).size, migrations.length);
    assert.deepEqual(await selectColumn(place, 'SELECT count(*)::int FROM signing_key'), [1]);
    assert.deepEqual(await selectColumn(place, 'SELECT merchant_id FROM merchant'), ['demo']);

    const token = await requestToken(servers[0]?.url ?? '', 'test');
    const headers = { authorization: `Bearer ${token}` };
    for (const { url } of servers) assert.equal((await fetch(`${url}/authcheck`, { headers })).status, 200);
    for (const server of servers) assert.equal(await server.stop(), 0, server.output());
    for (const server of servers) assert.doesNotMatch(server.output(), /"level"/, 'no warning, no error');
  });
});

/** Blocks all processes at the lock until the returned function is called. */
async function lockMigrations({ DATABASE_URL }: StorePlace): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(${LOCK_KEY})`);
  return () => client.end();
}
