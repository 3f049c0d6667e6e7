/** Tests that a database is migrated once by any number of processes, and that its tables can be distributed. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { putPrice, putSku } from '../../contract/put-parts.ts';
import { AUTHOR, documentOf, NOW_MS, newMerchant } from '../../contract/subject.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { openPostgresStore } from '../open.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import { citusSkipped, postgresSkipped } from '../testing/availability.ts';
import { createDatabaseBeforeCitus, createTestDatabase, PATIENCE } from '../testing/test-database.ts';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMNS, distribute, REFERENCE_TABLES } from './distribution.ts';
import { type Database, openDatabase, type Statement, statement } from './engine.ts';
import { migrate } from './migrations.ts';
import type { PooledConnection } from './pooled-connection.ts';

const VERSIONS = statement<[number: number]>('test versions')`SELECT number FROM migration ORDER BY number`;
const TABLES = statement<[table: string]>('test tables')`
  SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
const UNIQUE_KEYS = statement<[table: string, leading: string]>('test unique keys')`
  SELECT indrelid::regclass::text, attname::text FROM pg_index
  JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
  WHERE indisunique AND indrelid::regclass::text NOT LIKE 'pg_%'`;
const OTHER_COLLATIONS = statement<[column: string]>('test collations')`
  SELECT table_name || '.' || column_name FROM information_schema.columns
  WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
    AND table_name NOT IN (SELECT viewname FROM pg_views)`;

/** Size of the coordinator's own table, without its shards. */
const ROWS_LEFT_BEHIND = statement<[bytes: number]>('test rows left behind')`SELECT pg_relation_size('offer')`;
const NODES_OF_OFFERS = statement<[port: number]>('test nodes of offers')`
  SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'offer'::regclass`;

async function emptyDatabase(
  t: TestContext,
  create = createTestDatabase,
): Promise<Database & { readonly url: string }> {
  const { url } = await create();
  const database = openDatabase({ url, ...PATIENCE });
  t.after(() => database.close());
  return Object.assign(database, { url });
}

describe('PostgreSQL migrations', { skip: postgresSkipped() }, () => {
  test('an empty database gets all of them, once', async (t) => {
    const database = await emptyDatabase(t);
    await migrate(database);
    await migrate(database);
    assert.deepEqual(
      await database.run(VERSIONS),
      MIGRATIONS.map((_, index) => [index + 1]),
    );
  });

  test('ten processes that start at once end with one set of tables', async (t) => {
    const database = await emptyDatabase(t);
    const stores = await Promise.all(
      Array.from({ length: 10 }, () => openPostgresStore({ url: database.url, ...PATIENCE })),
    );
    await Promise.all(stores.map((store) => store.ping()));
    await Promise.all(stores.map((store) => store.close()));
    assert.equal((await database.run(VERSIONS)).length, MIGRATIONS.length);
  });

  test('only new migrations are run, on the tables of older ones', async (t) => {
    // Starts without Citus, which would distribute tables that these migrations do not create.
    const database = await emptyDatabase(t, createDatabaseBeforeCitus);
    const first = 'CREATE TABLE kept (a integer); INSERT INTO kept VALUES (1);';
    await migrate(database, [first]);
    await migrate(database, [first, 'ALTER TABLE kept ADD COLUMN b integer DEFAULT 2;']);
    const kept = statement<[number, number]>('test kept')`SELECT a, b FROM kept`;
    assert.deepEqual(await database.run(kept), [[1, 2]]);
    assert.deepEqual(await database.run(VERSIONS), [[1], [2]]);
  });

  test('a failed migration changes nothing', async (t) => {
    const database = await emptyDatabase(t);
    const first = 'CREATE TABLE kept (a integer);';
    const failing = migrate(database, [first, 'CREATE TABLE half (a integer); SELECT 1 / 0;']);
    await assert.rejects(failing, { code: '22012' });
    assert.deepEqual(await database.run(TABLES), [['kept'], ['migration']]);
    assert.deepEqual(await database.run(VERSIONS), [[1]]);
  });

  test('a database of a newer release is refused', async (t) => {
    const database = await emptyDatabase(t);
    await migrate(database, [...MIGRATIONS, 'CREATE TABLE newer (a integer);']);
    const newer = new RegExp(
      `version ${MIGRATIONS.length + 1}, but this release supports only up to ${MIGRATIONS.length}`,
    );
    await assert.rejects(openPostgresStore({ url: database.url, ...PATIENCE }), (error: Error) => {
      return error instanceof StoreUnavailableError && newer.test(error.message);
    });
  });

  test('text is compared as bytes everywhere', async (t) => {
    const database = await emptyDatabase(t);
    await migrate(database);
    assert.deepEqual(await database.run(OTHER_COLLATIONS), []);
  });

  test('every key of a distributed table starts with its column, and every table has a index on Citus', async (t) => {
    const database = await emptyDatabase(t);
    await migrate(database);
    const keys = (await database.run(UNIQUE_KEYS)).filter(([table]) => DISTRIBUTED_TABLES.includes(table));
    assert.equal(
      keys.length,
      DISTRIBUTED_TABLES.length - 2 + 2,
      'one primary key per table but offer_history and event_batch, the upload order of offers, the names of authors',
    );
    for (const [table, leading] of keys) assert.equal(leading, DISTRIBUTION_COLUMNS.get(table), table);

    const queues = ['catalog_news', 'image_account', 'image_lane', 'image_queue', 'review_sweep', 'work_lease'];
    const plain = [
      ...queues,
      'copy_mark',
      'migration',
      'offer_day',
      'operator_act',
      'rate_counter',
      'request_count',
      'setup_version',
      'shop_correction',
      'shop_feed',
      'trace',
      'webhook',
      'webhook_delivery',
    ];
    const placed = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...plain].sort();
    assert.deepEqual((await database.run(TABLES)).flat(), placed);
  });
});

