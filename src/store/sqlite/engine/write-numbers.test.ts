/** Tests that sequence numbers only grow across connections, and that writes of a batch share one. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { patchInventory, putPrice, putShippingExceptions, putSku } from '../../contract/put-parts.ts';
import { drawNumber, NOW_MS, uploadedSkus } from '../../contract/subject.ts';
import type { SkuKey } from '../../port/offers.ts';
import type { Store } from '../../port.ts';
import { openSqliteStore } from '../open.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { openForWriting } from './engine.ts';
import { migrate } from './migrations.ts';
import { writeTransaction } from './transactions.ts';
import { RESERVED_TOGETHER, WriteNumbers } from './write-numbers.ts';

const PRICE = { price: 1, nodes: [] };

describe('the counter of writes', () => {
  test('numbers are consecutive, even across reservations', (t) => {
    const { transact } = openNumbers(t, join(temporaryDir(), 'new.db'));
    for (let number = 1; number <= 2 * RESERVED_TOGETHER + 1; number++) {
      assert.equal(
        transact((numbers) => numbers.drawApart()),
        number,
      );
    }
  });

  test('two connections that take turns draw growing ones', (t) => {
    const file = join(temporaryDir(), 'new.db');
    const connections = [openNumbers(t, file), openNumbers(t, file)];
    const drawn = [0, 1, 1, 0, 0, 1, 0, 1].map((place) => connections[place]?.transact((numbers) => numbers.current()));
    assert.deepEqual(
      drawn,
      drawn.toSorted((a = 0, b = 0) => a - b),
    );
    assert.equal(new Set(drawn).size, drawn.length);
  });

  test('numbers that a rolled-back transaction reserved are not used twice', (t) => {
    const file = join(temporaryDir(), 'new.db');
    const [first, second] = [openNumbers(t, file), openNumbers(t, file)];
    const failure = new Error('rolled back');
    assert.throws(
      () =>
        first.transact((numbers) => {
          numbers.current();
          throw failure;
        }),
      failure,
    );
    // The counter has the value that the first connection left, but the second connection set it.
    const drawn = [second, first, second].map(({ transact }) => transact((numbers) => numbers.current()));
    const [one = 0, two = 0, three = 0] = drawn;
    assert.ok(one < two && two < three, drawn.join(', '));
  });
});

describe('numbers of a batch', () => {
  let store: Store;
  before(async () => {
    store = await openSqliteStore({ dataDir: temporaryDir(), onFatal: (error) => assert.fail(error) });
  });
  after(() => store.close());

  test('writes that are committed together share one number', async () => {
    const keyOf = await uploadedSkus(store, ['a', 'b']);
    const drawn = await drawNumber(store);
    await Promise.all([
      putPrice(store.offers, keyOf('a'), PRICE, NOW_MS),
      putPrice(store.offers, keyOf('b'), PRICE, NOW_MS),
      putShippingExceptions(store.offers, keyOf('a'), '[]', NOW_MS),
    ]);
    assert.deepEqual(await pricesOf(store, [keyOf('a'), keyOf('b')]), [drawn + 1, drawn + 1]);
    assert.equal((await store.offers.readNumbers(keyOf('a')))?.shipping_exception, drawn + 1);
    await putPrice(store.offers, keyOf('b'), PRICE, NOW_MS);
    assert.deepEqual(await pricesOf(store, [keyOf('a'), keyOf('b')]), [drawn + 1, drawn + 2]);
  });

  test('a number drawn between writes lies between their numbers', async () => {
    const keyOf = await uploadedSkus(store, ['a', 'b', 'c']);
    const drawn = await drawNumber(store);
    const [, first, second] = await Promise.all([
      putPrice(store.offers, keyOf('a'), PRICE, NOW_MS),
      drawNumber(store),
      drawNumber(store),
      putPrice(store.offers, keyOf('b'), PRICE, NOW_MS),
      putPrice(store.offers, keyOf('c'), PRICE, NOW_MS),
    ]);
    assert.deepEqual([first, second], [drawn + 2, drawn + 3]);
    const keys = ['a', 'b', 'c'].map(keyOf);
    assert.deepEqual(await pricesOf(store, keys), [drawn + 1, drawn + 4, drawn + 4]);
  });

  test('a batch in which one write fails gives each other write its own number', async () => {
    const keyOf = await uploadedSkus(store, ['a', 'b']);
    const before = await drawNumber(store);
    const notText = new Uint8Array(3) as unknown as string;
    const [, bad, drawn] = await Promise.allSettled([
      putPrice(store.offers, keyOf('a'), PRICE, NOW_MS),
      putSku(store.offers, keyOf('bad'), notText, NOW_MS),
      drawNumber(store),
      putPrice(store.offers, keyOf('b'), PRICE, NOW_MS),
    ]);
    assert.equal(bad.status, 'rejected');
    assert.ok(drawn.status === 'fulfilled');
    const [a = 0, b = 0] = await pricesOf(store, [keyOf('a'), keyOf('b')]);
    assert.ok(before < a && a < drawn.value && drawn.value < b, [before, a, drawn.value, b].join(', '));
    assert.ok((await drawNumber(store)) > b);
  });

  test('a batch without writes draws no number', async () => {
    const keyOf = await uploadedSkus(store, ['a']);
    const drawn = await drawNumber(store);
    await Promise.all([
      store.ping(),
      putPrice(store.offers, keyOf('unknown'), PRICE, NOW_MS),
      patchInventory(store.offers, keyOf('a'), [], NOW_MS),
    ]);
    assert.equal(await drawNumber(store), drawn + 1);
  });
});

/** Opens a separate connection, with a function that runs work in a transaction. */
function openNumbers(t: TestContext, file: string) {
  const connection = openForWriting(file);
  t.after(() => connection.close());
  migrate(connection);
  const numbers = new WriteNumbers(connection);
  const transaction = writeTransaction(connection, numbers);
  const transact = (work: (numbers: WriteNumbers) => number): number => {
    transaction.begin();
    try {
      const number = work(numbers);
      transaction.commit();
      return number;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  };
  return { transact };
}

function pricesOf(store: Store, keys: readonly SkuKey[]): Promise<(number | undefined)[]> {
  return Promise.all(keys.map(async (key) => (await store.offers.readNumbers(key))?.price));
}
