/** Tests that unrecognized fields are counted by name, once per row. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FileEngine, NODE } from '../testing/file-engine.ts';
import { countIgnored } from './ignored-fields.ts';

const rowsOf = (...ignored: readonly (readonly string[])[]) => ignored.map((pointers) => ({ ignored: pointers }));

describe('ignored fields', () => {
  it('are counted by row, whatever their index in lists', () => {
    const first = countIgnored([], rowsOf(['/pric'], [], ['/nodes/0/qty', '/nodes/12/qty', '/pric']));
    assert.deepEqual(first, [
      { field: '/pric', rows: 2 },
      { field: '/nodes/*/qty', rows: 1 },
    ]);
    assert.deepEqual(countIgnored(first, rowsOf(['/pric'])), [
      { field: '/pric', rows: 3 },
      { field: '/nodes/*/qty', rows: 1 },
    ]);
    assert.equal(countIgnored(first, rowsOf([], [])), first);
  });

  it('have 20 names at most, of 100 characters at most', () => {
    const many = Array.from({ length: 21 }, (_, index) => [`/f${index}x`]);
    const counted = countIgnored([], rowsOf(...many, ['/f0x'], ['/f20x']));
    assert.deepEqual(
      [counted.length, counted[0], counted.at(-1)],
      [20, { field: '/f0x', rows: 2 }, { field: '/f19x', rows: 1 }],
    );
    const long = countIgnored([], rowsOf([`/${'x'.repeat(98)}😀`]));
    assert.deepEqual(long, [{ field: `/${'x'.repeat(98)}\ufffd…`, rows: 1 }]);
  });
});

describe('the ignored fields of a file', () => {
  it('are those of rows that were stored and of rows that failed', async () => {
    const engine = new FileEngine({ slice_rows_max: 2 });
    await engine.upload('a', 'b', 'c');
    const node = { fulfillment_node_id: NODE.id, fulfillment_node_price: 2, prize: 1 };
    const file = await engine.send('Price', {
      a: { price: 1, pric: 2 },
      b: { pric: 2 },
      c: { price: 3, fulfillment_nodes: [node, node] },
      new: { price: 4, note: '' },
      '': { price: 5, unread: true },
    });
    await engine.run(file);
    assert.deepEqual((await engine.progress(file)).ignoredFields, [
      { field: '/pric', rows: 2 },
      { field: '/fulfillment_nodes/*/prize', rows: 1 },
      { field: '/note', rows: 1 },
    ]);
  });

  it('count once if a row was deferred', async () => {
    const engine = new FileEngine({ slice_rows_max: 2 });
    await engine.upload('a');
    const skus = await engine.send('MerchantSKUs', {});
    const rows = { a: { price: 1, pric: 1 }, late: { price: 1, pric: 1 } };
    const file = await engine.send('Price', gzipSync(JSON.stringify(rows)));
    assert.equal(await engine.run(file), 'waiting');
    assert.deepEqual((await engine.progress(file)).ignoredFields, [{ field: '/pric', rows: 1 }]);
    await engine.upload('late');
    await engine.run(skus);
    assert.equal(await engine.run(file), 'ended');
    assert.deepEqual((await engine.progress(file)).ignoredFields, [{ field: '/pric', rows: 2 }]);
  });
});
