/**
 * Contract tests for the history: it records every change to an offer with author, time, old and new value, and nothing else.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Author } from '../../domain/author.ts';
import type { OfferChange } from '../../domain/offers/history.ts';
import type { NodeChange } from '../../domain/offers/part.ts';
import type { HistoryPage } from '../port/history.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import type { ClearedStores } from './subject.ts';
import {
  AUTHOR,
  documentOf,
  drawNumber,
  LATER_MS,
  NOW_MS,
  newKey,
  newMerchant,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

const ANNA: Author = 'person:anna@shop.example';
const ALL = { after: undefined, limit: 1000, sinceMs: 0 };
const DAY_MS = 86_400_000;

/** Returns the whole history of the SKU, newest first. Checks the order of the ids, which the adapter assigns, then sets them to 0. */
export async function historyOf(store: Store, key: WriteKey): Promise<readonly OfferChange[]> {
  const page: HistoryPage = (await store.history.readHistory(key, ALL)) ?? assert.fail('The SKU must exist.');
  assert.equal(page.next, undefined);
  for (const [place, { id }] of page.changes.slice(1).entries()) assert.ok(id < (page.changes[place]?.id ?? 0));
  return page.changes.map((change) => ({ ...change, id: 0 }));
}

const by = (author: Author, atMs: number) => ({ id: 0, by: author, atMs });
const stock = (...nodes: readonly NodeChange[]) => ({ part: 'inventory', nodes }) as const;
const quantity = (node: string, amount: number) => ({ fulfillment_node_id: node, quantity: amount });

