/** Contract tests for inventory, and for archiving, which sets it to zero. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeQuantity } from '../../domain/offers/part.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { patchInventory, putSku, setArchived } from './put-parts.ts';
import { archivedKey, LATER_MS, NOW_MS, newKey, uploadedKey } from './subject.ts';

export function inventoryContract(store: () => Store): void {
  describe('inventory', () => {
    test('is unknown for an unknown SKU', async () => {
      assert.equal(await store().offers.readInventory(newKey()), undefined);
    });

    test('is empty until it is sent, with the time of the first upload', async () => {
      const key = await uploadedKey(store());
      await putSku(store().offers, key, '{"brand":"Other"}', LATER_MS);
      assert.deepEqual(await store().offers.readInventory(key), { nodes: [], stampMs: NOW_MS });
    });

    test('a patch changes only its nodes; they are read in code point order', async () => {
      const key = await uploadedKey(store());
      const first = [quantity('b', 1), quantity('😀', 2), quantity('\uffee', 3), quantity('B', 4), quantity('a', 5)];
      assert.equal(await patchInventory(store().offers, key, first, NOW_MS), 'stored');
      assert.equal(
        await patchInventory(store().offers, key, [quantity('b', 10), quantity('c', 0)], LATER_MS),
        'stored',
      );
      assert.deepEqual(await store().offers.readInventory(key), {
        nodes: [
          { ...quantity('B', 4), updatedMs: NOW_MS },
          { ...quantity('a', 5), updatedMs: NOW_MS },
          { ...quantity('b', 10), updatedMs: LATER_MS },
          { ...quantity('c', 0), updatedMs: LATER_MS },
          { ...quantity('\uffee', 3), updatedMs: NOW_MS },
          { ...quantity('😀', 2), updatedMs: NOW_MS },
        ],
        stampMs: null,
      });
    });

    test('a patch without nodes changes nothing', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('a', 1)], NOW_MS);
      const before = await store().offers.readInventory(key);
      assert.equal(await patchInventory(store().offers, key, [], LATER_MS), 'stored');
      assert.deepEqual(await store().offers.readInventory(key), before);
    });

    test('a SKU can have a thousand nodes with the largest quantity', async () => {
      const key = await uploadedKey(store());
      const nodes = Array.from({ length: 1000 }, (_, place) => quantity(`n${1000 + place}`, 2_147_483_647));
      assert.equal(await patchInventory(store().offers, key, nodes, NOW_MS), 'stored');
      assert.deepEqual(await store().offers.readInventory(key), {
        nodes: nodes.map((node) => ({ ...node, updatedMs: NOW_MS })),
        stampMs: null,
      });
    });

    test('a patch is refused for unknown and archived SKUs, even an empty one', async () => {
      const archived = await archivedKey(store());
      for (const nodes of [[], [quantity('a', 1)]]) {
        assert.equal(await patchInventory(store().offers, newKey(), nodes, LATER_MS), 'unknown');
        assert.equal(await patchInventory(store().offers, archived, nodes, LATER_MS), 'archived');
      }
      assert.deepEqual(await store().offers.readInventory(archived), { nodes: [], stampMs: NOW_MS });
    });
  });

  describe('archiving', () => {
    test('an unknown SKU cannot be archived or unarchived, and is not created', async () => {
      const key = newKey();
      assert.equal(await setArchived(store().offers, key, true, NOW_MS), 'unknown');
      assert.equal(await setArchived(store().offers, key, false, NOW_MS), 'unknown');
      assert.equal(await store().offers.readSkuState(key), 'unknown');
    });

    test('archiving zeroes every node and sets its time', async () => {
      const key = await stockedKey(store());
      assert.equal(await setArchived(store().offers, key, true, LATER_MS), 'stored');
      assert.equal(await store().offers.readSkuState(key), 'archived');
      assert.deepEqual(await store().offers.readInventory(key), emptied(LATER_MS));
    });

    test('archiving and unarchiving set the time of a SKU without stock', async () => {
      const key = await uploadedKey(store());
      await setArchived(store().offers, key, true, LATER_MS);
      assert.deepEqual(await store().offers.readInventory(key), { nodes: [], stampMs: LATER_MS });
      await setArchived(store().offers, key, false, LATER_MS + 1);
      assert.deepEqual(await store().offers.readInventory(key), { nodes: [], stampMs: LATER_MS + 1 });
    });

    test('archiving again changes nothing', async () => {
      const key = await stockedKey(store());
      await setArchived(store().offers, key, true, LATER_MS);
      assert.equal(await setArchived(store().offers, key, true, LATER_MS + 1), 'stored');
      assert.deepEqual(await store().offers.readInventory(key), emptied(LATER_MS));
    });

    test('unarchiving also zeroes the stock and sets its time, and opens the SKU', async () => {
      const key = await stockedKey(store());
      await setArchived(store().offers, key, true, LATER_MS);
      assert.equal(await setArchived(store().offers, key, false, LATER_MS + 1), 'stored');
      assert.equal(await store().offers.readSkuState(key), 'open');
      assert.deepEqual(await store().offers.readInventory(key), emptied(LATER_MS + 1));
      assert.equal(await patchInventory(store().offers, key, [quantity('a', 9)], LATER_MS + 2), 'stored');
      assert.deepEqual(await store().offers.readInventory(key), {
        nodes: [
          { ...quantity('a', 9), updatedMs: LATER_MS + 2 },
          { ...quantity('b', 0), updatedMs: LATER_MS + 1 },
        ],
        stampMs: null,
      });
    });

    test('unarchiving an open SKU changes nothing', async () => {
      const key = await stockedKey(store());
      const before = await store().offers.readInventory(key);
      assert.equal(await setArchived(store().offers, key, false, LATER_MS), 'stored');
      assert.equal(await store().offers.readSkuState(key), 'open');
      assert.deepEqual(await store().offers.readInventory(key), before);
    });

    test('archiving does not change the stock of other SKUs', async () => {
      const key = await stockedKey(store());
      const other = { ...key, skuId: 'other' };
      await putSku(store().offers, other, '{"brand":"Acme"}', NOW_MS);
      await patchInventory(store().offers, other, [quantity('a', 4)], NOW_MS);
      await setArchived(store().offers, key, true, LATER_MS);
      assert.deepEqual(await store().offers.readInventory(other), {
        nodes: [{ ...quantity('a', 4), updatedMs: NOW_MS }],
        stampMs: null,
      });
    });
  });
}

function quantity(nodeId: string, amount: number): NodeQuantity {
  return { fulfillment_node_id: nodeId, quantity: amount };
}

async function stockedKey(store: Store): Promise<WriteKey> {
  const key = await uploadedKey(store);
  await patchInventory(store.offers, key, [quantity('a', 5), quantity('b', 6)], NOW_MS);
  return key;
}

function emptied(atMs: number) {
  return {
    nodes: [
      { ...quantity('a', 0), updatedMs: atMs },
      { ...quantity('b', 0), updatedMs: atMs },
    ],
    stampMs: null,
  };
}
