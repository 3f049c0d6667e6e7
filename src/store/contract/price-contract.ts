/** Contract tests for prices. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '../port.ts';
import { putPrice, putSku, setArchived } from './put-parts.ts';
import { archivedKey, LATER_MS, NOW_MS, newKey, uploadedKey } from './subject.ts';

export function priceContract(store: () => Store): void {
  describe('prices', () => {
    test('a SKU without a price reads as unset, a SKU that does not exist as unknown', async () => {
      assert.equal(await store().offers.readPrice(await uploadedKey(store())), 'unset');
      assert.equal(await store().offers.readPrice(newKey()), 'unknown');
    });

    test('a price reads back with its node prices in the order sent', async () => {
      const key = await uploadedKey(store());
      const nodes = [
        { fulfillment_node_id: 'z "west" 😀', fulfillment_node_price: 10.1 },
        { fulfillment_node_id: 'a', fulfillment_node_price: 0.01 },
      ];
      assert.equal(await putPrice(store().offers, key, { price: 19.99, nodes }, LATER_MS), 'stored');
      assert.deepEqual(await store().offers.readPrice(key), { price: 19.99, nodes, updatedMs: LATER_MS });
    });

    test('a price replaces the previous one, node prices included', async () => {
      const key = await uploadedKey(store());
      const nodes = [{ fulfillment_node_id: 'a', fulfillment_node_price: 7 }];
      await putPrice(store().offers, key, { price: 8, nodes }, NOW_MS);
      assert.equal(await putPrice(store().offers, key, { price: 9, nodes: [] }, LATER_MS), 'stored');
      assert.deepEqual(await store().offers.readPrice(key), { price: 9, nodes: [], updatedMs: LATER_MS });
    });

    test('amounts are returned exactly', async () => {
      const key = await uploadedKey(store());
      for (const price of [0.01, 0.1 + 0.2, 1, 1234567.89, 1_000_000_000]) {
        const nodes = [{ fulfillment_node_id: 'a', fulfillment_node_price: price }];
        await putPrice(store().offers, key, { price, nodes }, NOW_MS);
        assert.deepEqual(await store().offers.readPrice(key), { price, nodes, updatedMs: NOW_MS });
      }
    });

    test('an unknown SKU refuses a price and is not created', async () => {
      const key = newKey();
      assert.equal(await putPrice(store().offers, key, { price: 1, nodes: [] }, NOW_MS), 'unknown');
      assert.equal(await store().offers.readPrice(key), 'unknown');
      await putSku(store().offers, key, '{"brand":"Acme"}', LATER_MS);
      assert.equal(await store().offers.readPrice(key), 'unset');
    });

    test('an archived SKU refuses a price and keeps the stored one', async () => {
      const key = await uploadedKey(store());
      await putPrice(store().offers, key, { price: 1, nodes: [] }, NOW_MS);
      await setArchived(store().offers, key, true, NOW_MS);
      assert.equal(await putPrice(store().offers, key, { price: 2, nodes: [] }, LATER_MS), 'archived');
      assert.deepEqual(await store().offers.readPrice(key), { price: 1, nodes: [], updatedMs: NOW_MS });
      assert.equal(await store().offers.readPrice(await archivedKey(store())), 'unset');
    });
  });
}
