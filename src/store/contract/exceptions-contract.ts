/** Contract tests for a SKU's shipping exceptions and return locations. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '../port.ts';
import { putReturnLocations, putShippingExceptions, setArchived } from './put-parts.ts';
import { readReturnLocations, readShippingExceptions } from './read-parts.ts';
import { NOW_MS, newKey, uploadedKey } from './subject.ts';

const EXCEPTIONS = '[{"fulfillment_node_id":"é","shipping_exceptions":[{"service_level":"Standard"}]}]';

export function exceptionsContract(store: () => Store): void {
  describe('shipping exceptions', () => {
    test('are unset until they are sent, unknown for an unknown SKU', async () => {
      assert.equal(await readShippingExceptions(store().offers, await uploadedKey(store())), 'unset');
      assert.equal(await readShippingExceptions(store().offers, newKey()), 'unknown');
    });

    test('read back as sent, alone and with the offer, and are replaced as a whole', async () => {
      const key = await uploadedKey(store());
      for (const exceptions of ['[{"fulfillment_node_id":"a"}]', EXCEPTIONS]) {
        assert.equal(await putShippingExceptions(store().offers, key, exceptions, NOW_MS), 'stored');
        assert.equal(await readShippingExceptions(store().offers, key), exceptions);
        assert.equal((await store().offers.readOffer(key))?.clearable.shipping_exception, exceptions);
      }
    });

    test('null clears them, even if there are none', async () => {
      const key = await uploadedKey(store());
      await putShippingExceptions(store().offers, key, EXCEPTIONS, NOW_MS);
      for (let time = 0; time < 2; time++) {
        assert.equal(await putShippingExceptions(store().offers, key, null, NOW_MS), 'stored');
        assert.equal(await readShippingExceptions(store().offers, key), 'unset');
      }
      assert.equal((await store().offers.readOffer(key))?.clearable.shipping_exception, null);
    });

    test('are refused for unknown and archived SKUs', async () => {
      const key = await uploadedKey(store());
      await putShippingExceptions(store().offers, key, EXCEPTIONS, NOW_MS);
      await setArchived(store().offers, key, true, NOW_MS);
      for (const exceptions of ['[]', null]) {
        assert.equal(await putShippingExceptions(store().offers, newKey(), exceptions, NOW_MS), 'unknown');
        assert.equal(await putShippingExceptions(store().offers, key, exceptions, NOW_MS), 'archived');
      }
      assert.equal(await readShippingExceptions(store().offers, key), EXCEPTIONS);
    });
  });

  describe('return locations of a SKU', () => {
    test('are unset until they are sent, unknown for an unknown SKU', async () => {
      assert.equal(await readReturnLocations(store().offers, await uploadedKey(store())), 'unset');
      assert.equal(await readReturnLocations(store().offers, newKey()), 'unknown');
    });

    test('read back in the order sent, alone and with the offer, and are replaced as a whole', async () => {
      const key = await uploadedKey(store());
      for (const locationIds of [['z', 'a', 'é "😀"'], ['b']]) {
        assert.equal(await putReturnLocations(store().offers, key, locationIds, NOW_MS), 'stored');
        assert.deepEqual(await readReturnLocations(store().offers, key), locationIds);
        const text = JSON.stringify(locationIds);
        assert.equal((await store().offers.readOffer(key))?.clearable.returns_exception, text);
      }
    });

    test('null clears them, even if there are none', async () => {
      const key = await uploadedKey(store());
      await putReturnLocations(store().offers, key, ['a'], NOW_MS);
      for (let time = 0; time < 2; time++) {
        assert.equal(await putReturnLocations(store().offers, key, null, NOW_MS), 'stored');
        assert.equal(await readReturnLocations(store().offers, key), 'unset');
      }
      assert.equal((await store().offers.readOffer(key))?.clearable.returns_exception, null);
    });

    test('are refused for unknown and archived SKUs', async () => {
      const key = await uploadedKey(store());
      await putReturnLocations(store().offers, key, ['a'], NOW_MS);
      await setArchived(store().offers, key, true, NOW_MS);
      for (const locationIds of [['b'], null]) {
        assert.equal(await putReturnLocations(store().offers, newKey(), locationIds, NOW_MS), 'unknown');
        assert.equal(await putReturnLocations(store().offers, key, locationIds, NOW_MS), 'archived');
      }
      assert.deepEqual(await readReturnLocations(store().offers, key), ['a']);
    });
  });
}
