/** That every write names its own set of nodes, and that sets which come again are sent once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integers, jsonbs, texts } from '../engine/binary-arrays.ts';
import { inventoryWrite } from './offer-commands.ts';
import { stockLists } from './stored-inventory.ts';

const NOW_MS = 1_800_000_000_000;

function stockOf(...quantities: readonly (readonly [nodeId: string, quantity: number])[]) {
  return inventoryWrite(
    'a',
    quantities.map(([fulfillment_node_id, quantity]) => ({ fulfillment_node_id, quantity })),
    { by: 'key:somebody', atMs: NOW_MS },
  );
}

test('writes of the same nodes share a set; no nodes are a set, too', () => {
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
