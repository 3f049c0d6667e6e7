/** Tests that an older database is upgraded once, and that a newer one is refused. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../../port/errors.ts';
import { openSqliteSetupStore, openSqliteStore } from '../open.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import { openSetupFor } from '../testing/open-for.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import type { Connection } from './connection.ts';
import { openForWriting } from './engine.ts';
import { migrate } from './migrations.ts';

const FIRST = 'CREATE TABLE t (a TEXT)';
const SECOND = "ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT 'new'";

describe('migrations', () => {
  test('an empty database gets every table, all strict except the word index', () => {
    const connection = openForWriting(join(temporaryDir(), 'new.db'));
    migrate(connection);
    assert.equal(versionOf(connection), MIGRATIONS.length);
    const tables = connection.query<[name: string, strict: 0 | 1]>(`
      SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'
        AND name NOT LIKE 'offer_words%' ORDER BY name`);
    assert.deepEqual(
      tables.all(),
      [
        'account',
        'announced_change',
        'author',
        'bulk_file',
        'catalog',
        'catalog_correction',
        'catalog_news',
        'catalog_user',
        'copy_mark',
        'credential',
        'event_batch',
        'event_feed',
        'fulfillment_node',
        'history_size',
        'idempotency_key',
        'image',
        'image_account',
        'image_lane',
        'image_queue',
        'image_user',
        'image_waiting',
        'inventory',
        'merchant',
        'offer_count',
        'offer_day',
        'offer_history',
        'offer_listing',
        'one_time_link',
        'operator_act',
        'passkey',
        'pending_import',
        'pending_removal',
        'placeholder',
        'plan',
        'policy',
        'portal_session',
        'portal_user',
        'price',
        'report',
        'request_count',
        'request_log',
        'return_location',
        'returns_exception',
        'review',
        'review_due',
        'review_sweep',
        'rule_change',
        'setup_version',
        'shipping_exception',
        'shop_account',
        'shop_correction',
        'shop_event',
        'shop_feed',
        'shop_offer',
        'shop_product',
        'shop_sku',
        'shop_term',
        'signing_key',
        'sku',
        'sku_document',
        'taxonomy',
        'taxonomy_part',
        'trace',
        'upcoming_failure',
        'variation_group',
        'variation_member',
        'webhook',
        'webhook_delivery',
        'word_change',
        'work_lease',
        'write_number',
      ].map((name) => [name, 1]),
    );
    connection.close();
  });

  test('an older database keeps its rows and is upgraded once', () => {
    const connection = openForWriting(join(temporaryDir(), 'old.db'));
    migrate(connection, [FIRST]);
    connection.exec("INSERT INTO t VALUES ('kept')");
    for (let time = 0; time < 2; time++) {
      migrate(connection, [FIRST, SECOND]);
      assert.equal(versionOf(connection), 2);
      assert.deepEqual(connection.query<[string, string]>('SELECT a, b FROM t').all(), [['kept', 'new']]);
    }
    connection.close();
  });

  test('a migration that fails leaves the database as it was', () => {
    const connection = openForWriting(join(temporaryDir(), 'old.db'));
    migrate(connection, [FIRST]);
    assert.throws(() => migrate(connection, [FIRST, SECOND, 'CREATE TABLE t (a)']));
    assert.equal(versionOf(connection), 1);
    assert.deepEqual(connection.query<[string]>("SELECT name FROM pragma_table_info('t')").all(), [['a']]);
    connection.close();
  });

  test('a database of a newer release is refused, and not changed', async () => {
    const dataDir = temporaryDir();
    await (await openSqliteSetupStore({ dataDir })).close();
    const newer = MIGRATIONS.length + 1;
    const connection = openForWriting(join(dataDir, 'offerbook.db'));
    connection.exec(`PRAGMA user_version = ${newer}`);
    connection.close();
    const isRefusal = (error: unknown) =>
      error instanceof StoreUnavailableError &&
      error.message ===
        `The schema has version ${newer}, but this release supports only up to ${MIGRATIONS.length}. Run the newer release.`;
    await assert.rejects(openSqliteStore({ dataDir, onFatal: assert.fail }), isRefusal);
    await assert.rejects(openSqliteSetupStore({ dataDir }), isRefusal);
    const after = openForWriting(join(dataDir, 'offerbook.db'));
    assert.equal(versionOf(after), newer);
    after.close();
  });

  test('processes that start at once on an empty folder all open the store', async (t) => {
    const dataDir = temporaryDir();
    const starter = `
      const { workerData } = require('node:worker_threads');
      import(workerData.module).then(async ({ openSqliteSetupStore }) => {
        Atomics.add(workerData.gate, 0, 1);
        while (Atomics.load(workerData.gate, 0) < workerData.starters);
        const store = await openSqliteSetupStore({ dataDir: workerData.dataDir });
        await store.settings.addFirstSigningKey({ keyId: 'key', secret: new Uint8Array(1) }, 0);
        await store.close();
      });`;
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const module = new URL('../open.ts', import.meta.url).href;
    const starters = 4;
    const codes = Array.from({ length: starters }, () => {
      const ended = Promise.withResolvers<number>();
      new Worker(starter, { eval: true, workerData: { module, dataDir, gate, starters } })
        .on('error', ended.reject)
        .on('exit', ended.resolve);
      return ended.promise;
    });
    assert.deepEqual(await Promise.all(codes), Array(starters).fill(0));
    const store = await openSetupFor(t, dataDir);
    assert.equal((await store.settings.listSigningKeys()).length, 1);
    assert.equal(await store.settings.readSetupVersion(), 1);
  });
});

function versionOf(connection: Connection): number | undefined {
  return connection.query<[number]>('PRAGMA user_version').get()?.[0];
}