describe('distribution', () => {
  /** Imitates a database in which Citus knows these tables; undefined: Citus is not installed. */
  function recorded(spread: readonly string[] | undefined) {
    const scripts: string[] = [];
    const connection: Pick<PooledConnection, 'run' | 'runScript'> = {
      async run<Row extends readonly unknown[]>({ name }: Statement<Row>) {
        const rows = name === 'find citus' ? [[spread !== undefined]] : (spread ?? []).map((table) => [table]);
        return rows as unknown as readonly Row[];
      },
      async runScript(text) {
        scripts.push(text);
      },
    };
    return { connection, scripts };
  }

  test('plain PostgreSQL is not changed', async () => {
    const { connection, scripts } = recorded(undefined);
    await distribute(connection);
    assert.deepEqual(scripts, []);
  });

  test('on Citus every table is distributed, referenced tables first', async () => {
    const { connection, scripts } = recorded([]);
    await distribute(connection);
    const tables = scripts.flatMap(
      (script) => /create_(?:reference|distributed)_table\('(\w+)'/.exec(script)?.[1] ?? [],
    );
    assert.deepEqual(tables, [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES]);
    assert.match(scripts.join('\n'), /create_distributed_table\('offer', 'account_id'\)/);
    assert.match(scripts.join('\n'), /create_distributed_table\('image', 'address_hash'\)/);
  });

  test('a distributed table is not distributed again', async () => {
    const { connection, scripts } = recorded([...REFERENCE_TABLES, ...DISTRIBUTED_TABLES]);
    await distribute(connection);
    assert.doesNotMatch(scripts.join('\n'), /create_/);
  });

  test('its shards get the planner hint at every start, since an earlier one may have been interrupted', async () => {
    for (const spread of [[], DISTRIBUTED_TABLES]) {
      const { connection, scripts } = recorded(spread);
      await distribute(connection);
      const told = scripts.filter((script) => /run_command_on_all_nodes.*n_distinct = 1/s.test(script));
      assert.equal(told.length, 1);
      const spreading = scripts.findIndex((script) => script.includes("create_distributed_table('offer'"));
      assert.ok(scripts.indexOf(told[0] as string) > spreading);
    }
  });
});

test('a database with data is distributed at the first start after Citus is installed', {
  skip: citusSkipped(),
}, async (t) => {
  const { url, join } = await createDatabaseBeforeCitus();
  const open = () => openPostgresStore({ url, ...PATIENCE });
  const key = (accountId: number, skuId: string) => ({ accountId, skuId, by: AUTHOR });
  const merchant = newMerchant();
  const before = await open();
  await before.settings.addMerchant(merchant, NOW_MS);
  const live = (await before.settings.readMerchant(merchant.merchantId))?.accounts.live ?? 0;
  // Enough accounts to fill every shard.
  const accountIds = [live, ...Array.from({ length: 40 }, (_, index) => live + 1_000 + index)];
  for (const accountId of accountIds) await putSku(before.offers, key(accountId, 'a'), documentOf(), NOW_MS);
  await putPrice(before.offers, key(live, 'a'), { price: 1_250, nodes: [] }, NOW_MS);
  await before.close();
  await join();

  const behind = await open();
  t.after(() => behind.close());
  assert.equal((await behind.settings.readMerchant(merchant.merchantId))?.name, merchant.name);
  for (const accountId of accountIds)
    assert.equal((await behind.offers.readOffer(key(accountId, 'a')))?.document, documentOf());
  assert.deepEqual(await behind.offers.readPrice(key(live, 'a')), { price: 1_250, nodes: [], updatedMs: NOW_MS });
  await putSku(behind.offers, key(live, 'b'), documentOf(), NOW_MS);
  assert.equal((await behind.offers.readOffer(key(live, 'b')))?.document, documentOf());

  const database = openDatabase({ url, ...PATIENCE });
  t.after(() => database.close());
  assert.deepEqual(await database.run(ROWS_LEFT_BEHIND), [[0]]);
  const nodes = await database.run(NODES_OF_OFFERS);
  assert.ok(nodes.length > 1, `${nodes.length} nodes`);
});
