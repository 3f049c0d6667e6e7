/** Tests that a slice of rows is written completely or not at all, and that its size is limited. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PartWrite } from '../../../domain/offers/part.ts';
import { applied, movedTo, startedFile } from '../../contract/bulk-files.ts';
import { patchInventory, putPrice } from '../../contract/put-parts.ts';
import { documentOf, NOW_MS, newAccountId, uploadedSkus } from '../../contract/subject.ts';
import { openStoreFor } from '../testing/open-for.ts';

describe('slices of rows', () => {
  test('a row that cannot be written rolls back the rows before it and the progress; the file continues from there', async (t) => {
    const store = await openStoreFor(t);
    const accountId = newAccountId();
    const file = await startedFile(store, 'MerchantSKUs', accountId);
    const good: PartWrite = { part: 'sku', skuId: 'good', document: documentOf() };
    const bad: PartWrite = { part: 'sku', skuId: 'bad', document: new Uint8Array(3) as unknown as string };
    const moved = movedTo(file, { offset: 10, rowsProcessed: 1 });
    await assert.rejects(
      store.files.applyRows(file, moved, [good, bad], NOW_MS),
      /cannot store BLOB value in TEXT column/,
    );
    assert.equal(await store.offers.readSkuState({ accountId, skuId: 'good' }), 'unknown');
    assert.deepEqual(await store.files.readFile(accountId, file.fileId), file);
    assert.deepEqual(await store.review.readDueOffers(accountId, 10), []);
    assert.deepEqual(await store.files.applyRows(file, moved, [good], NOW_MS), ['stored']);
    assert.deepEqual((await store.files.readFile(accountId, file.fileId))?.progress, moved);
  });

  test('more rows than a slice holds, or rows of two kinds, are refused', async (t) => {
    const store = await openStoreFor(t);
    const at = await uploadedSkus(store, ['a']);
    const file = await startedFile(store, 'Price', at('').accountId);
    const price: PartWrite = { part: 'price', skuId: 'a', price: 1, nodes: [] };
    const rows = Array<PartWrite>(store.files.slice_rows_max).fill(price);
    const { progress } = file;
    await assert.rejects(store.files.applyRows(file, progress, [...rows, price], NOW_MS), {
      name: 'Error',
      message: '801 rows are too many for one slice.',
    });
    const archive: PartWrite = { part: 'archive', skuId: 'a', archived: true };
    await assert.rejects(store.files.applyRows(file, progress, [price, archive], NOW_MS), {
      name: 'Error',
      message: 'All rows of a file must write the same part.',
    });
    assert.equal(await store.offers.readPrice(at('a')), 'unset');
    assert.deepEqual(await applied(store, file, ...rows), Array(800).fill('stored'));
  });

  test('first and later prices and quantities are distinguished in any mixture', async (t) => {
    const store = await openStoreFor(t);
    const skuIds = Array.from({ length: 12 }, (_, place) => `s-${place}`);
    const at = await uploadedSkus(store, skuIds);
    const { accountId } = at('');
    const old = ['s-1', 's-2', 's-5', 's-8', 's-9', 's-10'];
    const stock = (quantity: number) => [{ fulfillment_node_id: 'n', quantity }];
    await Promise.all(old.map((skuId) => putPrice(store.offers, at(skuId), { price: 1, nodes: [] }, NOW_MS)));
    await Promise.all(old.map((skuId) => patchInventory(store.offers, at(skuId), stock(1), NOW_MS)));
    const prices = await startedFile(store, 'Price', accountId);
    const stocks = await startedFile(store, 'Inventory', accountId);
    const newer = ['s-2', 's-3', 's-9'];
    await Promise.all(newer.map((skuId) => putPrice(store.offers, at(skuId), { price: 2, nodes: [] }, NOW_MS)));
    await Promise.all(newer.map((skuId) => patchInventory(store.offers, at(skuId), stock(2), NOW_MS)));
    const outcomes = skuIds.map((skuId) => (newer.includes(skuId) ? 'superseded' : 'stored'));
    const priceRows = skuIds.map((skuId) => ({ part: 'price', skuId, price: 3, nodes: [] }) as const);
    const stockRows = skuIds.map((skuId) => ({ part: 'inventory', skuId, quantities: stock(3) }) as const);
    assert.deepEqual(await applied(store, prices, ...priceRows), outcomes);
    assert.deepEqual(await applied(store, stocks, ...stockRows), outcomes);
    for (const skuId of skuIds) {
      const expected = newer.includes(skuId) ? 2 : 3;
      const price = await store.offers.readPrice(at(skuId));
      const inventory = await store.offers.readInventory(at(skuId));
      assert.equal(typeof price === 'object' && price.price, expected, skuId);
      assert.equal(inventory?.nodes[0]?.quantity, expected, skuId);
    }
  });
});
