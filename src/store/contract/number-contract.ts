/** Contract tests for sequence numbers: they only grow, and each part of an offer has the number of its last write. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OfferRecord } from '../../domain/export/records.ts';
import type { OfferNumbers, WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
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
import { readGroup } from './read-parts.ts';
import type { ClearedStores, CreateDatabase } from './subject.ts';
import {
  AUTHOR,
  bareOffer,
  documentOf,
  drawNumber,
  LATER_MS,
  NOW_MS,
  newAccountId,
  newKey,
  newRecord,
  openFor,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

type Part = keyof OfferNumbers;

const PRICE = { price: 1, nodes: [] };
const GROUP = { refinements: '[1]', title: null };

export function numberContract(store: () => Store, emptied: ClearedStores, createDatabase: CreateDatabase): void {
  const numbersOf = async (key: WriteKey) =>
    (await store().offers.readNumbers(key)) ?? assert.fail('The SKU must exist.');

  /** Asserts that `write` gave these parts one new number, and left all other parts unchanged. Returns the new number. */
  const changes = async (key: WriteKey, write: () => Promise<unknown>, parts: readonly Part[]): Promise<number> => {
    const before = await store().offers.readNumbers(key);
    const lowest = await drawNumber(store());
    await write();
    const highest = await drawNumber(store());
    const after = await numbersOf(key);
    const numbers = new Set<number>();
    for (const part of Object.keys(after) as Part[]) {
      if (!parts.includes(part)) assert.deepEqual(after[part], before?.[part] ?? unwritten(part), `${part} is left`);
      else if (part !== 'nodes') numbers.add(after[part]);
    }
    const [number = 0] = numbers;
    assert.equal(numbers.size, 1, 'parts that were written together share one number');
    assert.ok(lowest < number && number < highest, `${lowest} < ${number} < ${highest}`);
    return number;
  };

  describe('sequence numbers', () => {
    test('only grow: in one store, in two at once, and after a restart', async (t) => {
      const database = await createDatabase();
      const first = await openFor(t, database);
      const second = await openFor(t, database);
      const drawn: number[] = [];
      for (let turn = 0; turn < 10; turn++) drawn.push(await drawNumber(turn % 2 === 0 ? first : second));
      assertGrow(drawn);

      const highest = drawn.at(-1) ?? 0;
      const atOnce = await Promise.all(
        Array.from({ length: 40 }, (_, turn) => drawNumber(turn % 2 === 0 ? first : second)),
      );
      assert.equal(new Set(atOnce).size, atOnce.length, 'no number is drawn twice');
      assert.ok(Math.min(...atOnce) > highest);

      await Promise.all([first.close(), second.close()]);
      const restarted = await openFor(t, database);
      assert.ok((await drawNumber(restarted)) > Math.max(...atOnce));
    });

    test('a write in one store has a higher number than another store has drawn, and a lower one than it draws next', async () => {
      const [first, second] = await emptied.openTwo();
      const key = newKey();
      const numbers: number[] = [];
      for (let turn = 0; turn < 4; turn++) {
        numbers.push(await drawNumber(first));
        await putSku(second.offers, key, documentOf(`${turn}`), NOW_MS);
        numbers.push((await first.offers.readNumbers(key))?.sku ?? 0);
      }
      assertGrow(numbers);
    });

    test('an unknown SKU has none; each upload sets a new one', async () => {
      const key = newKey();
      assert.equal(await store().offers.readNumbers(key), undefined);
      for (const brand of ['Acme', 'Bell']) {
        await changes(key, () => putSku(store().offers, key, documentOf(brand), NOW_MS), ['sku']);
      }
    });

    test('a price has its own', async () => {
      const key = await uploadedKey(store());
      for (let time = 0; time < 2; time++) {
        await changes(key, () => putPrice(store().offers, key, PRICE, NOW_MS), ['price']);
      }
    });

    test('exceptions and return locations have their own, and clearing them sets a newer one', async () => {
      const key = await uploadedKey(store());
      for (const text of ['[]', null, null]) {
        await changes(key, () => putShippingExceptions(store().offers, key, text, NOW_MS), ['shipping_exception']);
        const locationIds = text === null ? null : ['dock'];
        await changes(key, () => putReturnLocations(store().offers, key, locationIds, NOW_MS), ['returns_exception']);
      }
    });

    test('each node has its own', async () => {
      const key = await uploadedKey(store());
      const numbers: number[] = [];
      for (const nodeIds of [['a', 'b'], ['b', '__proto__'], []]) {
        numbers.push(await drawNumber(store()));
        const quantities = nodeIds.map((id) => ({ fulfillment_node_id: id, quantity: 1 }));
        assert.equal(await patchInventory(store().offers, key, quantities, NOW_MS), 'stored');
      }
      numbers.push(await drawNumber(store()));
      const { nodes, inventory } = await numbersOf(key);
      assert.equal(inventory, 0, 'nothing was written to the other nodes');
      assert.deepEqual([...nodes.keys()].sort(), ['__proto__', 'a', 'b']);
      const [a = 0, b = 0, last = 0] = ['a', 'b', '__proto__'].map((id) => nodes.get(id));
      assert.equal(b, last);
      const [first = 0, second = 0, third = 0] = numbers;
      assertGrow([first, a, second, b, third]);
    });

    test('archive and unarchive number the flag and the whole stock, nodes without a row included', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [{ fulfillment_node_id: 'n', quantity: 1 }], NOW_MS);
      for (const archived of [true, false]) {
        const set = () => setArchived(store().offers, key, archived, LATER_MS);
        const number = await changes(key, set, ['archive', 'inventory', 'nodes']);
        assert.deepEqual((await numbersOf(key)).nodes, new Map([['n', number]]));
      }
      const { inventory } = await numbersOf(key);
      await patchInventory(store().offers, key, [{ fulfillment_node_id: 'n', quantity: 1 }], LATER_MS);
      const after = await numbersOf(key);
      assert.equal(after.inventory, inventory);
      assert.ok((after.nodes.get('n') ?? 0) > inventory);
    });

    test('setting the flag to its current value numbers only the flag', async () => {
      const key = await uploadedKey(store());
      await patchInventory(store().offers, key, [{ fulfillment_node_id: 'n', quantity: 1 }], NOW_MS);
      for (const archived of [false, true]) {
        await setArchived(store().offers, key, archived, NOW_MS);
        await changes(key, () => setArchived(store().offers, key, archived, LATER_MS), ['archive']);
      }
    });

    test('a refused write numbers nothing', async () => {
      const accountId = newAccountId();
      const key = { accountId, skuId: 'archived', by: AUTHOR };
      await putSku(store().offers, key, documentOf(), NOW_MS);
      await setArchived(store().offers, key, true, NOW_MS);
      const before = await numbersOf(key);
      const unknown = { accountId, skuId: 'unknown', by: AUTHOR };
      const writes = (target: WriteKey) => [
        putPrice(store().offers, target, PRICE, NOW_MS),
        patchInventory(store().offers, target, [{ fulfillment_node_id: 'n', quantity: 1 }], NOW_MS),
        putShippingExceptions(store().offers, target, '[]', NOW_MS),
        putReturnLocations(store().offers, target, null, NOW_MS),
        putGroup(store().offers, target, { ...GROUP, childrenSkus: [] }, NOW_MS),
      ];
      const outcomes = await Promise.all([putSku(store().offers, key, documentOf(), NOW_MS), ...writes(key)]);
      assert.deepEqual(new Set(outcomes), new Set(['archived']));
      assert.deepEqual(new Set(await Promise.all(writes(unknown))), new Set(['unknown']));
      assert.deepEqual(await numbersOf(key), before);
      assert.equal(await store().offers.readNumbers(unknown), undefined);
    });

    test('a group numbers its members, and those of a group that it ends; a refused one numbers none', async () => {
      const keyOf = await uploadedSkus(store(), ['p', 'a', 'b', 'q', 'c', 'other']);
      const groupsOf = async () => {
        const skuIds = ['p', 'a', 'b', 'q', 'c', 'other'];
        return Promise.all(skuIds.map(async (skuId) => (await numbersOf(keyOf(skuId))).variation));
      };
      const put = (parent: string, childrenSkus: readonly string[]) =>
        putGroup(store().offers, keyOf(parent), { ...GROUP, childrenSkus }, NOW_MS);

      const first = await changes(keyOf('p'), () => put('p', ['a', 'b']), ['variation']);
      assert.deepEqual(await groupsOf(), [first, first, first, 0, 0, 0]);
      // The parent becomes a child. Its own group ends, so the other members of that group are in no group.
      const second = await changes(keyOf('a'), () => put('q', ['c', 'p']), ['variation']);
      assert.deepEqual(await groupsOf(), [second, second, second, second, second, 0]);
      assert.equal(await readGroup(store().offers, keyOf('p')), 'unset');
      const third = await changes(keyOf('c'), () => put('q', ['c']), ['variation']);
      assert.deepEqual(await groupsOf(), [third, second, second, third, third, 0]);

      await setArchived(store().offers, keyOf('other'), true, NOW_MS);
      const refused = [{ skuId: 'other', state: 'archived' }];
      assert.deepEqual(await put('p', ['a', 'other']), { refused });
      assert.deepEqual(await groupsOf(), [third, second, second, third, third, 0]);
    });

    test('imported offers are numbered by their import, in the parts that they have', async (t) => {
      const target = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const accounts = await moves.beginImport(newRecord());
      assert.ok(typeof accounts === 'object');
      const accountId = accounts.test;
      const lowest = await drawNumber(target);
      assert.equal(await moves.importOffers(accountId, [fullOffer('full'), bareOffer('bare')]), 'stored');
      const between = await drawNumber(target);
      const groups = [{ skuId: 'full', childrenSkus: ['bare'], ...GROUP }];
      assert.equal(await moves.importGroups(accountId, groups), 'stored');
      const highest = await drawNumber(target);

      const full = (await target.offers.readNumbers({ accountId, skuId: 'full' })) ?? assert.fail();
      const bare = (await target.offers.readNumbers({ accountId, skuId: 'bare' })) ?? assert.fail();
      assertGrow([lowest, full.sku, between, full.variation, highest]);
      const { sku: number, variation } = full;
      const parts = { price: number, archive: number, shipping_exception: number, returns_exception: number };
      assert.deepEqual(full, { sku: number, ...parts, variation, inventory: 0, nodes: new Map([['n', number]]) });
      const none = { price: 0, archive: 0, shipping_exception: 0, returns_exception: 0 };
      assert.deepEqual(bare, { sku: number, ...none, variation, inventory: 0, nodes: new Map() });
    });
  });
}

function assertGrow(numbers: readonly number[]): void {
  for (const [place, number] of numbers.entries()) {
    assert.ok(Number.isSafeInteger(number) && number > (numbers[place - 1] ?? 0), `they grow: ${numbers.join(', ')}`);
  }
}

function unwritten(part: Part): OfferNumbers[Part] {
  return part === 'nodes' ? new Map() : 0;
}

function fullOffer(skuId: string): OfferRecord {
  return {
    ...bareOffer(skuId),
    archived: true,
    price: { price: 1, nodes: [], updatedMs: NOW_MS },
    inventory: { stampMs: NOW_MS, nodes: [{ fulfillment_node_id: 'n', quantity: 0, updatedMs: NOW_MS }] },
    clearable: clearableOf({ shipping_exception: '[]', returns_exception: '["dock"]' }),
  };
}
