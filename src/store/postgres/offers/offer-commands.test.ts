/** Tests that writes become few statements, and that writes to the same SKU keep their order. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Author } from '../../../domain/author.ts';
import { type RowWrite, stepsOf } from './offer-commands.ts';

const AUTHOR: Author = 'key:first';
const OTHER: Author = 'key:other';
const price = (skuId: string, amount: number, by = AUTHOR): RowWrite => {
  return { part: 'price', skuId, price: amount, nodes: '[]', by, atMs: amount };
};
const upload = (skuId: string, document: string, nowMs: number): RowWrite => {
  return { part: 'sku', skuId, document, firstMs: nowMs, by: AUTHOR, atMs: nowMs };
};
const stock = (skuId: string, ...nodes: [nodeId: string, quantity: number][]): RowWrite => {
  const stocked = new Map(nodes.map(([id, quantity]) => [id, { quantity, updatedMs: 1 }]));
  return { part: 'inventory', skuId, nodes: stocked, by: AUTHOR, atMs: 1 };
};
const flag = (archived: boolean, skuId: string, nowMs: number): RowWrite => {
  return { part: 'archive', skuId, archived, by: AUTHOR, atMs: nowMs };
};

/** Each step as a list of its rows. */
const rowsOf = (writes: RowWrite[]) => stepsOf(writes).map(([, rows]) => rows);

describe('steps', () => {
  test('no writes, no steps', () => {
    assert.deepEqual(stepsOf([]), []);
  });

  test('one kind on different SKUs is one statement, in the order of keys', () => {
    assert.deepEqual(
      rowsOf([price('b', 1), price('a', 2), price('c', 3)]).map((rows) =>
        rows.map(({ write, indexes }) => [write.skuId, indexes]),
      ),
      [
        [
          ['a', [1]],
          ['b', [0]],
          ['c', [2]],
        ],
      ],
    );
  });

  test('each kind on different SKUs is one statement', () => {
    const steps = stepsOf([price('a', 1), stock('b', ['n', 1]), price('c', 1)]);
    assert.deepEqual(
      steps.map(([kind]) => kind),
      ['price', 'inventory'],
    );
  });

  test('repeated writes of one kind are folded: the last one counts, all get their result', () => {
    assert.deepEqual(rowsOf([price('a', 1), price('b', 2), price('a', 3)]), [
      [
        { write: price('a', 3), indexes: [0, 2] },
        { write: price('b', 2), indexes: [1] },
      ],
    ]);
  });

  test('writes of different authors are not folded, so that each is recorded', () => {
    assert.deepEqual(rowsOf([price('a', 1), price('a', 2, OTHER), price('a', 3, OTHER)]), [
      [{ write: price('a', 1), indexes: [0] }],
      [{ write: price('a', 3, OTHER), indexes: [1, 2] }],
    ]);
  });

  test('folded stock has every node, with the last quantity sent', () => {
    const rows = rowsOf([stock('a', ['n', 1], ['m', 2]), stock('a', ['n', 3], ['o', 4])]);
    assert.deepEqual(rows, [[{ write: stock('a', ['n', 3], ['m', 2], ['o', 4]), indexes: [0, 1] }]]);
  });

  test('folded uploads keep the time of the first and the text of the last', () => {
    const rows = rowsOf([upload('a', 'old', 1), upload('a', 'new', 2)]);
    assert.deepEqual(rows, [[{ write: { ...upload('a', 'new', 2), firstMs: 1 }, indexes: [0, 1] }]]);
  });

  test('a flag that is set twice counts as set by the first write', () => {
    const rows = rowsOf([flag(true, 'a', 1), flag(true, 'a', 2)]);
    assert.deepEqual(rows, [[{ write: flag(true, 'a', 1), indexes: [0, 1] }]]);
  });

  test('a write of another kind to the same SKU comes later, and nothing is folded across it', () => {
    const writes = [price('a', 1), flag(true, 'a', 2), flag(false, 'a', 3), price('a', 4), price('b', 5)];
    assert.deepEqual(rowsOf(writes), [
      [
        { write: price('a', 1), indexes: [0] },
        { write: price('b', 5), indexes: [4] },
      ],
      [{ write: flag(true, 'a', 2), indexes: [1] }],
      [{ write: flag(false, 'a', 3), indexes: [2] }],
      [{ write: price('a', 4), indexes: [3] }],
    ]);
  });
});
