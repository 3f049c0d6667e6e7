/** Contract tests for offers that would fail under announced changes: they are stored, reported, counted and forgotten. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AGAIN_MS, DATE_MS, DAY_MS, EXCLUDED, ids, later, restricted } from './announced-contract.ts';
import { putSku } from './put-parts.ts';
import { AUTHOR, type ClearedStores, documentOf, LATER_MS, NOW_MS, newMerchant } from './subject.ts';

export function upcomingContract(stores: ClearedStores): void {
  describe('offers that would fail under announced changes', () => {
    const SKUS = ['a', 'b', 'c'];

    /** Adds offers, and two announced changes under which all of them would fail. */
    async function failing() {
      const store = await stores.openOne();
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      const accountId = accounts.live;
      for (const skuId of SKUS) {
        await putSku(store.offers, { accountId, skuId, by: AUTHOR }, documentOf(skuId), NOW_MS);
      }
      await store.policies.addPolicy(EXCLUDED, later(1));
      await store.policies.addPolicy(restricted(), later(2));
      const announcedIds = await ids(store);
      const note = (skuIds: readonly string[], failed: readonly number[]) =>
        store.review.noteUpcoming(
          accountId,
          skuIds.map((skuId) => ({ skuId, announcedIds: failed })),
          NOW_MS,
        );
      await note(SKUS, announcedIds);
      const events = async () => {
        const types = ['offer.will_fail', 'offer.will_pass'] as const;
        const page = await store.feed.readEvents(accountId, { after: undefined, types, limit: 100 });
        return page.events.map((event) =>
          'skuId' in event && 'announcedId' in event
            ? `${event.type} ${event.skuId} ${event.announcedId} ${event.enforcedFromMs}`
            : '',
        );
      };
      const [first = 0, second = 0] = announcedIds;
      const told = (type: string, id: number, skuIds = SKUS) =>
        skuIds.map((skuId) => `offer.${type} ${skuId} ${id} ${id === first ? DATE_MS + 1 : DATE_MS + 2}`);
      return { store, accountId, first, second, note, events, told };
    }

    test('are stored and reported once, counted, and listed in order', async () => {
      const { store, accountId, first, second, note, events, told } = await failing();
      await note(SKUS, [first, second]);
      const expected = [...told('will_fail', first), ...told('will_fail', second)];
      assert.deepEqual((await events()).toSorted(), expected.toSorted());
      await note(['b'], [second]);
      assert.deepEqual((await events()).slice(expected.length), told('will_pass', first, ['b']));
      const counts = new Map([
        [first, 2],
        [second, 3],
      ]);
      assert.deepEqual(new Map(await store.review.countUpcoming(accountId)), counts);
      assert.deepEqual(await store.review.listUpcoming(accountId, first, '', 10), ['a', 'c']);
      assert.deepEqual(await store.review.listUpcoming(accountId, second, 'a', 1), ['b']);
      assert.deepEqual(await store.review.listUpcoming(accountId + 1, first, '', 10), []);
      const reported = async () => {
        const { records } = await store.reports.readReportRows(accountId, 0, 10);
        return records.map(({ upcoming }) => upcoming);
      };
      assert.deepEqual(await reported(), [[first, second], [second], [first, second]]);
      await store.policies.cancelAnnouncedChange(first, LATER_MS, 'bob');
      assert.deepEqual(await reported(), [[second], [second], [second]], 'before its failures are forgotten');
    });

    test('are reported again with a new date, and not for a change that is settled or unknown', async () => {
      const { store, first, second, note, events, told } = await failing();
      const before = await events();
      await store.policies.moveAnnouncedChange(first, DATE_MS + 7, NOW_MS);
      await store.policies.cancelAnnouncedChange(second, LATER_MS, 'bob');
      await note(SKUS, [first, second, second + 1]);
      const moved = SKUS.map((skuId) => `offer.will_fail ${skuId} ${first} ${DATE_MS + 7}`);
      assert.deepEqual((await events()).slice(before.length), moved);
      assert.deepEqual(told('will_fail', second).length, 3);
    });

    test('are reported to their merchant in a reminder, once by several processes', async () => {
      const { store, accountId, first } = await failing();
      const date = DATE_MS + 50 * DAY_MS;
      await store.policies.moveAnnouncedChange(first, date, NOW_MS);
      const remind = (days: number) => store.policies.remindOfChange(first, days, LATER_MS);
      await Promise.all([remind(30), remind(30)]);
      await remind(7);
      await remind(7);
      await remind(30);
      const types = ['requirement.reminder'] as const;
      const { events } = await store.feed.readEvents(accountId, { after: undefined, types, limit: 9 });
      const event = {
        type: 'requirement.reminder',
        atMs: LATER_MS,
        announcedId: first,
        enforcedFromMs: date,
        offers: 3,
      };
      assert.deepEqual(
        events.map(({ position: _, ...each }) => each),
        [30, 7].map((days) => ({ ...event, days })),
      );
      await store.policies.moveAnnouncedChange(first, date, NOW_MS);
      await remind(30);
      const again = await store.feed.readEvents(accountId, { after: undefined, types, limit: 9 });
      assert.equal(again.events.length, 3, 'a change that is moved is announced again');
    });

    test('are forgotten after the change: with an event if it was cancelled, once by several processes', async () => {
      const { store, accountId, first, second, events, told } = await failing();
      const before = await events();
      await store.policies.applyAnnouncedChange(DATE_MS + 1);
      await store.policies.cancelAnnouncedChange(second, LATER_MS, 'bob');
      const clear = (id: number) => store.review.clearUpcoming(accountId, id, LATER_MS);
      await Promise.all([clear(first), clear(first), clear(second), clear(second)]);
      assert.deepEqual((await events()).slice(before.length).toSorted(), told('will_pass', second));
      assert.deepEqual(new Map(await store.review.countUpcoming(accountId)), new Map());
      await store.policies.noteCleared(second);
      const cleared = (await store.policies.listAnnouncedChanges(9)).map((one) => [one.announcedId, one.cleared]);
      assert.deepEqual(new Map(cleared as [number, boolean][]).get(second), true);
    });

    test('are not forgotten if their change was announced again', async () => {
      const { store, accountId, first, second } = await failing();
      await store.policies.cancelAnnouncedChange(second, LATER_MS, 'bob');
      await store.policies.announceAgain(second, AGAIN_MS);
      assert.equal(await store.review.clearUpcoming(accountId, second, LATER_MS), 'done');
      await store.policies.noteCleared(second);
      const counts = new Map([first, second].map((id) => [id, 3]));
      assert.deepEqual(new Map(await store.review.countUpcoming(accountId)), counts);
      assert.deepEqual(
        (await store.policies.listAnnouncedChanges(9)).map(({ cleared }) => cleared),
        [false, false],
      );
    });

    test('are forgotten with the offers that are erased', async (t) => {
      const { store, accountId } = await failing();
      const moves = await stores.openMoves(t);
      assert.deepEqual(await moves.eraseOffers(accountId, Number.MAX_SAFE_INTEGER, 1000), { skus: 3, more: false });
      assert.deepEqual(new Map(await store.review.countUpcoming(accountId)), new Map());
    });
  });
}
