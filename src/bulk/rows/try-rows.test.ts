/** Tests files that are only validated: they have the errors of applied files, and nothing is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileEngine, SKU_BODY } from '../testing/file-engine.ts';

describe('files that are only validated', () => {
  it('have the errors of each row as if they were applied, and write nothing', async () => {
    const engine = new FileEngine({ slice_rows_max: 2 });
    await engine.upload('a', 'archived', 'b');
    await engine.put({ skuId: 'archived', part: 'archive', archived: true });
    const rows = { a: { price: 2 }, unknown: { price: 2 }, archived: { price: 2 }, b: { price: 0 } };
    const check = await engine.send('Price', rows, undefined, true);
    assert.equal(await engine.run(check), 'ended');
    assert.deepEqual(await engine.errorCodes(check), {
      unknown: ['sku_unknown'],
      archived: ['sku_archived'],
      b: ['too_small'],
    });
    const { rowsProcessed, rowsFailed, rowsSuperseded } = await engine.progress(check);
    assert.deepEqual([rowsProcessed, rowsFailed, rowsSuperseded], [4, 3, 0]);
    assert.deepEqual([engine.applied, engine.written, await engine.price('a')], [[], 0, undefined]);
    const applied = await engine.send('Price', rows);
    await engine.run(applied);
    assert.deepEqual(await engine.errors(applied), await engine.errors(check));
    assert.deepEqual(await engine.retry(applied), await engine.retry(check));
    assert.equal(await engine.price('a'), 2);
  });

  it('accept new SKUs, archive flags and groups, and refuse groups with an unknown child', async () => {
    const engine = new FileEngine();
    await engine.upload('a', 'b');
    const group = (child: string) => ({
      relationship: 'Variation',
      variation_refinements: [1],
      children_skus: [child],
    });
    const files = [
      await engine.send('MerchantSKUs', { new: SKU_BODY }, undefined, true),
      await engine.send('Archive', { a: { is_archived: true } }, undefined, true),
      await engine.send('Variation', { a: group('b'), b: group('x') }, undefined, true),
    ];
    for (const file of files) await engine.run(file);
    assert.deepEqual(await Promise.all(files.map((file) => engine.errorCodes(file))), [
      {},
      {},
      { b: ['child_unknown'] },
    ]);
    assert.deepEqual(engine.applied, []);
    assert.deepEqual([...(await engine.prices()).keys()], ['a', 'b']);
  });

  it('wait for SKUs of earlier files, but keep no later file waiting', async () => {
    const engine = new FileEngine();
    const skus = await engine.send('MerchantSKUs', { a: SKU_BODY });
    const check = await engine.send('Price', { a: { price: 1 } }, undefined, true);
    assert.equal(await engine.run(check), 'waiting');
    await engine.run(skus);
    assert.equal(await engine.run(check), 'ended');
    assert.equal(await engine.status(check), 'Processed successfully');
    await engine.send('MerchantSKUs', { b: SKU_BODY }, undefined, true);
    const prices = await engine.send('Price', { b: { price: 1 } });
    assert.equal(await engine.run(prices), 'ended');
    assert.deepEqual(await engine.errorCodes(prices), { b: ['sku_unknown'] });
  });
});
