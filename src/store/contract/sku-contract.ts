/** Contract tests for uploading SKUs and reading them back. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredOffer } from '../port/offers.ts';
import { textTag } from '../port/part-tags.ts';
import type { Store } from '../port.ts';
import { review } from './due-offers.ts';
import {
  clearableOf,
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import { readGroup, readReturnLocations, readShippingExceptions } from './read-parts.ts';
import {
  AUTHOR,
  archivedKey,
  DIFFICULT_IDS,
  documentOf,
  LATER_MS,
  NOW_MS,
  newAccountId,
  newKey,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

const bareOffer = (document: string): StoredOffer => ({
  document,
  documentTag: textTag(document),
  archived: false,
  priced: false,
  clearable: clearableOf(),
  group: null,
  inGroup: false,
  stockNodeIds: [],
  evidence: {},
});
const BARE_OFFER = bareOffer(documentOf());

export function skuContract(store: () => Store): void {
  describe('SKUs', () => {
    test('a SKU that was never uploaded is unknown', async () => {
      const key = newKey();
      assert.equal(await store().offers.readSkuState(key), 'unknown');
      assert.equal(await store().offers.readOffer(key), undefined);
    });

    test('an uploaded SKU is open and reads back as it was sent', async () => {
      const key = newKey();
      assert.equal(await putSku(store().offers, key, documentOf(), NOW_MS), 'stored');
      assert.equal(await store().offers.readSkuState(key), 'open');
      assert.deepEqual(await store().offers.readOffer(key), BARE_OFFER);
    });

    test('a document keeps every character, and integers beyond 2^53', async () => {
      const document = '{"brand":"Ä \\u00e9 😀 \\"","id":9223372036854775807,"n":[1.10,1e2], "z" : null}';
      const key = newKey();
      await putSku(store().offers, key, document, NOW_MS);
      assert.deepEqual(await store().offers.readOffer(key), bareOffer(document));
    });

    test('a document may be large', async () => {
      const document = JSON.stringify({ brand: 'Acme', text: 'x€😀'.repeat(100_000) });
      const key = newKey();
      await putSku(store().offers, key, document, NOW_MS);
      assert.deepEqual(await store().offers.readOffer(key), bareOffer(document));
    });

    test('a second upload replaces only the document', async () => {
      const at = await uploadedSkus(store(), ['parent', 'child']);
      const key = at('parent');
      const group = { refinements: '[119]', title: 'Shirts', childrenSkus: ['child'] };
      await putPrice(store().offers, key, { price: 5, nodes: [] }, NOW_MS);
      await patchInventory(store().offers, key, [{ fulfillment_node_id: 'n', quantity: 3 }], NOW_MS);
      await putShippingExceptions(store().offers, key, '[1]', NOW_MS);
      await putReturnLocations(store().offers, key, ['here'], NOW_MS);
      await putGroup(store().offers, key, group, NOW_MS);

      assert.equal(await putSku(store().offers, key, documentOf('Other'), LATER_MS), 'stored');

      assert.deepEqual(await store().offers.readOffer(key), {
        ...bareOffer(documentOf('Other')),
        priced: true,
        clearable: clearableOf({ shipping_exception: '[1]', returns_exception: '["here"]' }),
        group,
        inGroup: true,
        stockNodeIds: ['n'],
      });
      assert.deepEqual(await store().offers.readPrice(key), { price: 5, nodes: [], updatedMs: NOW_MS });
      assert.deepEqual(await store().offers.readInventory(key), {
        nodes: [{ fulfillment_node_id: 'n', quantity: 3, updatedMs: NOW_MS }],
        stampMs: null,
      });
    });

    test('an archived SKU refuses the upload and keeps its document', async () => {
      const key = await archivedKey(store());
      assert.equal(await putSku(store().offers, key, documentOf('Other'), LATER_MS), 'archived');
      assert.equal(await store().offers.readSkuState(key), 'archived');
      assert.deepEqual(await store().offers.readOffer(key), { ...BARE_OFFER, archived: true });
    });

    test('an offer shows whether it has a price', async () => {
      const key = await uploadedKey(store());
      await putPrice(store().offers, key, { price: 1, nodes: [] }, NOW_MS);
      assert.deepEqual(await store().offers.readOffer(key), { ...BARE_OFFER, priced: true });
    });

    test('ids that look alike are different SKUs', async () => {
      const accountId = newAccountId();
      for (const skuId of DIFFICULT_IDS) {
        assert.equal(await store().offers.readSkuState({ accountId, skuId }), 'unknown', `${skuId} is unknown before`);
        await putSku(store().offers, { accountId, skuId, by: AUTHOR }, documentOf(skuId), NOW_MS);
      }
      for (const skuId of DIFFICULT_IDS) {
        assert.deepEqual(await store().offers.readOffer({ accountId, skuId }), bareOffer(documentOf(skuId)));
      }
    });

    test("accounts do not see each other's writes", async () => {
      const mine = await uploadedKey(store());
      const theirs = { ...mine, accountId: newAccountId() };
      const unknown = ['unknown', undefined, 'unknown', undefined, 'unknown', 'unknown', 'unknown'];
      const readAll = () =>
        Promise.all([
          store().offers.readSkuState(theirs),
          store().offers.readOffer(theirs),
          store().offers.readPrice(theirs),
          store().offers.readInventory(theirs),
          readShippingExceptions(store().offers, theirs),
          readReturnLocations(store().offers, theirs),
          readGroup(store().offers, theirs),
        ]);
      assert.deepEqual(await readAll(), unknown);
      assert.equal(await putPrice(store().offers, theirs, { price: 1, nodes: [] }, NOW_MS), 'unknown');
      assert.equal(await setArchived(store().offers, theirs, true, NOW_MS), 'unknown');
      assert.deepEqual(await readAll(), unknown);

      await putSku(store().offers, theirs, documentOf('Theirs'), NOW_MS);
      await setArchived(store().offers, theirs, true, NOW_MS);
      assert.deepEqual(await store().offers.readOffer(mine), BARE_OFFER);
    });

    test('a whole offer has everything that the single reads return', async () => {
      const at = await uploadedSkus(store(), ['a', 'b', 'c']);
      const { offers } = store();
      const quantity = (fulfillment_node_id: string) => ({ fulfillment_node_id, quantity: 1 });
      const areSame = async () => {
        for (const skuId of ['a', 'b', 'c']) {
          const key = at(skuId);
          const [offer, shown] = [await offers.readOffer(key), await offers.readReviewedOffer(key)];
          const [price, inventory] = [await offers.readPrice(key), await offers.readInventory(key)];
          assert.deepEqual(await offers.readWholeOffer(key), { ...offer, ...shown, price, inventory }, skuId);
        }
      };
      await areSame();
      await putPrice(
        offers,
        at('a'),
        { price: 0.1 + 0.2, nodes: [{ fulfillment_node_id: 'n', fulfillment_node_price: 7 }] },
        LATER_MS,
      );
      await patchInventory(offers, at('a'), [quantity('z "west" 😀'), quantity('n1')], LATER_MS);
      await patchInventory(offers, at('c'), [quantity('n1')], NOW_MS);
      await putShippingExceptions(offers, at('a'), '["some"]', NOW_MS);
      await putReturnLocations(offers, at('a'), ['dock'], NOW_MS);
      await putGroup(offers, at('a'), { refinements: '[1]', title: 'Pots', childrenSkus: ['b'] }, NOW_MS);
      await setArchived(offers, at('c'), true, LATER_MS);
      await areSame();
      await review(store(), at('a').accountId);
      await areSame();
      assert.deepEqual((await offers.readWholeOffer(at('a')))?.verdict?.subStatuses, ['Missing price']);
      assert.equal(await offers.readWholeOffer(at('unknown')), undefined);
    });
  });
}
