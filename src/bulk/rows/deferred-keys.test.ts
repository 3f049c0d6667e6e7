/** Tests the set of keys with deferred rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileEngine } from '../testing/file-engine.ts';
import { DeferredKeys, keyMark } from './deferred-keys.ts';

/** Returns two keys with the same hash. */
function twins(): readonly [string, string] {
  const keys = new Map<number, string>();
  for (let number = 0; ; number++) {
    const key = `sku-${number}`;
    const other = keys.get(keyMark(key));
    if (other !== undefined) return [other, key];
    keys.set(keyMark(key), key);
  }
}

describe('keys of rows that were deferred', () => {
  it('are known, from the lowest mark to the highest, and others are not', () => {
    const keys = new DeferredKeys();
    assert.equal(keys.mayHave('a'), false);
    for (const mark of [0, 2 ** 24 - 1, keyMark('a'), keyMark('😀')]) keys.add(mark);
    assert.deepEqual(
      ['a', '😀', 'b', ''].map((key) => keys.mayHave(key)),
      [true, true, false, false],
    );
  });

  it('have stable hashes of 24 bits, because lists store them', () => {
    assert.deepEqual(['', 'a', 'MUG-300'].map(keyMark), [0x1c9d44, 0x0c29c8, 0x5b31e1]);
    for (let number = 0; number < 10_000; number++) {
      const mark = keyMark(`sku-${number}`);
      assert.ok(Number.isInteger(mark) && mark >= 0 && mark < 2 ** 24, String(mark));
    }
  });

  it('also defer rows of another key with the same hash, which are applied with them', async () => {
    const engine = new FileEngine({ slice_rows_max: 1 });
    const [unknown, known] = twins();
    await engine.upload(known);
    const skus = await engine.send('MerchantSKUs', {});
    const file = await engine.send('Price', { [unknown]: { price: 1 }, [known]: { price: 2 } });
    assert.equal(await engine.run(file), 'waiting');
    assert.equal((await engine.progress(file)).rowsWaiting, 2);
    await engine.run(skus);
    assert.equal(await engine.run(file), 'ended');
    const { rowsProcessed, rowsFailed } = await engine.progress(file);
    assert.deepEqual([rowsProcessed, rowsFailed], [2, 1]);
    assert.equal(await engine.price(known), 2);
  });
});
