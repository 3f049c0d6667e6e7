/** Tests the metrics of the PostgreSQL store, even while the database is down. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { patchInventory, putPrice, putSku } from '../contract/put-parts.ts';
import { AUTHOR, documentOf, NOW_MS } from '../contract/subject.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import { openDatabase, statement } from './engine/engine.ts';
import { openPostgresStore } from './open.ts';
import { CITUS_VARIABLE, postgresSkipped } from './testing/availability.ts';
import { createTestDatabase, PATIENCE } from './testing/test-database.ts';

/** On Citus, the statistics belong to the shards. */
const onShards = (query: string) =>
  process.env[CITUS_VARIABLE]
    ? `SELECT DISTINCT result FROM run_command_on_shards('offer', $query$${query}$query$) WHERE result <> ''`
    : `SELECT (${query.replace('%s', 'offer')})::text`;

const COLUMN_STATISTICS = statement<[distinct: string]>(
  'test column statistics',
)`${onShards(`SELECT n_distinct FROM pg_stats WHERE tablename::regclass = '%s'::regclass AND attname = 'account_id'`)}`;

/** Reads the update counts of the table or shard that stores the offer. */
const UPDATES = statement<[updates: string]>(
  'test updates',
)`${onShards(`SELECT n_tup_upd || ' ' || n_tup_hot_upd FROM pg_stat_user_tables
    WHERE relid = '%s'::regclass AND n_tup_ins > 0`)}`;

describe('PostgreSQL store itself', { skip: postgresSkipped() }, () => {
  test('metrics cover the database, and writes per commit', async (t) => {
    const { url } = await createTestDatabase();
    const store = await openPostgresStore({ url, ...PATIENCE });
    t.after(() => store.close());
    await Promise.all(
      ['a', 'b', 'c'].map((skuId) => putSku(store.offers, { accountId: 1, skuId, by: AUTHOR }, documentOf(), NOW_MS)),
    );
    const { writes, lists, commitWrites, sizeBytes } = await store.readFigures();
    assert.deepEqual([writes, lists], Array(2).fill({ waiting: 0, oldestWait_ms: 0 }));
    assert.equal(commitWrites.sum, 3);
    assert.equal(commitWrites.counts[commitWrites.bounds.indexOf(4)], 1);
    assert.ok(sizeBytes > 1_000_000);
  });

  test('without its database it is unavailable, but its metrics still work', async (t) => {
    const { url, drop } = await createTestDatabase();
    const store = await openPostgresStore({ url, ...PATIENCE });
    t.after(() => store.close());
    await store.ping();
    const { sizeBytes } = await store.readFigures();
    await drop();
    await assert.rejects(store.ping(), StoreUnavailableError);
    await assert.rejects(
      putSku(store.offers, { accountId: 1, skuId: 'a', by: AUTHOR }, documentOf(), NOW_MS),
      StoreUnavailableError,
    );
    assert.equal((await store.readFigures()).sizeBytes, sizeBytes);
  });

  test('prices and quantities stay on their page and touch no index, including the first ones of a due offer', async (t) => {
    const { url } = await createTestDatabase();
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    // One offer: all its versions fit on one page, even before old ones are vacuumed.
    const key = { accountId: 1, skuId: 'sku', by: AUTHOR };
    const store = await openPostgresStore({ url, ...PATIENCE });
    await putSku(store.offers, key, documentOf(), NOW_MS);
    for (let price = 1; price <= 6; price++) {
      await putPrice(store.offers, key, { price, nodes: [] }, NOW_MS);
      await patchInventory(store.offers, key, [{ fulfillment_node_id: 'n', quantity: price }], NOW_MS);
    }
    // Statistics of a connection appear a moment after it ends.
    await store.close();
    let [updates, withinPage] = [0, 0];
    while (updates < 12)
      [updates = 0, withinPage = 0] = ((await database.run(UPDATES))[0]?.[0] ?? '').split(' ').map(Number);
    assert.equal(withinPage, 12);
  });

  test('after the first uploads the planner treats every account as large', async (t) => {
    const { url } = await createTestDatabase();
    const store = await openPostgresStore({ url, ...PATIENCE });
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    const uploads = Array.from({ length: 200 }, (_, number) => {
      return putSku(store.offers, { accountId: number, skuId: 'shirt', by: AUTHOR }, documentOf(), NOW_MS);
    });
    await Promise.all(uploads);
    // Waits for background calls of the store.
    await store.close();
    assert.deepEqual(await database.run(COLUMN_STATISTICS), [['1']]);
  });
});
