/** Contract tests for the change feed: every change is reported once and in order, even with concurrent writers. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { authorOfFile } from '../../domain/author.ts';
import { eventJson, type FeedEvent, type FeedPosition } from '../../domain/events.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { PartWrite } from '../../domain/offers/part.ts';
import { EVENT_TYPES } from '../../domain/vocabulary/event-types.ts';
import { type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { applied, startedFile, uploadedFile } from './bulk-files.ts';
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
import {
  AUTHOR,
  type ClearedStores,
  documentOf,
  LATER_MS,
  NOW_MS,
  newAccountId,
  newCredential,
  newMerchant,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

const quantity = (node: string, amount: number) => ({ fulfillment_node_id: node, quantity: amount });
const priceOf = (price: number) => ({ price, nodes: [] });
const stockRow = (skuId: string, amount: number): PartWrite => {
  return { part: 'inventory', skuId, quantities: [quantity('n', amount)] };
};
const groupOf = (...childrenSkus: string[]) => ({ refinements: '[1]', title: null, childrenSkus });

/** Reads the whole feed in pages, as a client does. */
export async function readAll(
  store: Store,
  accountId: number,
  { limit = 1000, types = EVENT_TYPES }: { limit?: number; types?: readonly FeedEvent['type'][] } = {},
): Promise<readonly FeedEvent[]> {
  const all: FeedEvent[] = [];
  let after: FeedPosition | undefined;
  for (;;) {
    const page = await store.feed.readEvents(accountId, { after, types, limit });
    assert.ok(page.events.length <= limit);
    all.push(...page.events);
    after = page.next;
    if (!page.more) return all;
  }
}

/** Returns an event without its position and time. */
function told({ position, atMs, ...event }: FeedEvent): unknown {
  return event;
}

const updated = (skuId: string, part: string, by: string | null = AUTHOR) => ({
  type: 'offer.updated',
  skuId,
  part,
  by,
});

