/** Tests that every write names its set of nodes, and that repeated sets are sent once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integers, jsonbs, texts } from '../engine/binary-arrays.ts';
import type { WriteOf } from './offer-commands.ts';
import { stockLists } from './stored-inventory.ts';

const NOW_MS = 1_800_000_000_000;

function stockOf(...quantities: readonly (readonly [nodeId: string, quantity: number])[]): WriteOf<'inventory'> {
  const nodes = new Map(quantities.map(([nodeId, quantity]) => [nodeId, { quantity, updatedMs: NOW_MS }]));
  return { part: 'inventory', skuId: 'a', nodes, by: 'key:first', atMs: NOW_MS };
}

test('writes of the same nodes share a set; the empty set counts too', () => {
  const writes = [
    stockOf(['n1', 5], ['n"2', 0]),
    stockOf(['n1', 1]),
    stockOf(['n1', 7], ['n"2', 8]),
    stockOf(),
    stockOf(['__proto__', 2]),
  ];
  assert.deepEqual(stockLists(writes, 9), [
    jsonbs([
      `{"n1":[5,${NOW_MS},9],"n\\"2":[0,${NOW_MS},9]}`,
      `{"n1":[1,${NOW_MS},9]}`,
      `{"n1":[7,${NOW_MS},9],"n\\"2":[8,${NOW_MS},9]}`,
      '{}',
      `{"__proto__":[2,${NOW_MS},9]}`,
    ]),
    integers([1, 2, 1, 3, 4]),
    jsonbs(['{"n1":[],"n\\"2":[]}', '{"n1":[]}', '{}', '{"__proto__":[]}']),
    texts(['{"n1":null,"n\\"2":null}', '{"n1":null}', null, '{"__proto__":null}']),
  ]);
});
