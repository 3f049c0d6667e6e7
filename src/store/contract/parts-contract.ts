/** Contract tests for writes of several parts at once, and for writes with a precondition. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PartWrite, StoredPrice } from '../../domain/offers/part.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { PartsOutcome, StoredOffer, WriteKey } from '../port/offers.ts';
import { readTag, textTag, writtenTag } from '../port/part-tags.ts';
import type { Store } from '../port.ts';
import { dueIds, untilAnnounced } from './due-offers.ts';
import { clearableOf, putSku, setArchived, withoutTag } from './put-parts.ts';
import {
  AUTHOR,
  archivedKey,
  documentOf,
  drawNumber,
  LATER_MS,
  NOW_MS,
  newKey,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

const RACES = 100;
/** Number of races for kinds of writes that share the code path of prices. */
const FEW_RACES = 10;
const ROUNDS = 30;

const price = (skuId: string, amount: number): PartWrite => ({ part: 'price', skuId, price: amount, nodes: [] });
const stock = (skuId: string, quantity: number): PartWrite => {
  return { part: 'inventory', skuId, quantities: [{ fulfillment_node_id: 'east', quantity }] };
};
const sku = (skuId: string, brand: string): PartWrite => ({ part: 'sku', skuId, document: documentOf(brand) });

const NODES = ['zeta', 'a\u{10FFFF}', 'a\uFFFD', '__proto__'].map((id) => ({ fulfillment_node_id: id, quantity: 7 }));

/** The tag that the response to a write shows. */
function newTagOf(outcome: PartsOutcome, part: PartWrite): string | null | undefined {
  return typeof outcome === 'object' && 'newTag' in outcome ? outcome.newTag : writtenTag(part);
}

/** All kinds of writes, with a different value for each `n`. */
const WRITES: readonly ((skuId: string, n: number) => PartWrite)[] = [
  (skuId, n) => sku(skuId, `Brand ${n}`),
  price,
  stock,
  (skuId, n) => ({ part: 'shipping_exception', skuId, text: `[{"fulfillment_node_id":"${n}"}]` }),
  (skuId, n) => ({ part: 'returns_exception', skuId, text: JSON.stringify([`location-${n}`]) }),
  (skuId, n) => ({ part: 'variation', skuId, group: { refinements: '[119]', title: `Group ${n}`, childrenSkus: [] } }),
];