export function feedContract(store: () => Store): void {
  describe('the change feed', () => {
    test('reports each part that a call changed, with its author, and nothing for a call that changed nothing', async () => {
      const { offers } = store();
      const at = await uploadedSkus(store(), ['a', 'b']);
      const { accountId } = at('');
      const by = 'person:eve@example.com' as const;
      const [a, b] = [at('a'), { ...at('b'), by }] as const;
      await putSku(offers, a, documentOf('New'), LATER_MS);
      await putPrice(offers, a, priceOf(1), LATER_MS);
      await putPrice(offers, a, priceOf(1), LATER_MS);
      await putPrice(offers, a, priceOf(2), LATER_MS);
      await patchInventory(offers, b, [quantity('n', 3)], LATER_MS);
      await patchInventory(offers, b, [quantity('n', 3)], LATER_MS);
      await putShippingExceptions(offers, a, '[1]', LATER_MS);
      await putReturnLocations(offers, a, ['x'], LATER_MS);
      await putGroup(offers, a, groupOf('b'), LATER_MS);
      await putGroup(offers, a, groupOf('b'), LATER_MS);
      await setArchived(offers, b, true, LATER_MS);
      await setArchived(offers, b, true, LATER_MS);
      const events = await readAll(store(), accountId);
      assert.deepEqual(
        new Set(events.slice(0, 2).map(told)),
        new Set([updated('a', 'sku'), updated('b', 'sku')].map((each) => each)),
      );
      assert.deepEqual(events.slice(2).map(told), [
        updated('a', 'sku'),
        updated('a', 'price'),
        updated('a', 'price'),
        updated('b', 'inventory', by),
        updated('a', 'shipping_exception'),
        updated('a', 'returns_exception'),
        updated('a', 'variation'),
        updated('b', 'archive', by),
      ]);
      assert.equal(events.at(-1)?.atMs, LATER_MS);
    });

    test('reports the groups that lose a member to another group', async () => {
      const { offers } = store();
      const at = await uploadedSkus(store(), ['a', 'b', 'c', 'd', 'e']);
      const { accountId } = at('');
      await putGroup(offers, at('a'), groupOf('b', 'c'), LATER_MS);
      await putGroup(offers, at('d'), groupOf('e'), LATER_MS);
      const before = (await readAll(store(), accountId)).length;
      await putGroup(offers, at('e'), groupOf('b'), LATER_MS);
      const events = (await readAll(store(), accountId)).slice(before);
      const expected = ['a', 'd', 'e'].map((skuId) => updated(skuId, 'variation'));
      assert.deepEqual(new Set(events.map(told)), new Set(expected));
      assert.equal(events.length, expected.length);
    });

    test('reports parts that are written together, or under a precondition', async () => {
      const { offers } = store();
      const key = (await uploadedSkus(store(), ['a', 'b']))('a');
      const { accountId, skuId } = key;
      const before = (await readAll(store(), accountId)).length;
      const document = documentOf('New');
      const price = { part: 'price', skuId, ...priceOf(1) } as const;
      await offers.write(key, [{ part: 'sku', skuId, document }, price], LATER_MS);
      await offers.write(key, [{ part: 'variation', skuId, group: groupOf('b') }], LATER_MS, { ifNoneMatch: '*' });
      await offers.write(key, [{ ...price, ...priceOf(2) }], LATER_MS, { ifMatch: '*' });
      const events = (await readAll(store(), accountId)).slice(before);
      assert.deepEqual(events.map(told), [
        updated('a', 'sku'),
        updated('a', 'price'),
        updated('a', 'variation'),
        updated('a', 'price'),
      ]);
    });

    test('keeps the order of the events of an offer, even if writes of other offers are committed with them', async () => {
      const { offers } = store();
      const at = await uploadedSkus(store(), ['a', 'b', 'c']);
      const price = (skuId: string, amount: number) => putPrice(offers, at(skuId), priceOf(amount), LATER_MS);
      const stock = (skuId: string, amount: number) =>
        patchInventory(offers, at(skuId), [quantity('n', amount)], LATER_MS);
      await Promise.all([price('a', 1), stock('a', 1), price('b', 1), price('a', 2), stock('c', 1), stock('a', 2)]);
      const events = (await readAll(store(), at('').accountId)).map(told).slice(3);
      assert.deepEqual(
        events.filter((event) => (event as { skuId: string }).skuId === 'a'),
        ['price', 'inventory', 'price', 'inventory'].map((part) => updated('a', part)),
      );
    });

    test('reports rows of a file, including those that change a part again', async () => {
      const at = await uploadedSkus(store(), ['a', 'b']);
      const { accountId } = at('');
      const file = await startedFile(store(), 'Inventory', accountId);
      const by = authorOfFile(file.fileId);
      const before = (await readAll(store(), accountId)).length;
      await applied(store(), file, stockRow('a', 1), stockRow('b', 1));
      await applied(store(), file, stockRow('a', 1), stockRow('b', 2));
      const prices = await startedFile(store(), 'Price', accountId);
      const priced = authorOfFile(prices.fileId);
      await applied(store(), prices, { part: 'price', skuId: 'a', ...priceOf(1) });
      await applied(store(), prices, { part: 'price', skuId: 'a', ...priceOf(2) });
      const events = (await readAll(store(), accountId)).slice(before);
      assert.deepEqual(events.map(told), [
        updated('a', 'inventory', by),
        updated('b', 'inventory', by),
        updated('b', 'inventory', by),
        updated('a', 'price', priced),
        updated('a', 'price', priced),
      ]);
    });

    test('reports a changed status with its issues, and no review that found the same', async () => {
      const key = await uploadedKey(store());
      const { accountId, skuId } = key;
      await review(store(), accountId);
      await putSku(store().offers, key, documentOf('New'), LATER_MS);
      await review(store(), accountId);
      await putPrice(store().offers, key, priceOf(1), LATER_MS);
      const [due] = await store().review.readDueOffers(accountId, 1);
      assert.ok(due);
      const listing = { titleKey: skuId, categoryId: null, words: [] };
      const verdict = {
        status: 'available',
        subStatuses: [],
        evidence: {},
        rules: 'a',
        shoeKey: null,
        listing,
      } as const;
      await store().review.storeReviews(accountId, [{ skuId, mark: due.mark, ...verdict }], LATER_MS);
      const type = 'offer.status_changed' as const;
      assert.deepEqual((await readAll(store(), accountId, { types: [type] })).map(told), [
        { type, skuId, before: null, after: 'missing', issuesAdded: ['Missing price'], issuesRemoved: [] },
        { type, skuId, before: 'missing', after: 'available', issuesAdded: [], issuesRemoved: ['Missing price'] },
      ]);
    });

    test('reports another category of a live offer only to readers who ask for it', async () => {
      const key = await uploadedKey(store());
      const { accountId, skuId } = key;
      const reviewed = async (status: Status, categoryId: string | null) => {
        await store().review.markDue(accountId, [skuId]);
        const [due] = await store().review.readDueOffers(accountId, 1);
        assert.ok(due);
        const listing = { titleKey: skuId, categoryId, words: [] };
        const found = { status, subStatuses: [], evidence: {}, rules: 'a', shoeKey: null, listing };
        await store().review.storeReviews(accountId, [{ skuId, mark: due.mark, ...found }], LATER_MS);
      };
      for (const categoryId of ['1', '2']) await reviewed('missing', categoryId);
      for (const categoryId of ['3', '3', '4', null]) await reviewed('available', categoryId);
      const type = 'offer.recategorized' as const;
      assert.deepEqual((await readAll(store(), accountId, { types: [type] })).map(told), [
        { type, skuId },
        { type, skuId },
      ]);
      const shown = (await readAll(store(), accountId)).map((event) => event.type);
      assert.deepEqual(shown, ['offer.updated', 'offer.status_changed', 'offer.status_changed']);
    });

    test('reports finished and cancelled files, finished reports and rolled keys', async () => {
      const { settings, files, reports } = store();
      const merchant = newMerchant();
      await settings.addMerchant(merchant, NOW_MS);
      const accountId = (await settings.listMerchants()).find(({ merchantId }) => merchantId === merchant.merchantId)
        ?.accounts.live;
      assert.ok(accountId);
      const finished = await startedFile(store(), 'Price', accountId);
      await files.finishFile(finished, 'Processed successfully', finished.progress, LATER_MS);
      await files.finishFile(finished, 'Processed successfully', finished.progress, LATER_MS);
      const cancelled = await startedFile(store(), 'Inventory', accountId);
      await files.cancelFile(accountId, cancelled.fileId, LATER_MS);
      const checked = await uploadedFile(store(), accountId);
      const submitted = { accountId, fileId: checked, type: 'Price', name: 'x', validateOnly: true } as const;
      await files.receiveFile(submitted, NOW_MS, 0);
      await files.cancelFile(accountId, checked, LATER_MS);
      await reports.addReport({ accountId, reportId: 'report-1', type: 'ProductStatus' }, NOW_MS, 1);
      const [report] = await reports.listRequestedReports(accountId, 1);
      assert.ok(report);
      await reports.endReport(report, 'Ready', 10, LATER_MS);
      await reports.endReport(report, 'Ready', 10, LATER_MS);
      const [all, one] = [newCredential(), newCredential()];
      await settings.rollCredential(accountId, null, all, NOW_MS, LATER_MS);
      await settings.rollCredential(accountId, all.user, one, NOW_MS, LATER_MS);
      const { fileId } = finished;
      assert.deepEqual((await readAll(store(), accountId)).map(told), [
        { type: 'file.finished', fileId, fileType: 'Price', status: 'Processed successfully' },
        { type: 'file.finished', fileId: cancelled.fileId, fileType: 'Inventory', status: 'Cancelled' },
        { type: 'file.finished', fileId: checked, fileType: 'Price', status: 'Cancelled', validateOnly: true },
        { type: 'report.ready', reportId: 'report-1', status: 'Ready' },
        { type: 'key.rolled', user: null, nextUser: all.user, endsMs: LATER_MS },
        { type: 'key.rolled', user: all.user, nextUser: one.user, endsMs: LATER_MS },
      ]);
    });

    test('pages through events of one commit, and filters by type', async () => {
      const accountId = newAccountId();
      const file = await startedFile(store(), 'MerchantSKUs', accountId);
      const rows = Array.from({ length: 25 }, (_, row): PartWrite => {
        return { part: 'sku', skuId: `sku-${row}`, document: documentOf() };
      });
      await applied(store(), file, ...rows);
      await review(store(), accountId);
      const all = await readAll(store(), accountId);
      assert.equal(all.length, 50);
      for (const limit of [1, 7, 24, 25, 26, 49]) assert.deepEqual(await readAll(store(), accountId, { limit }), all);
      const changes = await readAll(store(), accountId, { types: ['offer.status_changed'], limit: 4 });
      assert.deepEqual(
        changes,
        all.filter(({ type }) => type === 'offer.status_changed'),
      );
      assert.equal(new Set(all.map(({ position }) => `${position.number} ${position.count}`)).size, 50);
    });

    test('reports `more` while committed events have no number yet', async () => {
      const at = await uploadedSkus(
        store(),
        Array.from({ length: 1001 }, (_, position) => `sku-${position}`),
      );
      const { accountId } = at('');
      const due = await store().review.readDueOffers(accountId, 1001);
      const reviews = due.map(({ skuId, mark }, position) => {
        // Each review has a different set of issues, so that no two reviews share a batch.
        const subStatuses = SUB_STATUSES.filter((_, bit) => (position >> bit) % 2 === 1);
        const listing = { titleKey: skuId, categoryId: null, words: [] };
        const status = 'missing' as const;
        return { skuId, mark, status, subStatuses, evidence: {}, rules: 'a', shoeKey: null, listing };
      });
      await store().review.storeReviews(accountId, reviews, LATER_MS);
      const events = await readAll(store(), accountId, { types: ['offer.status_changed'] });
      assert.equal(events.length, 1001);
    });

    test('continues where a reader stopped, and keeps the place of every event', async () => {
      const key = await uploadedKey(store());
      const { accountId } = key;
      const first = await store().feed.readEvents(accountId, { after: undefined, types: EVENT_TYPES, limit: 10 });
      assert.equal(first.more, false);
      await putPrice(store().offers, key, priceOf(1), LATER_MS);
      const next = await store().feed.readEvents(accountId, { after: first.next, types: EVENT_TYPES, limit: 10 });
      assert.deepEqual(next.events.map(told), [updated(key.skuId, 'price')]);
      const after = first.events[0]?.position;
      const again = await store().feed.readEvents(accountId, { after, types: EVENT_TYPES, limit: 10 });
      assert.deepEqual(again.events, next.events);
      assert.equal(again.tag, first.tag);
    });

    test('returns the same page as text', async () => {
      const key = await uploadedKey(store());
      const { accountId } = key;
      await putPrice(store().offers, key, priceOf(1), LATER_MS);
      const settings = { ...NEUTRAL_NAMES, reviewStatus: 'checked' };
      const query = { after: undefined, types: EVENT_TYPES, limit: 1 };
      const { events, ...page } = await store().feed.readEvents(accountId, query);
      const { text, ...textPage } = await store().feed.readEventTexts(accountId, query, settings);
      assert.deepEqual(textPage, page);
      assert.deepEqual(
        JSON.parse(`[${text}]`),
        events.map((event) => eventJson(event, page.tag, new Names(settings))),
      );
      const last = { ...query, limit: 10 };
      const all = await store().feed.readEvents(accountId, last);
      assert.equal((await store().feed.readEventTexts(accountId, { ...last, after: all.next }, settings)).text, '');
    });

    test('drops old events, numbered or not, and notes which', async () => {
      const key = await uploadedKey(store());
      const { accountId } = key;
      await putPrice(store().offers, key, priceOf(1), LATER_MS);
      while ((await store().feed.tidyFeed(accountId, LATER_MS)) === 'more');
      const page = await store().feed.readEvents(accountId, { after: undefined, types: EVENT_TYPES, limit: 10 });
      assert.deepEqual(page.events.map(told), [updated(key.skuId, 'price')]);
      assert.equal(page.oldestMs, LATER_MS);
      const [event] = page.events;
      assert.ok(event && event.position.number > page.dropped && page.dropped > 0);
      await store().feed.tidyFeed(accountId, LATER_MS + 1);
      const empty = await store().feed.readEvents(accountId, { after: undefined, types: EVENT_TYPES, limit: 10 });
      assert.deepEqual([empty.events, empty.dropped, empty.oldestMs], [[], event.position.number, null]);
      await putPrice(store().offers, key, priceOf(2), LATER_MS);
      const next = await store().feed.readEvents(accountId, { after: empty.next, types: EVENT_TYPES, limit: 10 });
      assert.deepEqual(next.events.map(told), [updated(key.skuId, 'price')]);
    });
  });
}

