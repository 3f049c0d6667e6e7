/**
 * Tests rows of a file during concurrent writes: new SKUs, locked rows, cancelled files, and abandoned connections. Two stores
 * represent two processes, or two threads of one.
 */

import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import type { BulkFile, RowOutcome } from '../../../domain/bulk-files.ts';
import type { OfferRow, PartWrite } from '../../../domain/offers/part.ts';
import { applied, movedTo, startedFile } from '../../contract/bulk-files.ts';
import { takeAnnounced } from '../../contract/due-offers.ts';
import { putPrice, putSku, setArchived } from '../../contract/put-parts.ts';
import { AUTHOR, documentOf, LATER_MS, NOW_MS, newAccountId } from '../../contract/subject.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { WriteKey } from '../../port/offers.ts';
import type { Store } from '../../port.ts';
import { type Database, openDatabase, statement } from '../engine/engine.ts';
import { drawNumber } from '../engine/write-numbers.ts';
import { openPostgresMoves, openPostgresStore, type PostgresStoreOptions } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { threeSkus, untilWaiting, whileHeld } from '../testing/held-rows.ts';
import { createTestDatabase, PATIENCE } from '../testing/test-database.ts';

const MAKE_OFFER = statement('test make offer')`
  INSERT INTO offer (account_id, sku_id, upload_order, first_upload_ms, inventory_stamp_ms, document_tag, document,
    document_updated_ms, document_number, archived) VALUES ($1, $2, 1, 1, 1, 'tag', 'made meanwhile', 1, $3, $4)`;

const priceRow = (skuId: string, price: number): PartWrite => ({ part: 'price', skuId, price, nodes: [] });
const uploadRow = (skuId: string): PartWrite => ({ part: 'sku', skuId, document: documentOf('of a row') });
const price = (amount: number) => ({ price: amount, nodes: [] });
const offerRow = (...parts: readonly PartWrite[]): OfferRow => ({
  part: 'offer',
  skuId: parts[0]?.skuId ?? '',
  parts: parts as OfferRow['parts'],
});

