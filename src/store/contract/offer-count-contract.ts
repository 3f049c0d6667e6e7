/** Contract tests for offer counts by status: they are always correct, whatever changes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIST_LIMITS, NO_FILTER } from '../../domain/offers/offer-list.ts';
import type { Store } from '../port.ts';
import { reviewOf } from './due-offers.ts';
import { type Known, knownOffer, reviewAs, upload } from './known-offers.ts';
import { patchInventory, putSku } from './put-parts.ts';
import { AUTHOR, bareOffer, type ClearedStores, NOW_MS, newAccountId } from './subject.ts';

export function offerCountContract(store: () => Store, emptied: ClearedStores): void {
  describe('counts of offers', () => {
    test('count every offer once at any moment during first reviews', async () => {
      const id = newAccountId();
      const offers = Array.from({ length: 60 }, (_, position) => ({
        ...knownOffer(position),
        skuId: `sku-${position}`,
      }));
      for (const { skuId } of offers) await putSku(store().offers, { accountId: id, skuId, by: AUTHOR }, '{}', NOW_MS);
      const due = await store().review.readDueOffers(id, offers.length);
      let isReviewing = true;
      const reviewing = (async () => {
        for (const offer of due) await store().review.storeReviews(id, [reviewOf(offer)], NOW_MS);
      })().finally(() => {
        isReviewing = false;
      });
      const counted = new Set<number>();
      while (isReviewing) {
        const { byStatus, unreviewed } = await store().offerList.readOfferCounts(id);
        counted.add(byStatus.values().reduce((sum, count) => sum + count, unreviewed));
      }
      await reviewing;
      assert.deepEqual([...counted], [offers.length]);
    });

    test('of all accounts are kept by day, summed, compared and dropped', async () => {
      const { offerList, ...own } = await emptied.openOne();
      const [first, second] = [newAccountId(), newAccountId()];
      const statuses = ['available', 'missing', 'excluded', 'review', 'archived'] as const;
      const offers = statuses.map((status, position) => ({ ...knownOffer(position), skuId: status, status }));
      for (const offer of offers) await upload({ ...own, offerList }, first, offer);
      await reviewAs({ ...own, offerList }, first, offers);
      const counted = await offerList.countOffersByAccount(20);
      const one = { day: 20, accountId: first, available: 1, failing: 2, review: 1, archived: 1 };
      assert.deepEqual(counted, [one]);

      await offerList.putOfferDays([]);
      await offerList.putOfferDays([{ ...one, failing: 9 }]);
      const more = { ...one, accountId: second, failing: 4 };
      await offerList.putOfferDays([one, { ...one, day: 13, failing: 1 }, { ...more, day: 13 }, { ...more, day: 20 }]);
      const { accountId: _, ...total } = one;
      const doubled = { ...total, available: 2, review: 2, archived: 2 };
      const days = [
        { ...doubled, day: 13, failing: 5 },
        { ...doubled, failing: 6 },
      ];
      assert.deepEqual(await offerList.sumOfferDays(13), days);
      assert.deepEqual(await offerList.sumOfferDays(14), days.slice(1));
      assert.deepEqual(await offerList.listOfferRises(13, 20, 10), [{ accountId: first, before: 1, now: 2 }]);
      await offerList.putOfferDays([{ ...more, failing: 400 }]);
      assert.deepEqual(await offerList.listOfferRises(13, 20, 1), [{ accountId: second, before: 4, now: 400 }]);
      assert.equal(await offerList.dropOfferDays(20), false);
      assert.deepEqual(
        (await offerList.sumOfferDays(0)).map(({ day }) => day),
        [20],
      );
    });

    test('issues of archived offers are neither counted nor found', async () => {
      const id = newAccountId();
      const subStatuses = ['Missing price'] as const;
      const offers = (['missing', 'archived'] as const).map((status, position) => {
        return { ...knownOffer(position), skuId: status, status, subStatuses };
      });
      for (const offer of offers) await upload(store(), id, offer);
      await reviewAs(store(), id, offers);
      const { bySubStatus } = await store().offerList.readOfferCounts(id);
      assert.deepEqual([...bySubStatus], [['Missing price', 1]]);
      const request = { ...NO_FILTER, sort: 'sku', after: undefined, limit: 5, limits: LIST_LIMITS } as const;
      const { offers: found } = await store().offerList.listOffers(id, { ...request, subStatus: 'Missing price' });
      assert.deepEqual(
        found.map(({ skuId }) => skuId),
        ['missing'],
      );
    });

    test('available offers without stock are counted, or an even sample of them', async () => {
      const id = newAccountId();
      const offers = Array.from({ length: 300 }, (_, position) => {
        const status = position % 3 === 2 ? 'missing' : 'available';
        return {
          ...knownOffer(position),
          skuId: `${position}`,
          archived: false,
          status,
          inStock: position % 2 === 0,
        } as const;
      });
      await Promise.all(offers.map((offer) => upload(store(), id, offer)));
      await reviewAs(store(), id, offers);
      assert.equal(await store().offerList.countOutOfStock(id, 1), 100);
      const sampled = await store().offerList.countOutOfStock(id, 11);
      assert.ok(sampled >= 7 && sampled <= 12, `${sampled} of about 9`);
      const [key, node] = [
        { accountId: id, skuId: '0', by: AUTHOR },
        { fulfillment_node_id: 'node', quantity: 0 },
      ];
      await patchInventory(store().offers, key, [node], NOW_MS);
      assert.equal(await store().offerList.countOutOfStock(id, 1), 101);
    });

    test('are right after changed verdicts, erased offers and imported ones', async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const record = { merchantId: 'counted', name: 'C', createdMs: NOW_MS, suspended: false, timeToReturnDays: 14 };
      const accounts = await moves.beginImport({ ...record, returnShippingMethods: [] });
      if (typeof accounts === 'string') assert.fail(accounts);
      const id = accounts.test;
      assert.equal(
        await moves.importOffers(
          id,
          Array.from({ length: 40 }, (_, position) => bareOffer(`sku-${position}`)),
        ),
        'stored',
      );
      let turn = 0;
      const offersNow = new Map<string, Known>();
      const reviewAll = async () => {
        turn++;
        const due = await own.review.readDueOffers(id, 1000);
        const reviewed = due.map((offer, position) => ({ ...knownOffer(position * turn + turn), skuId: offer.skuId }));
        await reviewAs(own, id, reviewed);
        for (const offer of reviewed) offersNow.set(offer.skuId, offer);
      };
      const assertCounts = async () => {
        const { byStatus, bySubStatus } = await own.offerList.readOfferCounts(id);
        const listed = [...offersNow.values()];
        assert.deepEqual(
          new Map([...byStatus].sort()),
          countBy(listed, ({ status }) => [status]),
        );
        assert.deepEqual(
          new Map([...bySubStatus].sort()),
          countBy(listed, ({ subStatuses }) => subStatuses),
        );
      };
      assert.deepEqual(await own.offerList.readOfferCounts(id), countsOfUnreviewed(40));
      await reviewAll();
      await assertCounts();
      for (let round = 0; round < 4; round++) {
        const some = [...offersNow.keys()].filter((_, position) => position % (round + 2) === 0);
        await own.review.markDue(id, some);
        assert.deepEqual(pick(await own.offerList.readOfferCounts(id)), { due: some.length, unreviewed: 0 });
        await reviewAll();
        await assertCounts();
      }
      await putSku(own.offers, { accountId: id, skuId: 'late', by: AUTHOR }, '{}', NOW_MS);
      assert.deepEqual(pick(await own.offerList.readOfferCounts(id)), { due: 1, unreviewed: 1 });
      const last = await moves.readLastOffer(id);
      const erased = await moves.eraseOffers(id, last, 0);
      assert.ok(erased.skus > 0);
      const left = await own.offers.listSkus(id, { after: undefined, offset: 0, limit: 100 });
      if (left === 'after_unknown') assert.fail();
      for (const skuId of [...offersNow.keys()]) if (!left.skuIds.includes(skuId)) offersNow.delete(skuId);
      await assertCounts();
      for (let more = erased.more; more; ) ({ more } = await moves.eraseOffers(id, last, 1000));
      offersNow.clear();
      await assertCounts();
      const request = {
        ...NO_FILTER,
        words: ['s'],
        sort: 'title',
        after: undefined,
        limit: 5,
        limits: LIST_LIMITS,
      } as const;
      assert.deepEqual(await own.offerList.listOffers(id, request), { offers: [], next: undefined });
      assert.equal(await moves.eraseMerchant('counted'), 'erased');
    });
  });
}

function countBy<T extends string>(offers: readonly Known[], of: (offer: Known) => readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of offers.flatMap(of)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return new Map([...counts].sort());
}

function countsOfUnreviewed(unreviewed: number) {
  return { byStatus: new Map(), bySubStatus: new Map(), due: unreviewed, unreviewed };
}

function pick({ due, unreviewed }: { due: number; unreviewed: number }) {
  return { due, unreviewed };
}
