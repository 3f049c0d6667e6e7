/** Contract tests for review marks: a change to an offer that is already due, or is in review, is reviewed too. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { dueIds, evidenceFor, review, reviewOf } from './due-offers.ts';
import { patchInventory, putGroup, putPrice, putSku, setArchived } from './put-parts.ts';
import type { CreateDatabase } from './subject.ts';
import { documentOf, LATER_MS, NOW_MS, sharedStore, uploadedKey } from './subject.ts';

type Change = (store: Store, key: WriteKey) => Promise<unknown>;

const price: Change = (store, key) => putPrice(store.offers, key, { price: 1, nodes: [] }, NOW_MS);
const stockAt =
  (nodeId: string): Change =>
  (store, key) =>
    patchInventory(store.offers, key, [{ fulfillment_node_id: nodeId, quantity: 1 }], NOW_MS);
const upload: Change = (store, key) => putSku(store.offers, key, documentOf('New'), LATER_MS);
const markByName: Change = (store, { accountId, skuId }) => store.review.markDue(accountId, [skuId]);
const group: Change = (store, key) =>
  putGroup(store.offers, key, { refinements: '[1]', title: null, childrenSkus: [] }, NOW_MS);
const archive: Change = (store, key) => setArchived(store.offers, key, true, LATER_MS);
const unarchive: Change = (store, key) => setArchived(store.offers, key, false, LATER_MS);

/** Each case starts with an offer that is due because of its upload. */
const BROUGHT: readonly (readonly [what: string, changes: readonly Change[]])[] = [
  ['the first price', [price]],
  ['the first stock', [stockAt('n1')]],
  ['a price and an upload', [price, upload]],
  ['a price and a mark by name', [price, markByName]],
  ['a price and a group', [price, group]],
  ['a price and archiving', [price, archive]],
];

export function reviewMarkContract(createDatabase: CreateDatabase): void {
  describe('marks of offers that are due', () => {
    const shared = sharedStore(createDatabase);

    for (const [what, changes] of BROUGHT) {
      test(`${what}: a verdict on the earlier state leaves the offer due`, async () => {
        const store = shared();
        const key = await uploadedKey(store, 'a');
        const [older] = await store.review.readDueOffers(key.accountId, 10);
        for (const change of changes) await change(store, key);
        const [newer] = await store.review.readDueOffers(key.accountId, 10);
        assert.ok(older && newer && newer.mark !== older.mark);
        await store.review.storeReviews(key.accountId, [reviewOf(older)], NOW_MS);
        assert.deepEqual(await store.review.readDueOffers(key.accountId, 10), [
          { ...newer, evidence: evidenceFor(older.document) },
        ]);
        await store.review.storeReviews(key.accountId, [reviewOf(newer)], NOW_MS);
        assert.deepEqual(await dueIds(store, key.accountId), []);
      });
    }

    test("every write that marks sets a new mark, also after one that kept the offer's place in the order", async () => {
      const store = shared();
      const key = await uploadedKey(store, 'a');
      const inTurn = [price, stockAt('n1'), stockAt('n2'), markByName, stockAt('n3'), group, stockAt('n4'), archive];
      const marks: (number | undefined)[] = [];
      for (const change of [...inTurn, unarchive, stockAt('n5'), upload]) {
        await change(store, key);
        marks.push((await store.review.readDueOffers(key.accountId, 1))[0]?.mark);
      }
      assert.equal(new Set(marks).size, inTurn.length + 3);
      assert.ok(!marks.includes(undefined));
    });

    test('a verdict removes all earlier marks', async () => {
      const store = shared();
      const key = await uploadedKey(store, 'a');
      for (const change of [price, stockAt('n1')]) await change(store, key);
      await review(store, key.accountId);
      await price(store, key);
      assert.deepEqual(await dueIds(store, key.accountId), []);
      await stockAt('n2')(store, key);
      const [due] = await store.review.readDueOffers(key.accountId, 10);
      await markByName(store, key);
      await store.review.storeReviews(key.accountId, [reviewOf(due ?? assert.fail())], NOW_MS);
      assert.deepEqual(await review(store, key.accountId), ['a']);
      assert.deepEqual(await dueIds(store, key.accountId), []);
    });
  });
}
