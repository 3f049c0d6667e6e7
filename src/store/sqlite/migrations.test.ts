/** That a database of any age becomes one of today, once, and that one of tomorrow is left alone. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { StoreUnavailableError } from '../port/errors.ts';
import { SWEEP_KIND } from '../port/review.ts';
import { imageKey } from '../shared/image-key.ts';
import type { Connection } from './engine.ts';
import { openForWriting, query } from './engine.ts';
import { MIGRATIONS } from './migration-list.ts';
import { migrate } from './migrations.ts';
import { openSqliteSetupStore, openSqliteStore } from './open.ts';
import { openSetupFor, openStoreFor } from './testing/open-for.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

const FIRST = 'CREATE TABLE t (a TEXT)';
const SECOND = "ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT 'new'";

describe('migrations', () => {
  test('an empty database gets every table, all of them strict but the index of words', () => {
    const connection = openForWriting(join(temporaryDir(), 'new.db'));
    migrate(connection);
    assert.equal(versionOf(connection), MIGRATIONS.length);
    const tables = query<[name: string, strict: 0 | 1]>(
      connection,
      `SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'
         AND name NOT LIKE 'offer_words%' ORDER BY name`,
    ).all();
    assert.deepEqual(
      tables,
      [
        'account',
        'author',
        'bulk_file',
        'catalog',
        'catalog_correction',
        'catalog_news',
        'catalog_user',
        'copy_mark',
        'credential',
        'fulfillment_node',
        'image',
        'image_account',
        'image_lane',
        'image_queue',
        'image_user',
        'image_waiting',
        'inventory',
        'merchant',
        'offer_count',
        'offer_history',
        'offer_listing',
        'one_time_link',
        'operator_act',
        'pending_import',
        'pending_removal',
        'placeholder',
        'policy',
        'portal_session',
        'portal_user',
        'price',
        'report',
        'request_count',
        'return_location',
        'returns_exception',
        'review',
        'review_due',
        'review_sweep',
        'setup_version',
        'shipping_exception',
        'signing_key',
        'sku',
        'sku_document',
        'taxonomy',
        'taxonomy_part',
        'variation_group',
        'variation_member',
        'work_lease',
        'write_number',
      ].map((name) => [name, 1]),
    );
    connection.close();
  });

  test('an older database keeps its rows and gets what is missing, once', () => {
    const connection = openForWriting(join(temporaryDir(), 'old.db'));
    migrate(connection, [FIRST]);
    connection.exec("INSERT INTO t VALUES ('kept')");
    for (let time = 0; time < 2; time++) {
      migrate(connection, [FIRST, SECOND]);
      assert.equal(versionOf(connection), 2);
      assert.deepEqual(query<[string, string]>(connection, 'SELECT a, b FROM t').all(), [['kept', 'new']]);
    }
    connection.close();
  });

  test('offers that are older than the review become due by a sweep', async (t) => {
    const dataDir = temporaryDir();
    const old = openForWriting(join(dataDir, 'offerbook.db'));
    const review = MIGRATIONS.findIndex((text) => text.includes('CREATE TABLE review_sweep'));
    migrate(old, MIGRATIONS.slice(0, review));
    old.exec(`
      INSERT INTO merchant VALUES ('m', 'M', 1, 0, 14, '[]');
      INSERT INTO account VALUES (7, 'm', 'live');
      INSERT INTO sku (id, account_id, sku_id, first_upload_ms, inventory_stamp_ms) VALUES (9, 7, 'old', 1, 1);
      INSERT INTO sku_document (sku, document, updated_ms) VALUES (9, '{}', 1);
    `);
    old.close();
    const store = await openStoreFor(t, { dataDir });
    assert.equal((await store.work.takeWork(SWEEP_KIND, 'a test', 60_000))?.accountId, 7);
    assert.equal(await store.review.sweep(7, 10), 'done');
    assert.deepEqual(
      (await store.review.readDueOffers(7, 10)).map(({ skuId }) => skuId),
      ['old'],
    );
  });

  test('pictures that waited before there were lanes are fetched, for the account that waits', async (t) => {
    const dataDir = temporaryDir();
    const old = openForWriting(join(dataDir, 'offerbook.db'));
    const lanes = MIGRATIONS.findIndex((text) => text.includes('CREATE TABLE image_lane'));
    migrate(old, MIGRATIONS.slice(0, lanes));
    const address = 'https://shop.example/a.jpg';
    const key = imageKey(address).toString('hex');
    old.exec(`
      INSERT INTO image_waiting VALUES (x'${key}', 7, 'old');
      INSERT INTO image_queue (address_hash, address, host, due_ms, since_ms)
      VALUES (x'${key}', '${address}', 'shop.example', 1, 1);
      INSERT INTO image_host VALUES ('shop.example', 1);
    `);
    old.close();
    const store = await openStoreFor(t, { dataDir });
    const [image] = await store.images.takeImages({ limit: 9, perHost: 1, perAccount: 1 }, 60_000);
    assert.equal(image?.address, address);
    const found = { address, evidence: '{}', judgedMs: 1, etag: null };
    assert.deepEqual(await store.images.storeImage(image, found), [{ accountId: 7, skuId: 'old' }]);
  });

  test('an import that was cut off stays one, unless its merchant was let in or given keys since', async (t) => {
    const dataDir = temporaryDir();
    const old = openForWriting(join(dataDir, 'offerbook.db'));
    const marks = MIGRATIONS.findIndex((text) => text.includes('CREATE TABLE pending_removal'));
    migrate(old, MIGRATIONS.slice(0, marks));
    old.exec(`
      INSERT INTO merchant VALUES ('half', 'M', 1, 1, 14, '[]'), ('keyed', 'M', 1, 1, 14, '[]'), ('let-in', 'M', 1, 0, 14, '[]');
      INSERT INTO account (account_id, merchant_id, environment)
      VALUES (1, 'half', 'test'), (2, 'half', 'live'), (3, 'keyed', 'test'), (4, 'keyed', 'live'),
        (5, 'let-in', 'test'), (6, 'let-in', 'live');
      INSERT INTO credential (account_id, user_name, salt, secret_hash, created_ms) VALUES (4, 'u', x'00', x'00', 1);
      INSERT INTO pending_import VALUES ('half'), ('keyed'), ('let-in');
    `);
    old.close();
    const store = await openSetupFor(t, dataDir);
    assert.deepEqual(
      (await store.settings.listMerchants()).map(({ merchantId, unfinished }) => [merchantId, unfinished]),
      [
        ['half', 'import'],
        ['keyed', null],
        ['let-in', null],
      ],
    );
  });

  test('a migration that fails leaves the database as it was', () => {
    const connection = openForWriting(join(temporaryDir(), 'old.db'));
    migrate(connection, [FIRST]);
    assert.throws(() => migrate(connection, [FIRST, SECOND, 'CREATE TABLE t (a)']));
    assert.equal(versionOf(connection), 1);
    assert.deepEqual(query<[string]>(connection, "SELECT name FROM pragma_table_info('t')").all(), [['a']]);
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
        `The database has version ${newer}, this program knows up to ${MIGRATIONS.length}: run the newer release.`;
    await assert.rejects(openSqliteStore({ dataDir, onFatal: assert.fail }), isRefusal);
    await assert.rejects(openSqliteSetupStore({ dataDir }), isRefusal);
    const after = openForWriting(join(dataDir, 'offerbook.db'));
    assert.equal(versionOf(after), newer);
    after.close();
  });

  test('several that start at once on an empty folder all get a good store', async (t) => {
    const dataDir = temporaryDir();
    const starter = `
      const { workerData } = require('node:worker_threads');
      import(workerData.module).then(async ({ openSqliteSetupStore }) => {
        Atomics.add(workerData.gate, 0, 1);
        while (Atomics.load(workerData.gate, 0) < workerData.starters);
        const store = await openSqliteSetupStore({ dataDir: workerData.dataDir });
        await store.addFirstSigningKey({ keyId: 'key', secret: new Uint8Array(1) }, 0);
        await store.close();
      });`;
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const module = new URL('./open.ts', import.meta.url).href;
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
  return query<[number]>(connection, 'PRAGMA user_version').get()?.[0];
}
