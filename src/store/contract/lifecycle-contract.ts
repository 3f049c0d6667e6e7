/** Contract tests for order of arrival, durability, and closing a store. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeQuantity } from '../../domain/offers/part.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { patchInventory, putPrice, putShippingExceptions, putSku, setArchived } from './put-parts.ts';
import {
  AUTHOR,
  type CreateDatabase,
  documentOf,
  NOW_MS,
  newAccountId,
  newCredential,
  newKey,
  newMerchant,
  openFor,
  uploadedKey,
} from './subject.ts';

export function lifecycleContract(store: () => Store, createDatabase: CreateDatabase): void {
  describe('order of arrival', () => {
    test('a write is visible to later calls, even before its call returns', async () => {
      const key = newKey();
      const price = { price: 1, nodes: [] };
      const outcomes = await Promise.all([
        putPrice(store().offers, key, price, NOW_MS),
        putSku(store().offers, key, documentOf(), NOW_MS),
        putPrice(store().offers, key, price, NOW_MS),
        setArchived(store().offers, key, true, NOW_MS),
        putPrice(store().offers, key, price, NOW_MS),
        setArchived(store().offers, key, false, NOW_MS),
        putShippingExceptions(store().offers, key, '[]', NOW_MS),
      ]);
      assert.deepEqual(outcomes, ['unknown', 'stored', 'stored', 'stored', 'archived', 'stored', 'stored']);
    });

    test('of 1,000 mixed writes called at once, the last one called for a SKU wins', async () => {
      const accountId = newAccountId();
      const keys = Array.from(
        { length: 7 },
        (_, number): WriteKey => ({ accountId, skuId: `sku-${number}`, by: AUTHOR }),
      );
      const last = new Map<WriteKey, { document: string; price: number; quantity: number }>();
      const outcomes: Promise<string>[] = [];
      for (const key of keys) outcomes.push(putSku(store().offers, key, documentOf(), NOW_MS));
      for (let call = 0; call < 1000; call++) {
        const key = keys[(call * call) % keys.length] as WriteKey;
        const expected = last.get(key) ?? { document: documentOf(), price: -1, quantity: -1 };
        last.set(key, expected);
        if (call % 3 === 0) {
          expected.document = documentOf(`Brand ${call}`);
          outcomes.push(putSku(store().offers, key, expected.document, NOW_MS));
        } else if (call % 3 === 1) {
          expected.price = call;
          outcomes.push(putPrice(store().offers, key, { price: call, nodes: [] }, NOW_MS + call));
        } else {
          expected.quantity = call;
          outcomes.push(patchInventory(store().offers, key, [quantity('n', call)], NOW_MS + call));
        }
      }
      assert.deepEqual(new Set(await Promise.all(outcomes)), new Set(['stored']));
      for (const [key, { document, price, quantity: amount }] of last) {
        assert.equal((await store().offers.readOffer(key))?.document, document);
        assert.deepEqual(
          await store().offers.readPrice(key),
          price === -1 ? 'unset' : { price, nodes: [], updatedMs: NOW_MS + price },
        );
        assert.deepEqual(await store().offers.readInventory(key), {
          nodes: amount === -1 ? [] : [{ ...quantity('n', amount), updatedMs: NOW_MS + amount }],
          stampMs: amount === -1 ? NOW_MS : null,
        });
      }
    });

    test('a read that follows a completed write sees it, in the lists too', async () => {
      for (let turn = 0; turn < 50; turn++) {
        const key = await uploadedKey(store());
        assert.equal(await store().offers.readSkuState(key), 'open');
        assert.deepEqual(await store().offers.listSkus(key.accountId, { after: undefined, offset: 0, limit: 1 }), {
          skuIds: [key.skuId],
          more: false,
        });
      }
    });
  });

  describe('opening and closing', () => {
    test('close finishes accepted writes, which a store opened later contains', async (t) => {
      const database = await createDatabase();
      const store = await openFor(t, database);
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const accountId = newAccountId();
      const keys = Array.from(
        { length: 500 },
        (_, number): WriteKey => ({ accountId, skuId: `sku-${number}`, by: AUTHOR }),
      );
      const writes = keys.map((key) => putSku(store.offers, key, documentOf(key.skuId), NOW_MS));
      const list = store.offers.listSkus(newAccountId(), { after: undefined, offset: 0, limit: 1 });
      const closed = store.close();
      assert.deepEqual(new Set(await Promise.all(writes)), new Set(['stored']));
      assert.deepEqual(await list, { skuIds: [], more: false });
      await closed;

      const again = await openFor(t, database);
      for (const key of keys) assert.equal((await again.offers.readOffer(key))?.document, documentOf(key.skuId));
      assert.equal((await again.settings.readMerchant(merchant.merchantId))?.name, merchant.name);
    });

    test('a closed store refuses every kind of call, and may be closed again', async (t) => {
      const database = await createDatabase();
      const store = await openFor(t, database);
      await store.ping();
      await store.close();
      const calls = [
        () => store.ping(),
        () => store.offers.readSkuState(newKey()),
        () => store.offers.readPrice(newKey()),
        () => store.offers.listSkus(1, { after: undefined, offset: 0, limit: 1 }),
        () => store.offers.readMembers(1, ['a'], [119]),
        () => putSku(store.offers, newKey(), documentOf(), NOW_MS),
        () => setArchived(store.offers, newKey(), true, NOW_MS),
        () => store.settings.readSetupVersion(),
        () => store.settings.listMerchants(),
        () => store.settings.addMerchant(newMerchant(), NOW_MS),
        () => store.settings.rollCredential(1, null, newCredential(), NOW_MS, NOW_MS),
      ];
      for (const call of calls) await assert.rejects(async () => call(), StoreUnavailableError, call.toString());
      await store.close();
    });
  });
}

function quantity(nodeId: string, amount: number): NodeQuantity {
  return { fulfillment_node_id: nodeId, quantity: amount };
}