const WRITERS = 12;
const ROUNDS = 20;

/** Writes parts of its own offers through either process, one write at a time. */
async function writeInTurn(
  stores: readonly Store[],
  at: (skuId: string) => WriteKey,
  writer: number,
): Promise<string[]> {
  const written: string[] = [];
  const key = at(`sku-${writer}`);
  for (let round = 0; round < ROUNDS; round++) {
    const { offers } = stores[(round + writer) % stores.length] as Store;
    if (round % 3 === 0) await putPrice(offers, key, priceOf(round + 1), LATER_MS);
    else if (round % 3 === 1) await patchInventory(offers, key, [quantity('n', round + 1)], LATER_MS);
    else await putSku(offers, key, documentOf(`Brand ${round}`), LATER_MS);
    written.push((['price', 'inventory', 'sku'] as const)[round % 3] as string);
  }
  return written;
}

/** Contract tests for readers that follow the feed while other processes write. */
export function feedRaceContract(emptied: ClearedStores): void {
  describe('the change feed of concurrent writers', () => {
    test('misses nothing, repeats nothing, and keeps the order of every offer', async () => {
      const stores = await emptied.openTwo();
      const skuIds = Array.from({ length: WRITERS }, (_, writer) => `sku-${writer}`);
      const at = await uploadedSkus(stores[0], [...skuIds, ...Array.from({ length: 40 }, (_, row) => `row-${row}`)]);
      const { accountId } = at('');
      await readAll(stores[0], accountId);

      const file = await startedFile(stores[1], 'Price', accountId);
      const writing = Promise.all([
        ...skuIds.map((_, writer) => writeInTurn(stores, at, writer)),
        // A file also changes the writers' offers. Its rows are older, so later calls supersede them.
        ...Array.from({ length: 10 }, async (_, slice) => {
          await applied(
            stores[1],
            file,
            ...Array.from({ length: 40 }, (_, row): PartWrite => {
              return { part: 'price', skuId: `row-${row}`, ...priceOf(slice * 40 + row + 1) };
            }),
          );
          return [];
        }),
      ]);
      let isWriting = true;
      const read: FeedEvent[][] = [[], []];
      const readers = stores.map(async (store, reader) => {
        let after: FeedPosition | undefined;
        for (let isLast = false; !isLast; ) {
          isLast = !isWriting;
          for (let more = true; more; ) {
            const page = await store.feed.readEvents(accountId, { after, types: EVENT_TYPES, limit: 20 });
            read[reader]?.push(...page.events);
            after = page.next;
            more = page.more;
          }
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      });
      const written = await writing.finally(() => {
        isWriting = false;
      });
      await Promise.all(readers);

      assert.deepEqual(read[0], read[1], 'All readers see the same order.');
      const seen = read[0] as FeedEvent[];
      assert.equal(new Set(seen.map(({ position }) => `${position.number} ${position.count}`)).size, seen.length);
      assert.deepEqual(await readAll(stores[0], accountId), seen, 'A later reader sees the same feed.');
      for (const [writer, skuId] of skuIds.entries()) {
        const parts = seen.flatMap((event) =>
          event.type === 'offer.updated' && event.skuId === skuId ? event.part : [],
        );
        assert.deepEqual(parts, ['sku', ...(written[writer] as string[])], skuId);
      }
      const rows = seen.filter((event) => 'skuId' in event && event.skuId.startsWith('row-')).length;
      assert.equal(rows, 40 + 10 * 40);
    });

    test('is erased with the offers of an account, and says so to readers', async (t: TestContext) => {
      const store = await emptied.openOne();
      const key = await uploadedKey(store);
      const { accountId } = key;
      const [event] = await readAll(store, accountId);
      const moves = await emptied.openMoves(t);
      for (let more = true; more; ) ({ more } = await moves.eraseOffers(accountId, Number.MAX_SAFE_INTEGER, 1000));
      const page = await store.feed.readEvents(accountId, { after: undefined, types: EVENT_TYPES, limit: 10 });
      assert.deepEqual(page.events, []);
      assert.ok(event && event.position.number <= page.dropped, 'The cursor of the event has expired.');
      assert.equal(page.oldestMs, null);
    });
  });
}
