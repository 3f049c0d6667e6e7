/** Tests a slow PostgreSQL: locks are held, or one connection hangs. Everything else is served. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import {
  type BreakablePostgres,
  standStill,
  startBreakablePostgres,
  withClient,
} from '../harness/breakable-postgres.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { SteadyLoad } from '../harness/steady-load.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('PostgreSQL is slow', { skip: postgresSkipped() }, () => {
  let postgres: BreakablePostgres;
  let server: ServeProcess;
  let load: SteadyLoad;

  before(async () => {
    postgres = await startBreakablePostgres();
    server = await startServeProcess({ DATABASE_URL: postgres.url, REQUESTS_PER_MINUTE: '1000000' });
    load = await SteadyLoad.start(server.url);
  });

  after(async () => {
    await load?.stop();
    assert.equal(await server?.stop(), 0, server?.output());
    await postgres?.close();
  });

  it('a lock on the whole table: every call is refused in time, and works when it is released', async () => {
    await withClient(postgres.url, async (client) => {
      await client.query('BEGIN; LOCK TABLE offer IN ACCESS EXCLUSIVE MODE');
      await load.isRefused();
      await client.query('ROLLBACK');
    });
    await load.isWell();
    await load.assertStored();
  });

  it('a lock on one row: reads and all other accounts work', async () => {
    await withClient(postgres.url, async (client) => {
      await client.query(`BEGIN; SELECT FROM offer WHERE sku_id = 'price-0' FOR UPDATE`);
      const readsRefused = () => ['read', 'list'].map((kind) => load.counts().get(kind)?.refused);
      const headers = { authorization: `Bearer ${await requestToken(server.url, 'live')}` };
      const body = JSON.stringify(minimalSku());
      // A busy machine may slow down any single call, and so cause a refusal, but not in each of many tries.
      await waitUntil('other accounts and all reads to work', 60_000, async () => {
        const before = readsRefused();
        await load.isRefused('price');
        const startMs = performance.now();
        const other = await fetch(`${server.url}${skuPath('of-another')}`, { method: 'PUT', headers, body });
        await other.arrayBuffer();
        const isQuick = other.status === 202 && performance.now() - startMs < 1_000;
        return (isQuick && isDeepStrictEqual(readsRefused(), before)) || undefined;
      });
      await client.query('ROLLBACK');
    });
    await load.isWell();
    await load.assertStored();
  });

  it('one hanging connection: its calls are refused in time, and the next calls use another', {
    skip: process.platform === 'win32' && 'processes cannot be stopped here',
  }, async () => {
    await withClient(postgres.url, async (client) => {
      // Other statements sometimes use that connection: take the one last used for such a read.
      const shared = await waitUntil('reads by key to have a connection', 60_000, async () => {
        const { rows } = await client.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'offerbook' AND query LIKE 'SELECT inventory%'`,
        );
        return rows[0];
      });
      await standStill(client, shared.pid);
      try {
        await load.isRefused('read');
        await load.isWell();
      } finally {
        process.kill(shared.pid, 'SIGCONT');
      }
    });
    await load.assertStored();
  });
});