describe('rows of a file on PostgreSQL', { skip: postgresSkipped() }, () => {
  let url: string;

  before(async () => {
    ({ url } = await createTestDatabase());
  });

  async function openFor(t: TestContext, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    const store = await openPostgresStore({ url, ...PATIENCE, ...options });
    t.after(() => store.close());
    return store;
  }

  async function openBoth(t: TestContext): Promise<[Store, Store, Database]> {
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    return [await openFor(t), await openFor(t), database];
  }

  /** Applies rows while another transaction creates the SKU. It commits while the rows wait for it. */
  async function appliedMeanwhile(
    store: Store,
    database: Database,
    file: BulkFile,
    made: { readonly number: number; readonly archived: boolean },
  ): Promise<readonly RowOutcome[]> {
    let applying: Promise<readonly RowOutcome[]> | undefined;
    await database.inTransaction(async (connection) => {
      await connection.run(MAKE_OFFER, [file.accountId, 'made', made.number, made.archived]);
      applying = applied(store, file, uploadRow('made'), uploadRow('other'), uploadRow('made'));
      await untilWaiting(database, 1);
    });
    return applying ?? assert.fail();
  }

  test('an upload of a SKU that was just created replaces data older than the file', async (t) => {
    const [store, , database] = await openBoth(t);
    const number = await drawNumber(database);
    const file = await startedFile(store, 'MerchantSKUs');
    const outcomes = await appliedMeanwhile(store, database, file, { number, archived: false });
    assert.deepEqual(outcomes, ['stored', 'stored', 'stored']);
    const offer = await store.offers.readOffer({ accountId: file.accountId, skuId: 'made' });
    assert.equal(offer?.document, documentOf('of a row'));
  });

  test('an upload of a SKU that was just created is superseded by newer data', async (t) => {
    const [store, , database] = await openBoth(t);
    const file = await startedFile(store, 'MerchantSKUs');
    const number = await drawNumber(database);
    const outcomes = await appliedMeanwhile(store, database, file, { number, archived: false });
    assert.deepEqual(outcomes, ['superseded', 'stored', 'superseded']);
    const offer = await store.offers.readOffer({ accountId: file.accountId, skuId: 'made' });
    assert.equal(offer?.document, 'made meanwhile');
  });

  test('an upload of a SKU that was just created and archived is refused', async (t) => {
    const [store, , database] = await openBoth(t);
    const file = await startedFile(store, 'MerchantSKUs');
    const outcomes = await appliedMeanwhile(store, database, file, { number: 1, archived: true });
    assert.deepEqual(outcomes, ['archived', 'stored', 'archived']);
  });

  test('a row of several parts whose SKU was just created keeps its newer parts, or is refused whole if it is archived', async (t) => {
    const [store, other, database] = await openBoth(t);
    for (const archived of [false, true]) {
      const file = await startedFile(store, 'Offers');
      const { accountId } = file;
      const made: WriteKey = { accountId, skuId: 'made', by: AUTHOR };
      let applying: Promise<readonly RowOutcome[]> | undefined;
      await database.inTransaction(async (connection) => {
        await connection.run(MAKE_OFFER, [accountId, 'made', 1, archived]);
        applying = applied(store, file, offerRow(uploadRow('made'), priceRow('made', 2)), offerRow(uploadRow('other')));
        await untilWaiting(database, 1);
      });
      assert.deepEqual(await applying, [archived ? 'archived' : 'stored', 'stored']);
      const found = await other.offers.readPrice(made);
      assert.deepEqual(found, archived ? 'unset' : { ...price(2), updatedMs: LATER_MS });
      const document = (await other.offers.readOffer(made))?.document;
      assert.equal(document, archived ? 'made meanwhile' : documentOf('of a row'));
    }
  });

  test('every row of a slice that is sent in pieces has its own outcome', async (t) => {
    const store = await openFor(t);
    const skuIds = Array.from({ length: 600 }, (_, index) => `sku-${(index * 7) % 600}`);
    const uploads = await startedFile(store, 'MerchantSKUs');
    const { accountId } = uploads;
    assert.deepEqual(
      await applied(store, uploads, ...skuIds.map(uploadRow)),
      skuIds.map(() => 'stored'),
    );
    const prices = await startedFile(store, 'Price', accountId);
    const newer: WriteKey = { accountId, skuId: 'sku-300', by: AUTHOR };
    await putPrice(store.offers, newer, price(9), NOW_MS);
    const rows = [...skuIds, 'unknown', 'sku-0'].map((skuId, index) => priceRow(skuId, index + 1));
    assert.deepEqual(
      await applied(store, prices, ...rows),
      rows.map(({ skuId }) => (skuId === 'unknown' ? 'unknown' : skuId === 'sku-300' ? 'superseded' : 'stored')),
    );
    for (const [index, skuId] of skuIds.entries()) {
      const amount = skuId === 'sku-0' ? rows.length : skuId === 'sku-300' ? 9 : index + 1;
      const updatedMs = skuId === 'sku-300' ? NOW_MS : LATER_MS;
      assert.deepEqual(await store.offers.readPrice({ accountId, skuId }), { ...price(amount), updatedMs }, skuId);
    }
  });

  test('a slice whose last piece fails stores nothing', async (t) => {
    const store = await openFor(t);
    const skuIds = Array.from({ length: 600 }, (_, index) => `sku-${index}`);
    const uploads = await startedFile(store, 'MerchantSKUs');
    // PostgreSQL refuses NUL in text.
    const rows = [...skuIds.map(uploadRow), { ...uploadRow('z'), document: '{"product_title":"\0"}' }];
    await assert.rejects(applied(store, uploads, ...rows));
    for (const skuId of ['sku-0', 'sku-599', 'z']) {
      assert.equal(await store.offers.readSkuState({ accountId: uploads.accountId, skuId }), 'unknown');
    }
    assert.deepEqual(await applied(store, uploads, ...skuIds.map(uploadRow)), Array(600).fill('stored'));
  });

  test('rows that wait for a lock are decided by the state after the wait', async (t) => {
    const [store, other, database] = await openBoth(t);
    const [a, b, c] = await threeSkus(store);
    const file = await startedFile(store, 'Price', a.accountId);
    const single: Promise<unknown>[] = [];
    let applying: Promise<readonly RowOutcome[]> | undefined;
    await whileHeld(database, a, async () => {
      single.push(putPrice(other.offers, a, price(1), NOW_MS));
      await untilWaiting(database, 1);
      await setArchived(store.offers, c, true, NOW_MS);
      applying = applied(store, file, priceRow(c.skuId, 2), priceRow(b.skuId, 2), priceRow(a.skuId, 2));
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await Promise.all(single), ['stored']);
    assert.deepEqual(await applying, ['archived', 'stored', 'superseded']);
    assert.deepEqual(await store.offers.readPrice(a), { ...price(1), updatedMs: NOW_MS });
    assert.deepEqual(await store.offers.readPrice(b), { ...price(2), updatedMs: LATER_MS });
  });

  test('cancelling or discarding a file waits for the slice in progress; none follows', async (t) => {
    const [store, other, database] = await openBoth(t);
    const moves = await openPostgresMoves({ url, ...PATIENCE });
    t.after(() => moves.close());
    const ends: readonly ((file: BulkFile) => Promise<unknown>)[] = [
      ({ accountId, fileId }) => other.files.cancelFile(accountId, fileId, LATER_MS),
      ({ accountId }) => moves.discardFiles(accountId),
    ];
    for (const end of ends) {
      const [a, b] = await threeSkus(store);
      const file = await startedFile(store, 'Price', a.accountId);
      const progress = movedTo(file, { offset: 10, rowsProcessed: 1 });
      const apply = (at: BulkFile, row: PartWrite) => store.files.applyRows(at, progress, [row], LATER_MS);
      let applying: Promise<readonly RowOutcome[] | 'stale'> | undefined;
      let ending: Promise<unknown> | undefined;
      await whileHeld(database, a, async () => {
        applying = apply(file, priceRow(a.skuId, 1));
        await untilWaiting(database, 1);
        ending = end(file);
        await untilWaiting(database, 2);
      });
      assert.deepEqual(await applying, ['stored']);
      await ending;
      assert.equal(await apply({ ...file, progress }, priceRow(b.skuId, 1)), 'stale');
      assert.equal(await store.offers.readPrice(b), 'unset');
    }
  });

  test('a started slice is completed even if its file is cancelled between its two transactions', async (t) => {
    const [store, other, database] = await openBoth(t);
    const [a, b] = await threeSkus(store);
    const file = await startedFile(store, 'Price', a.accountId);
    await setArchived(store.offers, b, true, NOW_MS);
    const progress = movedTo(file, { offset: 10, rowsProcessed: 1 });
    let applying: Promise<readonly RowOutcome[] | 'stale'> | undefined;
    let cancelling: Promise<unknown> | undefined;
    await whileHeld(database, a, async () => {
      const rows = [priceRow(a.skuId, 1), priceRow(b.skuId, 1), priceRow('unknown', 1)];
      applying = store.files.applyRows(file, progress, rows, LATER_MS);
      await untilWaiting(database, 1);
      cancelling = other.files.cancelFile(file.accountId, file.fileId, LATER_MS);
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await applying, ['stored', 'archived', 'unknown']);
    await cancelling;
    const counted = { ...progress, offset: 20, rowsProcessed: 4 };
    assert.equal(
      await store.files.applyRows({ ...file, progress }, counted, [priceRow(a.skuId, 2)], LATER_MS),
      'stale',
    );
    assert.equal(await store.files.moveFile({ ...file, progress }, counted, 'Cancelled'), 'stored');
    const read = await store.files.readFile(file.accountId, file.fileId);
    assert.deepEqual([read?.status, read?.progress], ['Cancelled', counted]);
  });

  test('an abandoned slice is not written later, and can be retried', async (t) => {
    const [store, other, database] = await openBoth(t);
    const impatient = await openFor(t, { call_ms_max: 1_500 });
    const [a, b] = await threeSkus(store);
    const file = await startedFile(store, 'Price', a.accountId);
    const rows = [priceRow(a.skuId, 1), priceRow(b.skuId, 1)];
    const progress = movedTo(file, { offset: 10 });
    await whileHeld(database, a, async () => {
      await assert.rejects(impatient.files.applyRows(file, progress, rows, NOW_MS), StoreUnavailableError);
      assert.equal(await putPrice(other.offers, b, price(2), NOW_MS), 'stored');
    });
    // Waits for statements that the server still runs.
    assert.deepEqual(await store.files.applyRows(file, progress, rows, NOW_MS), ['stored', 'superseded']);
    assert.deepEqual(await store.offers.readPrice(b), { ...price(2), updatedMs: NOW_MS });
    assert.deepEqual((await store.files.readFile(file.accountId, file.fileId))?.progress, progress);
  });

  test('closing a store finishes a started slice and announces its review', async (t) => {
    const [store, other, database] = await openBoth(t);
    const [a] = await threeSkus(other);
    const file = await startedFile(other, 'Price', a.accountId);
    await takeAnnounced(other);
    let applying: Promise<readonly RowOutcome[]> | undefined;
    let closing: Promise<void> | undefined;
    await whileHeld(database, a, async () => {
      applying = applied(store, file, priceRow(a.skuId, 1));
      await untilWaiting(database, 1);
      closing = store.close();
      await assert.rejects(store.files.applyRows(file, file.progress, [], NOW_MS), StoreUnavailableError);
    });
    assert.deepEqual(await applying, ['stored']);
    await closing;
    assert.deepEqual(await takeAnnounced(other), [a.accountId]);
  });

  test('files and single calls on the same SKUs never deadlock, and the highest number wins', async (t) => {
    const accountId = newAccountId();
    // The pool is as small as the pool of the bulk thread.
    const [store, other] = [await openFor(t, { connections_max: 4 }), await openFor(t)];
    const skuIds = Array.from({ length: 60 }, (_, index) => `sku-${index}`);
    const keys: WriteKey[] = skuIds.map((skuId) => ({ accountId, skuId, by: AUTHOR }));
    await Promise.all(keys.map((key) => putSku(store.offers, key, documentOf(), NOW_MS)));
    const files = await Promise.all(['Price', 'Price', 'Price'].map(() => startedFile(store, 'Price', accountId)));
    const writing = files.flatMap((file, index) => {
      const rows = skuIds.map((skuId) => priceRow(skuId, index + 1));
      return [rows, rows.toReversed()].map((each) => applied(store, file, ...each));
    });
    const calling = keys.toReversed().map((key, index) => {
      return index % 3 === 0 ? putPrice(other.offers, key, price(9), LATER_MS) : other.offers.readPrice(key);
    });
    await Promise.all([...writing, ...calling]);
    const newest = Math.max(...files.map(({ number }) => number));
    for (const [index, key] of keys.toReversed().entries()) {
      const { price: number } = (await store.offers.readNumbers(key)) ?? assert.fail();
      const stored = await store.offers.readPrice(key);
      assert.ok(typeof stored === 'object');
      if (index % 3 === 0) assert.ok(number > newest && stored.price === 9, key.skuId);
      else assert.equal(number, newest, key.skuId);
      assert.ok(number !== newest || stored.price === files.findIndex((file) => file.number === newest) + 1);
    }
  });
});
