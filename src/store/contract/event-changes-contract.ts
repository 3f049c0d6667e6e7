/** Contract tests for events with their changes: the value before and after each change, even if the part has changed again since. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventChange } from '../../domain/event-changes.ts';
import { eventJson, type FeedPosition } from '../../domain/events.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { NodeChange, PartWrite } from '../../domain/offers/part.ts';
import type { EventType } from '../../domain/vocabulary/event-types.ts';
import type { RecordPlace } from '../port/history.ts';
import type { Store } from '../port.ts';
import { applied, startedFile } from './bulk-files.ts';
import { review } from './due-offers.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import { documentOf, LATER_MS, newKey, uploadedKey, uploadedSkus } from './subject.ts';

type Told = readonly [skuId: string, change: EventChange | undefined];

const NOT_RECORDED: EventChange = { part: 'none', omitted: 'not_recorded' };
const TOO_LONG: EventChange = { part: 'none', omitted: 'too_long' };
const UPDATED = ['offer.updated'] as const;
const quantity = (node: string, amount: number) => ({ fulfillment_node_id: node, quantity: amount });
const priceOf = (price: number) => ({ price, nodes: [] });
const stock = (...nodes: readonly NodeChange[]): EventChange => ({ part: 'inventory', nodes });
const groupOf = (...childrenSkus: string[]) => ({ refinements: '[1]', title: null, childrenSkus });

/** Reads all events with their changes, and returns the number of events of each page. */
async function readAll(store: Store, accountId: number, types: readonly EventType[] = UPDATED) {
  const told: Told[] = [];
  const pages: number[] = [];
  let after: FeedPosition | undefined;
  for (;;) {
    const page = await store.feed.readEvents(accountId, { after, types, limit: 1000, withChanges: true });
    pages.push(page.events.length);
    told.push(...page.events.map((event): Told => ('change' in event ? [event.skuId, event.change] : ['', undefined])));
    after = page.next;
    if (!page.more) return { told, pages };
  }
}

/** Returns the changes of the SKU, oldest first, without its upload. */
async function changesOf(store: Store, { accountId, skuId }: { readonly accountId: number; readonly skuId: string }) {
  const { told } = await readAll(store, accountId);
  return told.flatMap(([id, change]) => (id === skuId ? [change] : [])).slice(1);
}