export function historyContract(store: () => Store, emptied: ClearedStores): void {
  const told = (key: WriteKey) => historyOf(store(), key);
  /** Returns the history of the SKU without its upload. */
  const toldSince = async (key: WriteKey) => (await told(key)).slice(0, -1);
  const from = (key: WriteKey, author: Author): WriteKey => ({ ...key, by: author });

  describe('the history of an offer', () => {
    test('does not exist for a SKU that was never uploaded', async () => {
      assert.equal(await store().history.readHistory(newKey(), ALL), undefined);
    });

    test('uploads are recorded with the document that they replace', async () => {
      const key = newKey();
      await putSku(store().offers, key, documentOf('One'), NOW_MS);
      await putSku(store().offers, from(key, ANNA), documentOf('Two'), LATER_MS);
      assert.deepEqual(await told(key), [
        { ...by(ANNA, LATER_MS), part: 'sku', before: documentOf('One'), after: documentOf('Two') },
        { ...by(AUTHOR, NOW_MS), part: 'sku', before: null, after: documentOf('One') },
      ]);
    });

    test('prices are recorded exactly, with node prices', async () => {
      const key = await uploadedKey(store());
      const first = { price: 0.1 + 0.2, nodes: [] };
      const second = { price: 1_000_000_000, nodes: [{ fulfillment_node_id: 'é "1"', fulfillment_node_price: 0.01 }] };
      await putPrice(store().offers, key, first, NOW_MS);
      await putPrice(store().offers, key, second, LATER_MS);
      await putPrice(store().offers, from(key, ANNA), { ...second, nodes: [] }, LATER_MS);
      assert.deepEqual(await toldSince(key), [
        { ...by(ANNA, LATER_MS), part: 'price', before: second, after: { ...second, nodes: [] } },
        { ...by(AUTHOR, LATER_MS), part: 'price', before: first, after: second },
        { ...by(AUTHOR, NOW_MS), part: 'price', before: null, after: first },
      ]);
    });

    test('quantities are recorded for the nodes that a write changes', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('é "a', 0), quantity('b', 5)], NOW_MS);
      await patchInventory(store().offers, key, [quantity('é "a', 2_147_483_647), quantity('b', 5)], LATER_MS);
      await patchInventory(store().offers, key, [quantity('b', 6), quantity('__proto__', 7)], LATER_MS);
      assert.deepEqual(await toldSince(key), [
        {
          ...by(AUTHOR, LATER_MS),
          ...stock({ nodeId: '__proto__', before: null, after: 7 }, { nodeId: 'b', before: 5, after: 6 }),
        },
        { ...by(AUTHOR, LATER_MS), ...stock({ nodeId: 'é "a', before: 0, after: 2_147_483_647 }) },
        {
          ...by(AUTHOR, NOW_MS),
          ...stock({ nodeId: 'b', before: null, after: 5 }, { nodeId: 'é "a', before: null, after: 0 }),
        },
      ]);
    });

    test('archiving is recorded with the stock that it zeroes', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [quantity('a', 3), quantity('b', 0), quantity('c', 4)], NOW_MS);
      await setArchived(store().offers, from(key, ANNA), true, LATER_MS);
      await setArchived(store().offers, from(key, ANNA), false, LATER_MS + 1);
      assert.deepEqual((await toldSince(key)).slice(0, 3), [
        { ...by(ANNA, LATER_MS + 1), part: 'archive', before: true, after: false },
        {
          ...by(ANNA, LATER_MS),
          ...stock({ nodeId: 'a', before: 3, after: 0 }, { nodeId: 'c', before: 4, after: 0 }),
        },
        { ...by(ANNA, LATER_MS), part: 'archive', before: false, after: true },
      ]);
    });

    test('a late archive flag is recorded, although its author has changed the flag before', async () => {
      const key = await uploadedKey(store());
      for (const archived of [true, false]) await setArchived(store().offers, key, archived, NOW_MS);
      const number = await drawNumber(store());
      const { skuId } = key;
      await store().offers.write(key, [{ part: 'archive', skuId, archived: true }], LATER_MS, {
        firstRunNumber: number,
      });
      assert.deepEqual((await toldSince(key))[0], {
        ...by(AUTHOR, LATER_MS),
        part: 'archive',
        before: false,
        after: true,
      });
    });

    test('exceptions are recorded when they are set, replaced and cleared', async () => {
      const key = await uploadedKey(store());
      await putShippingExceptions(store().offers, key, '[1]', NOW_MS);
      await putShippingExceptions(store().offers, key, '[2]', NOW_MS);
      await putShippingExceptions(store().offers, key, null, LATER_MS);
      await putReturnLocations(store().offers, key, ['a "b"'], LATER_MS);
      await putReturnLocations(store().offers, key, null, LATER_MS);
      assert.deepEqual(await toldSince(key), [
        { ...by(AUTHOR, LATER_MS), part: 'returns_exception', before: JSON.stringify(['a "b"']), after: null },
        { ...by(AUTHOR, LATER_MS), part: 'returns_exception', before: null, after: JSON.stringify(['a "b"']) },
        { ...by(AUTHOR, LATER_MS), part: 'shipping_exception', before: '[2]', after: null },
        { ...by(AUTHOR, NOW_MS), part: 'shipping_exception', before: '[1]', after: '[2]' },
        { ...by(AUTHOR, NOW_MS), part: 'shipping_exception', before: null, after: '[1]' },
      ]);
    });

    test('a group is recorded for its parent', async () => {
      const at = await uploadedSkus(store(), ['p', 'a', 'b']);
      const first = { refinements: '[9223372036854775807,1]', title: 'Shirts', childrenSkus: ['b', 'a'] };
      const second = { refinements: '[1]', title: null, childrenSkus: ['a'] };
      await putGroup(store().offers, at('p'), first, NOW_MS);
      await putGroup(store().offers, from(at('p'), ANNA), second, LATER_MS);
      assert.deepEqual(await toldSince(at('p')), [
        { ...by(ANNA, LATER_MS), part: 'variation', before: first, after: second },
        { ...by(AUTHOR, NOW_MS), part: 'variation', before: null, after: first },
      ]);
      assert.deepEqual(await toldSince(at('a')), []);
    });

    test('a group that loses a child, or ends, is recorded for its own parent', async () => {
      const at = await uploadedSkus(store(), ['p', 'q', 'r', 'a', 'b']);
      const group = (...childrenSkus: string[]) => ({ refinements: '[1]', title: null, childrenSkus });
      await putGroup(store().offers, at('p'), group('a', 'b'), NOW_MS);
      await putGroup(store().offers, at('q'), group('b'), NOW_MS);
      await putGroup(store().offers, from(at('r'), ANNA), group('q', 'a'), LATER_MS);
      const part = 'variation';
      assert.deepEqual(await toldSince(at('p')), [
        { ...by(ANNA, LATER_MS), part, before: group('a'), after: group() },
        { ...by(AUTHOR, NOW_MS), part, before: group('a', 'b'), after: group('a') },
        { ...by(AUTHOR, NOW_MS), part, before: null, after: group('a', 'b') },
      ]);
      assert.deepEqual(await toldSince(at('q')), [
        { ...by(ANNA, LATER_MS), part, before: group('b'), after: null },
        { ...by(AUTHOR, NOW_MS), part, before: null, after: group('b') },
      ]);
      assert.deepEqual(await toldSince(at('r')), [
        { ...by(ANNA, LATER_MS), part, before: null, after: group('q', 'a') },
      ]);
    });

    test('writes that change nothing are not recorded', async () => {
      const at = await uploadedSkus(store(), ['p', 'a']);
      const nodes = [{ fulfillment_node_id: 'n', fulfillment_node_price: 2 }];
      const write = async (key: WriteKey) => {
        await putSku(store().offers, key, documentOf(), NOW_MS);
        await putPrice(store().offers, key, { price: 12.5, nodes }, NOW_MS);
        await patchInventory(store().offers, key, [quantity('n', 7)], NOW_MS);
        await putShippingExceptions(store().offers, key, '[1]', NOW_MS);
        await putReturnLocations(store().offers, key, ['x'], NOW_MS);
        await putGroup(store().offers, key, { refinements: '[1]', title: 'T', childrenSkus: ['a'] }, NOW_MS);
        await setArchived(store().offers, key, false, NOW_MS);
      };
      await write(at('p'));
      const before = await told(at('p'));
      assert.equal(before.length, 6);
      await write(from(at('p'), ANNA));
      assert.deepEqual(await told(at('p')), before);
      for (const text of [null, null]) {
        await putShippingExceptions(store().offers, at('a'), text, NOW_MS);
        await putReturnLocations(store().offers, at('a'), text, NOW_MS);
      }
      assert.deepEqual(await toldSince(at('a')), []);
    });

    test('refused writes are not recorded', async () => {
      const at = await uploadedSkus(store(), ['p', 'a']);
      await setArchived(store().offers, at('p'), true, NOW_MS);
      const before = await told(at('p'));
      await putSku(store().offers, at('p'), documentOf('new'), NOW_MS);
      await putPrice(store().offers, at('p'), { price: 1, nodes: [] }, NOW_MS);
      await patchInventory(store().offers, at('p'), [quantity('n', 1)], NOW_MS);
      await putShippingExceptions(store().offers, at('p'), '[1]', NOW_MS);
      await putReturnLocations(store().offers, at('p'), ['x'], NOW_MS);
      await putGroup(store().offers, at('a'), { refinements: '[1]', title: null, childrenSkus: ['p'] }, NOW_MS);
      assert.deepEqual(await told(at('p')), before);
      assert.deepEqual(await toldSince(at('a')), []);
    });

    test('concurrent writes are recorded one by one, each with the value before it', async () => {
      const key = await uploadedKey(store());
      const authors: readonly Author[] = Array.from({ length: 20 }, (_, place): Author => `person:${place}@x.example`);
      await Promise.all(
        authors.map((author, place) =>
          putPrice(store().offers, from(key, author), { price: place + 1, nodes: [] }, NOW_MS),
        ),
      );
      const changes = await toldSince(key);
      assert.deepEqual(new Set(changes.map((change) => change.by)), new Set(authors));
      assertChained(changes, await store().offers.readPrice(key));
    });

    test('is read in pages, each with the next newer values', async () => {
      const key = await uploadedKey(store());
      for (let turn = 1; turn <= 5; turn++) {
        await putPrice(store().offers, key, { price: turn, nodes: [] }, NOW_MS + turn);
        await patchInventory(store().offers, key, [quantity(turn % 2 === 0 ? 'a' : 'b', turn)], NOW_MS + turn);
      }
      const all = (await store().history.readHistory(key, ALL))?.changes ?? assert.fail();
      assert.equal(all.length, 11);
      for (const change of all) {
        const page = await store().history.readHistory(key, { ...ALL, after: change.id + 1, limit: 1 });
        assert.deepEqual(page?.changes, [change], 'the change is found by its id');
      }
      for (const limit of [1, 2, 3, 10, 11]) {
        const pages: OfferChange[] = [];
        let after: number | undefined;
        do {
          const page: HistoryPage = (await store().history.readHistory(key, { ...ALL, after, limit })) ?? assert.fail();
          assert.ok(page.changes.length === limit || page.next === undefined);
          pages.push(...page.changes);
          after = page.next;
        } while (after !== undefined);
        assert.deepEqual(pages, all);
      }
    });

    test('a page of large documents ends early, and the next one continues', async () => {
      const key = newKey();
      const large = (brand: string) => JSON.stringify({ brand, text: 'é'.repeat(900_000) });
      for (const brand of ['a', 'b', 'c', 'd', 'e']) await putSku(store().offers, key, large(brand), NOW_MS);
      const first = (await store().history.readHistory(key, ALL)) ?? assert.fail();
      assert.equal(first.changes.length, 3);
      const second = (await store().history.readHistory(key, { ...ALL, after: first.next })) ?? assert.fail();
      assert.deepEqual(
        [...first.changes, ...second.changes].map((change) => 'before' in change && change.before !== null),
        [true, true, true, true, false],
      );
      assert.equal(second.next, undefined);
    });

    test('omits entries before the requested time', async () => {
      const key = await uploadedKey(store());
      await putPrice(store().offers, key, { price: 1, nodes: [] }, LATER_MS);
      const page = (await store().history.readHistory(key, { ...ALL, sinceMs: LATER_MS })) ?? assert.fail();
      assert.deepEqual(
        page.changes.map(({ part }) => part),
        ['price'],
      );
      assert.deepEqual(await store().history.readHistory(key, { ...ALL, sinceMs: LATER_MS + 1 }), {
        changes: [],
        next: undefined,
      });
    });

    test('accounts with the same SKU id have separate histories', async () => {
      const [one, other] = [await uploadedKey(store()), await uploadedKey(store())];
      await putPrice(store().offers, one, { price: 1, nodes: [] }, NOW_MS);
      assert.equal((await told(one)).length, 2);
      assert.equal((await told(other)).length, 1);
    });
  });

  describe('old history', () => {
    test('is deleted; newer entries and their authors stay', async () => {
      const old = await emptied.openOne();
      const key = newKey();
      await putSku(old.offers, from(key, ANNA), documentOf(), NOW_MS);
      for (let turn = 0; turn < 1500; turn += 100) {
        const prices = Array.from({ length: 100 }, (_, place) => ({ price: turn + place + 1, nodes: [] }));
        await Promise.all(prices.map((price) => putPrice(old.offers, key, price, NOW_MS + 1)));
      }
      await putPrice(old.offers, key, { price: 0.5, nodes: [] }, NOW_MS + 10 * DAY_MS);
      const nowMs = NOW_MS + 5 * DAY_MS;
      let rounds = 0;
      while ((await old.history.dropHistory(nowMs)) === 'more') rounds++;
      assert.ok(rounds >= 1);
      const left = await historyOf(old, key);
      assert.deepEqual(
        left.map(({ by: author, atMs, part }) => [author, atMs, part]),
        [[AUTHOR, NOW_MS + 10 * DAY_MS, 'price']],
      );
      // The author's record was dropped with the old history, so it is stored again.
      await putPrice(old.offers, from(key, ANNA), { price: 0.25, nodes: [] }, NOW_MS + 11 * DAY_MS);
      assert.deepEqual(
        (await historyOf(old, key)).map((change) => change.by),
        [ANNA, AUTHOR],
      );
      await old.history.dropHistory(NOW_MS + 30 * DAY_MS);
      assert.deepEqual(await historyOf(old, key), []);
    });

    test('is deleted with its offer, and does not appear for a new offer with the same id', async (t) => {
      const current = await emptied.openOne();
      const merchant = newMerchant();
      await current.settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await current.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      const key: WriteKey = { accountId: accounts.test, skuId: 'a', by: AUTHOR };
      await putSku(current.offers, key, documentOf('One'), NOW_MS);
      await putPrice(current.offers, key, { price: 1, nodes: [] }, NOW_MS);
      const moves = await emptied.openMoves(t);
      await moves.eraseOffers(accounts.test, await moves.readLastOffer(accounts.test), 1000);
      assert.equal(await current.history.readHistory(key, ALL), undefined);
      await putSku(current.offers, key, documentOf('Two'), LATER_MS);
      assert.deepEqual(await historyOf(current, key), [
        { ...by(AUTHOR, LATER_MS), part: 'sku', before: null, after: documentOf('Two') },
      ]);
    });
  });
}

/** Asserts that each change starts from the result of the previous change, and that the last change results in the current state. */
function assertChained(changes: readonly OfferChange[], current: unknown): void {
  const prices = changes.map((change) => (change.part === 'price' ? change : assert.fail(`${change.part} was told`)));
  for (const [place, { before }] of prices.entries()) assert.deepEqual(before, prices[place + 1]?.after ?? null);
  const { updatedMs, ...price } = current as { updatedMs: number };
  assert.deepEqual(prices[0]?.after, price);
}
