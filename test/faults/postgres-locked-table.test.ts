/** Tests that readiness tells the truth while another session locks the table of offers, for example during maintenance. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { withPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('while the table of offers is locked', { skip: postgresSkipped() }, () => {
  it('writes and /readyz get 503, and both recover when the lock ends', async () => {
    await withPlace('postgres', async (place) => {
      await withOfferbook(place, { demo: true, settings: {} }, async (url) => {
        const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
        const isReady = async () => (await fetch(`${url}/readyz`)).status;
        const write = async () =>
          (await fetch(`${url}/merchant-skus/a/price`, { method: 'PUT', headers, body: '{"price":5}' })).status;
        await fetch(`${url}/merchant-skus/a`, { method: 'PUT', headers, body: JSON.stringify(minimalSku()) });
        assert.deepEqual([await isReady(), await write()], [200, 202]);
        const other = new Client({ connectionString: place.DATABASE_URL });
        await other.connect();
        try {
          await other.query('BEGIN; LOCK TABLE offer IN SHARE MODE');
          assert.deepEqual(await Promise.all([isReady(), write()]), [503, 503]);
        } finally {
          await other.end();
        }
        await waitUntil('the server to be ready', 30_000, async () => (await isReady()) === 200 || undefined);
        assert.equal(await write(), 202);
      });
    });
  });
});