export function eventChangesContract(store: () => Store): void {
  describe('events with changes', () => {
    test('have the values before and after a change of each part, also if it changed again', async () => {
      const at = await uploadedSkus(store(), ['a', 'b']);
      const { offers } = store();
      const key = at('a');
      const first = documentOf();
      const nodes = [{ fulfillment_node_id: 'n', fulfillment_node_price: 3 }];
      let nowMs = LATER_MS;
      for (const [document, price, amount, text, ids] of [
        ['Two', { price: 1.5, nodes }, 5, '[1]', ['x']],
        ['Three', priceOf(2), 6, '[2]', ['x', 'y']],
      ] as const) {
        await putSku(offers, key, documentOf(document), ++nowMs);
        await putPrice(offers, key, price, ++nowMs);
        await patchInventory(offers, key, [quantity('n', amount), quantity(`of ${amount}`, 1)], ++nowMs);
        await putShippingExceptions(offers, key, text, ++nowMs);
        await putReturnLocations(offers, key, ids, ++nowMs);
      }
      await putShippingExceptions(offers, key, null, ++nowMs);
      await putGroup(offers, key, groupOf('b'), ++nowMs);
      await putGroup(offers, key, groupOf(), ++nowMs);
      await setArchived(offers, key, true, ++nowMs);
      await setArchived(offers, key, false, ++nowMs);
      assert.deepEqual(await changesOf(store(), key), [
        { part: 'sku', before: first, after: documentOf('Two') },
        { part: 'price', before: null, after: { price: 1.5, nodes } },
        stock({ nodeId: 'n', before: null, after: 5 }, { nodeId: 'of 5', before: null, after: 1 }),
        { part: 'shipping_exception', before: null, after: '[1]' },
        { part: 'returns_exception', before: null, after: '["x"]' },
        { part: 'sku', before: documentOf('Two'), after: documentOf('Three') },
        { part: 'price', before: { price: 1.5, nodes }, after: priceOf(2) },
        stock({ nodeId: 'n', before: 5, after: 6 }, { nodeId: 'of 6', before: null, after: 1 }),
        { part: 'shipping_exception', before: '[1]', after: '[2]' },
        { part: 'returns_exception', before: '["x"]', after: '["x","y"]' },
        { part: 'shipping_exception', before: '[2]', after: null },
        { part: 'variation', before: null, after: groupOf('b') },
        { part: 'variation', before: groupOf('b'), after: groupOf() },
        { part: 'archive', before: false, after: true },
        { part: 'archive', before: true, after: false },
      ]);
      // The text of the API has the same changes.
      const query = { after: undefined, types: UPDATED, limit: 1000, withChanges: true };
      const { events, tag } = await store().feed.readEvents(key.accountId, query);
      const { text } = await store().feed.readEventTexts(key.accountId, query, NEUTRAL_NAMES);
      const names = new Names(NEUTRAL_NAMES);
      assert.deepEqual(
        JSON.parse(`[${text}]`),
        events.map((event) => eventJson(event, tag, names)),
      );
      const { events: plain } = await store().feed.readEvents(key.accountId, { ...query, withChanges: false });
      assert.ok(plain.every((event) => !('change' in event)));
    });

    test('have their own change if a later write has an earlier time, as that of another process may have', async () => {
      const key = await uploadedKey(store());
      for (const [price, atMs] of [
        [1, LATER_MS],
        [2, LATER_MS + 45],
        [3, LATER_MS + 20],
      ] as const)
        await putPrice(store().offers, key, priceOf(price), atMs);
      assert.deepEqual(await changesOf(store(), key), [
        { part: 'price', before: null, after: priceOf(1) },
        { part: 'price', before: priceOf(1), after: priceOf(2) },
        { part: 'price', before: priceOf(2), after: priceOf(3) },
      ]);
    });

    test('have the change of each of many calls that arrive together at different times', async () => {
      const skuIds = Array.from({ length: 50 }, (_, n) => `sku-${n}`);
      const at = await uploadedSkus(store(), skuIds);
      const { accountId } = at('');
      await Promise.all(
        skuIds.map((skuId, n) => putPrice(store().offers, at(skuId), priceOf(n + 1), LATER_MS + ((n * 7) % 50))),
      );
      const { told } = await readAll(store(), accountId);
      const changes = new Map(told.filter(([, change]) => change?.part === 'price'));
      const expected = skuIds.map((skuId, n): Told => [skuId, { part: 'price', before: null, after: priceOf(n + 1) }]);
      assert.deepEqual(changes, new Map(expected));
    });

    test('have the groups of parents that lose a child', async () => {
      const at = await uploadedSkus(store(), ['a', 'b', 'c']);
      await putGroup(store().offers, at('a'), groupOf('b'), LATER_MS);
      await putGroup(store().offers, at('c'), groupOf('b'), LATER_MS + 1);
      const change = (before: ReturnType<typeof groupOf> | null, after: ReturnType<typeof groupOf>) => {
        return { part: 'variation', before, after };
      };
      assert.deepEqual(await changesOf(store(), at('a')), [
        change(null, groupOf('b')),
        change(groupOf('b'), groupOf()),
      ]);
      assert.deepEqual(await changesOf(store(), at('c')), [change(null, groupOf('b'))]);
    });

    test('show what one file did to a part as one change', async () => {
      const key = await uploadedKey(store());
      await putPrice(store().offers, key, priceOf(1), LATER_MS);
      const row = (price: number): PartWrite => ({ part: 'price', skuId: key.skuId, ...priceOf(price) });
      const later = await startedFile(store(), 'Price', key.accountId);
      await applied(store(), later, row(2));
      await applied(store(), later, row(3));
      const ofFile = { part: 'price', before: priceOf(1), after: priceOf(3) };
      assert.deepEqual(await changesOf(store(), key), [
        { part: 'price', before: null, after: priceOf(1) },
        ofFile,
        ofFile,
      ]);
    });

    test('have the status and the issues before and after a review', async () => {
      const key = await uploadedKey(store());
      await review(store(), key.accountId);
      const { told } = await readAll(store(), key.accountId, ['offer.status_changed']);
      const before = { status: null, subStatuses: [] };
      const change = { part: 'status', before, after: { status: 'missing', subStatuses: ['Missing price'] } };
      assert.deepEqual(told, [[key.skuId, change]]);
    });

    test('say so if the history does not have the change any more', async () => {
      const key = await uploadedKey(store());
      await putPrice(store().offers, key, priceOf(1), LATER_MS);
      await putPrice(store().offers, key, priceOf(2), LATER_MS + 1);
      const { offer, seq } = await store().history.readHistorySizes(key.accountId, { offer: 0, seq: 0 });
      const places = seq.map((each, index): RecordPlace => ({ offer: offer[index] ?? 0, seq: each }));
      await store().history.dropRecords(key.accountId, places.slice(0, 2));
      assert.deepEqual(await readAll(store(), key.accountId), {
        told: [
          [key.skuId, NOT_RECORDED],
          [key.skuId, NOT_RECORDED],
          [key.skuId, { part: 'price', before: priceOf(1), after: priceOf(2) }],
        ],
        pages: [3],
      });
    });

    test('say so if a value is too long, before or after', async () => {
      const { event_value_characters_max: charactersMax } = LIMITS;
      const key = newKey();
      const long = (characters: number) => `"${'x'.repeat(characters - 2)}"`;
      const documents = [long(charactersMax), long(charactersMax + 1), '"short"'] as const;
      for (const [index, document] of documents.entries()) {
        await putSku(store().offers, key, document, LATER_MS + index);
      }
      assert.deepEqual(
        (await readAll(store(), key.accountId)).told.map(([, change]) => change),
        [{ part: 'sku', before: null, after: documents[0] }, TOO_LONG, TOO_LONG],
      );
    });

    test('say so if more nodes changed than are shown', async () => {
      const { event_change_nodes_max: nodesMax } = LIMITS;
      const key = await uploadedKey(store());
      const nodes = (count: number, amount: number) =>
        Array.from({ length: count }, (_, n) => quantity(`n${n}`, amount));
      await patchInventory(store().offers, key, nodes(nodesMax, 1), LATER_MS);
      await patchInventory(store().offers, key, nodes(nodesMax + 1, 2), LATER_MS + 1);
      const [most, more] = await changesOf(store(), key);
      assert.equal(most?.part === 'inventory' ? most.nodes.length : undefined, nodesMax);
      assert.deepEqual(more, TOO_LONG);
    });

    test('say so if the later stock records of the SKU are too long', async () => {
      const bytesMax = LIMITS.event_stock_bytes_max;
      const changesBefore = async (bytes: number) => {
        const key = await uploadedKey(store());
        await patchInventory(store().offers, key, [quantity('n', 1)], LATER_MS);
        await patchInventory(store().offers, key, [quantity('n', 2)], LATER_MS + 1);
        await patchInventory(store().offers, key, [quantity('x'.repeat(bytes), 1)], LATER_MS + 2);
        await patchInventory(store().offers, key, [quantity('o', 1)], LATER_MS + 3);
        return (await changesOf(store(), key)).filter((_, index) => index !== 2);
      };
      const first = stock({ nodeId: 'n', before: null, after: 1 });
      const last = stock({ nodeId: 'o', before: null, after: 1 });
      assert.deepEqual(await changesBefore(LIMITS.event_value_characters_max), [
        first,
        stock({ nodeId: 'n', before: 1, after: 2 }),
        last,
      ]);
      assert.deepEqual(await changesBefore(bytesMax), [first, TOO_LONG, TOO_LONG]);
    });

    test('come in pages of at most 100 events, and of fewer with large values', async () => {
      const { event_changes_page_max: eventsMax, event_changes_page_characters_max: charactersMax } = LIMITS;
      const skuIds = Array.from({ length: eventsMax + 1 }, (_, n) => `sku-${n}`);
      const { accountId } = (await uploadedSkus(store(), skuIds))('');
      assert.deepEqual((await readAll(store(), accountId)).pages, [eventsMax, 1]);
      const key = newKey();
      const fitting = Math.floor(charactersMax / (LIMITS.event_value_characters_max - 1));
      for (let n = 0; n < fitting + 1; n++) {
        const document = `"${n}${'x'.repeat(LIMITS.event_value_characters_max)}`.slice(
          0,
          LIMITS.event_value_characters_max - 2,
        );
        await putSku(store().offers, { ...key, skuId: `sku-${n}` }, `${document}"`, LATER_MS);
      }
      assert.deepEqual((await readAll(store(), key.accountId)).pages, [fitting, 1]);
    });
  });
}
