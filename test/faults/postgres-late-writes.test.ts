/**
 * Tests a PostgreSQL process that freezes during a write and resumes later. Meanwhile, the client of that write gets 503 and a
 * newer write gets 202: the newer one stays.
 */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { putPrice, putSku } from '../../src/store/contract/put-parts.ts';
import { AUTHOR, documentOf, LATER_MS, NOW_MS } from '../../src/store/contract/subject.ts';
import { StoreUnavailableError } from '../../src/store/port/errors.ts';
import type { Store } from '../../src/store/port.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { standStill, startBreakablePostgres, withClient } from '../harness/breakable-postgres.ts';
import { waitUntil } from '../harness/wait-until.ts';

it('a write that got 503 does not replace a later one that got 202', {
  skip: postgresSkipped() || (process.platform === 'win32' && 'processes cannot be stopped here'),
}, async (t) => {
  const postgres = await startBreakablePostgres();
  t.after(() => postgres.close());
  const key = { accountId: 1, skuId: 'shirt', by: AUTHOR };
  const put = (store: Store, price: number, nowMs: number) => putPrice(store.offers, key, { price, nodes: [] }, nowMs);
  // One connection for sequence numbers, and one for writes. A machine that loses time may exceed the default limit of 1.8 s.
  const [first, second] = [await openFor(t, postgres.url, 6_000), await openFor(t, postgres.url, 60_000)];
  await putSku(first.offers, key, documentOf(), NOW_MS);
  assert.equal(await put(first, 1, NOW_MS), 'stored');

  await withClient(postgres.url, async (client) => {
    const pidsOf = async (condition: string) => {
      const { rows } = await client.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE ${condition}`);
      return rows.map(({ pid }) => pid);
    };
    const [writer, ...others] = await pidsOf(
      `application_name = 'offerbook' AND query LIKE '%UPDATE offer SET price%'`,
    );
    assert.ok(writer !== undefined && others.length === 0);
    await standStill(client, writer);
    try {
      await assert.rejects(put(first, 100, NOW_MS), StoreUnavailableError);
      assert.equal(await put(second, 200, LATER_MS), 'stored');
    } finally {
      process.kill(writer, 'SIGCONT');
    }
    // The process ends when it notices the closed connection, after it has executed what it had received.
    await waitUntil('the end of the connection', 60_000, async () => {
      return (await pidsOf(`pid = ${writer}`)).length === 0 ? true : undefined;
    });
  });
  assert.deepEqual(await second.offers.readPrice(key), { price: 200, nodes: [], updatedMs: LATER_MS });
});

async function openFor(t: TestContext, url: string, call_ms_max: number): Promise<Store> {
  const store = await openPostgresStore({ url, connections_max: 2, call_ms_max });
  t.after(() => store.close());
  return store;
}