/** `second` represents another process on the same database, if the engine allows one. */
export function partsContract(store: () => Store, second: () => Store = store): void {
  const write = async (key: WriteKey, part: PartWrite, precondition?: Precondition, by = store()) =>
    withoutTag(await by.offers.write(key, [part], LATER_MS, precondition));
  const tagOf = async (key: WriteKey, kind: PartWrite['part']) => await readTag(store().offers, key, kind);

  describe('preconditions', () => {
    for (const part of WRITES) {
      const { part: kind } = part('', 0);

      test(`a ${kind} is written only under its current tag, or only if it is not set`, async () => {
        const key = kind === 'sku' ? newKey() : await uploadedKey(store());
        assert.equal(await tagOf(key, kind), null);
        assert.deepEqual(await write(key, part(key.skuId, 1), { ifMatch: '*' }), { currentTag: null });
        assert.deepEqual(await write(key, part(key.skuId, 1), { ifMatch: ['wrong'] }), { currentTag: null });
        assert.equal(await write(key, part(key.skuId, 1), { ifNoneMatch: '*' }), 'stored');
        const first = await tagOf(key, kind);
        assert.match(String(first), /^[\w-]{27}$/);

        assert.deepEqual(await write(key, part(key.skuId, 2), { ifNoneMatch: '*' }), { currentTag: first });
        assert.deepEqual(await write(key, part(key.skuId, 2), { ifMatch: ['wrong'] }), { currentTag: first });
        assert.equal(await tagOf(key, kind), first);
        assert.equal(await write(key, part(key.skuId, 2), { ifMatch: ['wrong', String(first)] }), 'stored');
        const second = await tagOf(key, kind);
        assert.notEqual(second, first);

        // The tag depends on the content, not on the write.
        assert.equal(await write(key, part(key.skuId, 2), { ifMatch: '*' }), 'stored');
        assert.equal(await tagOf(key, kind), second);
        assert.equal(await write(key, part(key.skuId, 1), { ifMatch: [String(second)] }), 'stored');
        assert.equal(await tagOf(key, kind), first);
      });

      const races = kind === 'sku' || kind === 'price' ? RACES : FEW_RACES;
      test(`of two writers of a ${kind} with the same precondition one succeeds, ${races} times`, async () => {
        const key = kind === 'sku' ? newKey() : await uploadedKey(store());
        for (let race = 0; race < races; race++) {
          const tag = await tagOf(key, kind);
          const precondition: Precondition = tag === null ? { ifNoneMatch: '*' } : { ifMatch: [tag] };
          const outcomes = await Promise.all(
            [store(), second()].map((by, n) => write(key, part(key.skuId, 2 * race + n), precondition, by)),
          );
          const now = await tagOf(key, kind);
          assert.notEqual(now, tag);
          assert.deepEqual(outcomes.filter((outcome) => outcome === 'stored').length, 1);
          assert.deepEqual(
            outcomes.filter((outcome) => outcome !== 'stored'),
            [{ currentTag: now }],
          );
        }
      });
    }

    test('of two writers that create a SKU at most one succeeds, and replaces nothing', async () => {
      const { accountId } = newKey();
      for (let race = 0; race < RACES; race++) {
        const key = { accountId, skuId: `race-${race}`, by: AUTHOR };
        const outcomes = await Promise.all([
          ...[store(), second()].map((by, n) => write(key, sku(key.skuId, `${n}`), { ifNoneMatch: '*' }, by)),
          putSku(second().offers, key, documentOf('unconditional'), NOW_MS),
        ]);
        assert.equal(outcomes.pop(), 'stored');
        const created = outcomes.filter((outcome) => outcome === 'stored').length;
        assert.ok(created <= 1, JSON.stringify(outcomes));
        // The unconditional upload replaces a created SKU; a refused creation replaces nothing.
        if (created === 0) assert.equal(await tagOf(key, 'sku'), textTag(documentOf('unconditional')));
      }
    });

    test('unknown and archived SKUs are reported before the precondition', async () => {
      const unknown = newKey();
      const archived = await archivedKey(store());
      for (const part of WRITES) {
        const { part: kind } = part('', 0);
        if (kind !== 'sku') assert.equal(await write(unknown, part(unknown.skuId, 1), { ifMatch: ['x'] }), 'unknown');
        assert.equal(await write(archived, part(archived.skuId, 1), { ifMatch: ['x'] }), 'archived');
      }
      assert.equal(await store().offers.readSkuState(unknown), 'unknown');
    });

    test('the archive flag is changed under the tag of the SKU, which it does not change', async () => {
      const key = await uploadedKey(store());
      const tag = String(await tagOf(key, 'sku'));
      const archive = (archived: boolean): PartWrite => ({ part: 'archive', skuId: key.skuId, archived });
      assert.deepEqual(await write(key, archive(true), { ifMatch: ['wrong'] }), { currentTag: tag });
      assert.equal(await write(key, archive(true), { ifMatch: [tag] }), 'stored');
      assert.equal(await store().offers.readSkuState(key), 'archived');
      assert.equal(await write(key, archive(false), { ifMatch: [tag] }), 'stored');
    });

    test('archiving changes the tag of the stock that it sets to zero', async () => {
      const key = await uploadedKey(store());
      await write(key, stock(key.skuId, 5));
      const tag = String(await tagOf(key, 'inventory'));
      await setArchived(store().offers, key, true, LATER_MS);
      await setArchived(store().offers, key, false, LATER_MS);
      const zero = await tagOf(key, 'inventory');
      assert.deepEqual(await write(key, stock(key.skuId, 6), { ifMatch: [tag] }), { currentTag: zero });
      assert.equal(await write(key, stock(key.skuId, 5), { ifMatch: [String(zero)] }), 'stored');
      assert.equal(await tagOf(key, 'inventory'), tag);
    });

    test('a group that loses a child to another group has another tag', async () => {
      const keyOf = await uploadedSkus(store(), ['a', 'b', 'c', 'd']);
      const group = (parent: string, title: string, childrenSkus: readonly string[]): PartWrite => {
        return { part: 'variation', skuId: parent, group: { refinements: '[119]', title, childrenSkus } };
      };
      await write(keyOf('a'), group('a', 'first', ['b', 'c']));
      const tag = String(await tagOf(keyOf('a'), 'variation'));
      await write(keyOf('d'), group('d', 'second', ['c']));
      const now = await tagOf(keyOf('a'), 'variation');
      assert.notEqual(now, tag);
      assert.deepEqual(await write(keyOf('a'), group('a', 'third', ['b']), { ifMatch: [tag] }), { currentTag: now });
      const unknown = await write(keyOf('a'), group('a', 'third', ['x']), { ifMatch: [String(now)] });
      assert.deepEqual(unknown, { refused: [{ skuId: 'x', state: 'unknown' }] });
      assert.equal(await write(keyOf('a'), group('a', 'third', ['b']), { ifMatch: [String(now)] }), 'stored');
    });

    test('each write tells the new tag, or determines it', async () => {
      const writes = [
        ...WRITES,
        (skuId: string, n: number): PartWrite => ({ part: 'archive', skuId, archived: n % 2 === 1 }),
        (skuId: string, n: number): PartWrite => ({ part: 'inventory', skuId, quantities: n === 1 ? [] : NODES }),
      ];
      for (const [n, precondition] of [
        [1, undefined],
        [2, undefined],
        [3, { ifMatch: '*' }],
        [4, { ifMatch: '*' }],
      ] as const) {
        const key = await uploadedKey(store());
        for (const part of WRITES) await store().offers.write(key, [part(key.skuId, 0)], NOW_MS);
        await store().offers.write(key, [{ part: 'inventory', skuId: key.skuId, quantities: NODES }], NOW_MS);
        for (const part of writes) {
          const parted = part(key.skuId, n);
          const outcome = await store().offers.write(key, [parted], LATER_MS, precondition);
          assert.equal(newTagOf(outcome, parted), await tagOf(key, parted.part), `${parted.part} ${n}`);
          if (parted.part === 'archive') await setArchived(store().offers, key, false, LATER_MS);
        }
        const clear: PartWrite = { part: 'returns_exception', skuId: key.skuId, text: null };
        assert.equal(newTagOf(await store().offers.write(key, [clear], LATER_MS), clear), null);
      }
    });

    test('writes at once tell the tag of a state that existed, or none', async () => {
      const key = await uploadedKey(store());
      const tags = new Map<string | null, number>();
      for (let n = 0; n < 8; n++) {
        await write(key, stock(key.skuId, n));
        tags.set(await tagOf(key, 'inventory'), n);
      }
      for (let round = 0; round < ROUNDS; round++) {
        const parts = Array.from({ length: 8 }, (_, n) =>
          n % 3 === 2 ? price(key.skuId, n + 1) : stock(key.skuId, n),
        );
        const outcomes = await Promise.all(
          parts.map((part, n) => (n % 2 ? store() : second()).offers.write(key, [part], LATER_MS)),
        );
        outcomes.forEach((outcome, n) => {
          const tag = newTagOf(outcome, parts[n] as PartWrite);
          if (n % 3 !== 2 && tag !== undefined) assert.equal(tags.get(tag), n);
        });
        assert.ok(outcomes.some((outcome) => typeof outcome === 'object'));
      }
    });

    test('a whole offer is written under the tag of all its parts, and tells the new one', async () => {
      const { offers } = store();
      const key = newKey();
      const whole = async () => await readTag(offers, key, 'sku', 'offer');
      const put = (parts: readonly PartWrite[], precondition?: Precondition) =>
        offers.write(key, parts, LATER_MS, precondition, 'offer');
      assert.equal(await whole(), null);
      assert.deepEqual(await put([sku(key.skuId, 'A')], { ifMatch: '*' }), { currentTag: null });
      assert.equal(await put([price(key.skuId, 1)], { ifMatch: '*' }), 'unknown');
      const created = await put([sku(key.skuId, 'A')], { ifNoneMatch: '*' });
      const tags = [await whole()];
      assert.deepEqual(created, { newTag: tags[0] });
      for (const part of WRITES) {
        const parted = part(key.skuId, 3);
        if (parted.part === 'variation') {
          await write(key, parted);
          assert.equal(await whole(), tags.at(-1), 'a group is not a part of the whole offer');
          continue;
        }
        const outcome = await put([parted], { ifMatch: [String(tags.at(-1))] });
        const now = await whole();
        assert.deepEqual(outcome, { newTag: now }, parted.part);
        assert.ok(!tags.includes(now), parted.part);
        assert.deepEqual(await put([parted], { ifMatch: [String(tags.at(-1))] }), { currentTag: now });
        assert.deepEqual(await put([parted]), { newTag: now }, 'the same content has the same tag');
        tags.push(now);
      }
      await write(key, price(key.skuId, 4));
      assert.deepEqual(await put([stock(key.skuId, 3)], { ifMatch: [String(tags.at(-1))] }), {
        currentTag: await whole(),
      });
    });

    test('a cleared part is not set', async () => {
      const key = await uploadedKey(store());
      const clear: PartWrite = { part: 'shipping_exception', skuId: key.skuId, text: null };
      await write(key, { part: 'shipping_exception', skuId: key.skuId, text: '[1]' });
      const tag = String(await tagOf(key, 'shipping_exception'));
      assert.equal(await write(key, clear, { ifMatch: [tag] }), 'stored');
      assert.deepEqual(await write(key, clear, { ifMatch: [tag] }), { currentTag: null });
      assert.equal(await write(key, clear, { ifNoneMatch: '*' }), 'stored');
    });
  });

  describe('several parts at once', () => {
    const all = (skuId: string, n: number): PartWrite[] =>
      WRITES.map((part) => part(skuId, n)).filter(({ part: kind }) => kind !== 'variation');

    test('a new SKU gets all parts, in one history and due for review', async () => {
      const key = newKey();
      assert.equal(await store().offers.write(key, all(key.skuId, 1), NOW_MS), 'stored');
      const { offers, history } = store();
      assert.deepEqual(await offers.readPrice(key), { price: 1, nodes: [], updatedMs: NOW_MS });
      const nodes = [{ fulfillment_node_id: 'east', quantity: 1, updatedMs: NOW_MS }];
      assert.deepEqual(await offers.readInventory(key), { nodes, stampMs: null });
      assert.deepEqual(await offers.readReviewedOffer(key), {
        document: documentOf('Brand 1'),
        documentTag: textTag(documentOf('Brand 1')),
        archived: false,
        clearable: clearableOf({
          shipping_exception: '[{"fulfillment_node_id":"1"}]',
          returns_exception: '["location-1"]',
        }),
        group: null,
        verdict: null,
      });
      const page = await history.readHistory(key, { after: undefined, limit: 10, sinceMs: 0 });
      const parts = page?.changes.map(({ part, by, atMs }) => ({ part, by, atMs })) ?? [];
      assert.deepEqual(
        parts.map(({ part }) => part),
        ['returns_exception', 'shipping_exception', 'inventory', 'price', 'sku'],
      );
      assert.ok(parts.every(({ by, atMs }) => by === AUTHOR && atMs === NOW_MS));
      assert.deepEqual(await dueIds(store(), key.accountId), [key.skuId]);
      await untilAnnounced(store(), key.accountId);
    });

    test('an existing SKU keeps the parts that are not sent', async () => {
      const key = await uploadedKey(store());
      const parts = [price(key.skuId, 7), stock(key.skuId, 8)];
      assert.equal(await store().offers.write(key, parts, LATER_MS), 'stored');
      assert.equal((await store().offers.readOffer(key))?.document, documentOf());
      assert.equal(await write(key, stock(key.skuId, 9)), 'stored');
      assert.deepEqual(await store().offers.readPrice(key), { price: 7, nodes: [], updatedMs: LATER_MS });
    });

    test('an unknown SKU without its data, and an archived one, change nothing', async () => {
      const unknown = newKey();
      const parts = [price(unknown.skuId, 7), stock(unknown.skuId, 8)];
      assert.equal(await store().offers.write(unknown, parts, NOW_MS), 'unknown');
      assert.equal(await store().offers.readSkuState(unknown), 'unknown');
      const archived = await archivedKey(store());
      const before = await store().offers.readOffer(archived);
      assert.equal(await store().offers.write(archived, all(archived.skuId, 1), LATER_MS), 'archived');
      assert.deepEqual(await store().offers.readOffer(archived), before);
    });

    test('a fault in the last part leaves nothing, for a new and for an existing SKU', async () => {
      let faults = 0;
      // SQLite refuses bytes in a text column; PostgreSQL refuses a NUL character.
      for (const exceptions of ['\0', new Uint8Array(1) as unknown as string]) {
        for (const key of [newKey(), await uploadedKey(store())]) {
          const before = await store().offers.readOffer(key);
          const { skuId } = key;
          const parts: PartWrite[] = [
            ...all(skuId, 1).slice(0, 3),
            { part: 'shipping_exception', skuId, text: exceptions },
          ];
          try {
            await store().offers.write(key, parts, LATER_MS);
          } catch {
            faults++;
            assert.deepEqual(await store().offers.readOffer(key), before);
            const page = await store().history.readHistory(key, { after: undefined, limit: 10, sinceMs: 0 });
            assert.equal(page?.changes.length, before === undefined ? undefined : 1);
          }
        }
      }
      assert.ok(faults >= 2, 'No write failed.');
    });

    test('parts of a late request are written together, and never over newer parts', async () => {
      for (const by of [store(), second()]) {
        const number = await drawNumber(store());
        const late = (key: WriteKey) => by.offers.write(key, all(key.skuId, 1), LATER_MS, { firstRunNumber: number });
        const key = newKey();
        assert.equal(await late(key), 'stored');
        const offer = await store().offers.readOffer(key);
        assert.ok(offer);
        assertWhole(offer);
        await store().offers.write(key, [sku(key.skuId, 'Brand 1'), price(key.skuId, 2)], LATER_MS);
        await store().offers.write(key, [stock(key.skuId, 2)], LATER_MS);
        assert.equal(await late(key), 'stored');
        assert.equal(((await store().offers.readPrice(key)) as StoredPrice).price, 2);
        assert.equal((await store().offers.readInventory(key))?.nodes[0]?.quantity, 2);
        const isNewer = await uploadedKey(store());
        assert.equal(await late(isNewer), 'stored');
        assert.equal((await store().offers.readOffer(isNewer))?.document, documentOf());
        assert.equal(((await store().offers.readPrice(isNewer)) as StoredPrice).price, 1);
      }
    });

    test('parts of a late request change nothing if the SKU is unknown or archived, or one of them fails', async () => {
      for (const by of [store(), second()]) {
        const number = await drawNumber(store());
        const unknown = newKey();
        const parts = [price(unknown.skuId, 7), stock(unknown.skuId, 8)];
        assert.equal(await by.offers.write(unknown, parts, LATER_MS, { firstRunNumber: number }), 'unknown');
        assert.equal(await store().offers.readSkuState(unknown), 'unknown');
        const archived = await archivedKey(store());
        assert.equal(await by.offers.write(archived, parts, LATER_MS, { firstRunNumber: number }), 'archived');
        assert.equal(await store().offers.readPrice(archived), 'unset');
        const key = await uploadedKey(store());
        const { skuId } = key;
        const exceptions = { '\0': '' } as unknown as string;
        const faulty: PartWrite[] = [...parts, { part: 'shipping_exception', skuId, text: exceptions }];
        await assert.rejects(by.offers.write(key, faulty, LATER_MS, { firstRunNumber: number }));
        assert.equal(await store().offers.readPrice(key), 'unset');
      }
    });

    test('readers never see some of the parts, while two processes create and replace them', async () => {
      const { accountId } = newKey();
      for (let round = 0; round < ROUNDS; round++) {
        const key = { accountId, skuId: `whole-${round}`, by: AUTHOR };
        let isDone = false;
        const reader = async () => {
          while (!isDone) {
            const offer = await second().offers.readOffer(key);
            if (offer !== undefined) assertWhole(offer);
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        const reading = reader();
        const outcomes = await Promise.all(
          [store(), second()].map((by, n) => by.offers.write(key, all(key.skuId, n), NOW_MS)),
        );
        isDone = true;
        await reading;
        assert.deepEqual(outcomes, ['stored', 'stored']);
        const offer = await store().offers.readOffer(key);
        assert.ok(offer);
        const n = assertWhole(offer);
        assert.equal(((await store().offers.readPrice(key)) as StoredPrice).price, n);
        assert.equal((await store().offers.readInventory(key))?.nodes[0]?.quantity, n);
      }
    });
  });
}

/** Asserts that all parts have the same `n`, and returns it. */
function assertWhole({ document, priced, stockNodeIds, clearable }: StoredOffer): number {
  const n = Number(/Brand (\d)/.exec(document)?.[1]);
  assert.deepEqual(
    { priced, stockNodeIds, clearable },
    {
      priced: true,
      stockNodeIds: ['east'],
      clearable: clearableOf({
        shipping_exception: `[{"fulfillment_node_id":"${n}"}]`,
        returns_exception: `["location-${n}"]`,
      }),
    },
  );
  return n;
}
