/** Contract tests for images: one process fetches an image at a time, and every waiting offer is marked as due. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../port/errors.ts';
import type { WantedImage } from '../port/images.ts';
import type { SkuKey } from '../port/offers.ts';
import type { ClearedStores } from './subject.ts';
import { NOW_MS } from './subject.ts';
import {
  ADDRESS,
  at,
  atMost,
  evidenceOf,
  foundAt,
  LONG_MS,
  OFFER,
  only,
  reviewed,
  SHORT_MS,
  untilTaken,
} from './wanted-images.ts';

export function imageContract({ openOne, openTwo, openClosed }: ClearedStores): void {
  describe('images', () => {
    test('images that were never requested are unknown and not queued', async () => {
      const store = await openOne();
      assert.deepEqual(await store.images.readImages([ADDRESS]), []);
      assert.deepEqual(await store.images.readImages([]), []);
      await store.images.wantImages([]);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      assert.equal((await store.images.readImageFigures()).waiting, 0);
    });

    test('are requested, taken, stored, announced to offers, and then done', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      assert.equal((await store.images.readImageFigures()).waiting, 1);
      assert.deepEqual([...(await store.images.countImagesByAccount()).values()], [1]);
      const image = await only(store);
      const nothingKnown = { address: ADDRESS, attempts: 0, lost: 0, known: undefined, isAsked: false };
      assert.deepEqual({ ...image, fence: 0 }, { ...nothingKnown, fence: 0 });
      assert.deepEqual(await store.images.readImages([ADDRESS]), []);
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS)), [OFFER]);
      assert.deepEqual(await store.images.readImages(['https://other.example', ADDRESS, ADDRESS]), [foundAt(ADDRESS)]);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), [], 'it is still leased');
      assert.deepEqual(await store.images.forgetWaiting(image, [OFFER]), []);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      assert.equal((await store.images.readImageFigures()).waiting, 0);
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS, 'late')), [], 'its lease has expired');
      assert.deepEqual(await store.images.readImages([ADDRESS]), [foundAt(ADDRESS)]);
    });

    test('images that are requested again come with their earlier result, which is then replaced', async () => {
      const store = await openOne();
      await reviewed(store, ADDRESS, foundAt(ADDRESS, 'old'));
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store);
      assert.deepEqual(image.known, foundAt(ADDRESS, 'old'));
      assert.equal(image.attempts, 0);
      const found = { ...foundAt(ADDRESS, 'new'), reviewedMs: NOW_MS + 1, etag: null };
      await store.images.storeImage(image, found);
      assert.deepEqual(await store.images.readImages([ADDRESS]), [found]);
    });

    test('say whether a re-check was requested after the first request, also after failed attempts', async () => {
      const store = await openOne();
      const want = { ...OFFER, address: ADDRESS };
      await store.images.wantImages([want]);
      const first = await only(store);
      assert.equal(first.isAsked, false);
      await store.images.wantImages([want], 0);
      await store.images.storeImage(first, foundAt(ADDRESS));
      assert.deepEqual(await store.images.forgetWaiting(first, [OFFER]), []);
      for (const failedTry of [undefined, evidenceOf('a try'), undefined]) {
        const again = await untilTaken(store);
        assert.deepEqual([again.isAsked, again.known], [true, foundAt(ADDRESS)]);
        await store.images.delayImage(again, 0, failedTry);
      }
      const last = await untilTaken(store);
      assert.deepEqual(await store.images.storeImage(last, foundAt(ADDRESS)), []);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      await store.images.wantImages([want]);
      assert.equal((await only(store)).isAsked, false);
    });

    test('are distinguished by every character of their URL, even a long one', async () => {
      const store = await openOne();
      const long = `https://shop.example/${'ä'.repeat(1_900)}`;
      const addresses = [ADDRESS, ADDRESS.toUpperCase(), `${ADDRESS}?`, long, `${long}x`, 'no address'];
      for (const address of addresses) await reviewed(store, address, foundAt(address, address));
      const images = await store.images.readImages(addresses);
      assert.deepEqual(new Map(images.map((image) => [image.address, image])).size, addresses.length);
      for (const image of images) assert.deepEqual(image, foundAt(image.address, image.address));
    });

    test('are given to one of many concurrent takers', async () => {
      const stores = await openTwo();
      const addresses = ['a', 'b', 'c', 'd'].flatMap((host) => at(host, 15));
      await stores[0].images.wantImages(addresses.map((address) => ({ ...OFFER, address })));
      const taken: WantedImage[] = [];
      const askers = Array.from({ length: 8 }, async (_, turn) => {
        for (;;) {
          const images = await stores[turn % 2 === 0 ? 0 : 1].images.takeImages(atMost(3, 100), LONG_MS);
          if (images.length === 0) return;
          assert.ok(images.length <= 3);
          taken.push(...images);
        }
      });
      await Promise.all(askers);
      assert.deepEqual(taken.map(({ address }) => address).sort(), addresses.sort());
      assert.equal(new Set(taken.map(({ fence }) => fence)).size, addresses.length);
    });

    test('go to another taker when the lease expires, with a higher fence, and are lost for the first', async () => {
      const [store, other] = await openTwo();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store, SHORT_MS);
      const next = await untilTaken(other);
      assert.equal(next.address, ADDRESS);
      assert.deepEqual([next.attempts, next.lost], [0, 1]);
      assert.ok(next.fence > image.fence, `${next.fence} > ${image.fence}`);
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS, 'late')), []);
      assert.deepEqual(await store.images.readImages([ADDRESS]), [], 'nothing was stored');
      await store.images.delayImage(image, 0);
      assert.equal(await store.images.beginAlone(image, LONG_MS), false);
      assert.deepEqual(await store.images.forgetWaiting(image, [OFFER]), []);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), [], 'it is not returned to the queue');
      assert.deepEqual(await other.images.storeImage(next, foundAt(ADDRESS)), [OFFER]);
      assert.deepEqual(await other.images.forgetWaiting(next, [OFFER]), []);
    });

    test('images whose lease has expired can still be stored unless another taker has them', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store, 1);
      await pause(5);
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS)), [OFFER]);
    });

    test('images that could not be fetched wait for their next attempt, which is counted', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      await store.images.delayImage(await only(store), SHORT_MS, evidenceOf('a try'));
      const again = await untilTaken(store);
      assert.equal(again.attempts, 1);
      await store.images.delayImage(again, SHORT_MS);
      const untried = await untilTaken(store);
      assert.deepEqual([untried.attempts, untried.lost], [1, 0], 'no attempt was made to fetch it');
      await store.images.delayImage(untried, LONG_MS);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      await store.images.wantImages([{ ...OFFER, skuId: 'other', address: ADDRESS }]);
      assert.deepEqual(
        await store.images.takeImages(atMost(9, 9), LONG_MS),
        [],
        'another request does not bring the retry forward',
      );
    });

    test('images that could not be fetched show the last result and the time of the next attempt, until one succeeds', async () => {
      const [store, other] = await openTwo();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      assert.deepEqual(await other.images.readFailedTries([]), []);
      assert.deepEqual(await other.images.readFailedTries([ADDRESS]), [], 'no attempt has failed yet');
      await store.images.delayImage(await only(store), 0, evidenceOf('first é'));
      await store.images.delayImage(await only(store), 0, evidenceOf('second'));
      const again = await untilTaken(store);
      assert.deepEqual(await other.images.readFailedTries([ADDRESS, 'https://other.example']), [
        { address: ADDRESS, evidence: evidenceOf('second'), nextMs: null },
      ]);
      await store.images.delayImage(again, LONG_MS);
      const [failed] = await other.images.readFailedTries([ADDRESS, ADDRESS]);
      assert.deepEqual(failed?.evidence, evidenceOf('second'), 'no other attempt was made in between');
      assert.ok(Number(failed?.nextMs) > Date.now() + LONG_MS / 2, `${failed?.nextMs}`);
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }], 0);
      await store.images.storeImage(await only(store), foundAt(ADDRESS));
      assert.deepEqual(await other.images.readFailedTries([ADDRESS]), [], 'the last attempt succeeded');
    });

    test('images that wait for a retry are retried immediately if it is urgent, for any account', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      await store.images.delayImage(await only(store), LONG_MS, evidenceOf('a try'));
      // From here on, nothing is due.
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      const asked = { accountId: 8, skuId: 'asks' };
      await store.images.wantImages([{ ...asked, address: ADDRESS }], 0);
      const image = await only(store);
      assert.equal(image.attempts, 1);
      await store.images.wantImages([{ ...asked, address: ADDRESS }], 0);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), [], 'it is leased');
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS)), [OFFER, asked]);
    });

    test('images that are urgent but charged to an account with a long queue are taken when that account is next', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      await store.images.delayImage(await only(store), LONG_MS);
      await store.images.wantImages(at('busy', 100).map((address) => ({ accountId: 8, skuId: 's', address })));
      await store.images.takeImages(atMost(100, 100), LONG_MS);
      await store.images.wantImages([{ accountId: 8, skuId: 's', address: ADDRESS }], 0);
      assert.equal((await only(store)).address, ADDRESS);
    });

    test('count the checks without a result, until one has a result', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const lostOf: number[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const image = await untilTaken(store, SHORT_MS);
        lostOf.push(image.lost);
        // The second process dies before it begins the check.
        if (turn === 0 || turn === 2) assert.equal(await store.images.beginAlone(image, SHORT_MS), true);
      }
      assert.deepEqual(lostOf, [0, 2, 2]);
      const image = await untilTaken(store);
      assert.deepEqual([image.lost, image.attempts], [3, 0]);
      await store.images.delayImage(image, 0, evidenceOf('a try'));
      const delayed = await untilTaken(store, SHORT_MS);
      assert.deepEqual([delayed.lost, delayed.attempts], [0, 1], 'this check was not lost');
      const again = await untilTaken(store, SHORT_MS);
      assert.equal(again.lost, 1);
      assert.deepEqual(await store.images.storeImage(again, foundAt(ADDRESS)), [OFFER]);
      assert.equal((await untilTaken(store)).lost, 0, 'it was checked, and only the waiting offers were not notified');
    });

    test('images that are checked alone get another lease', async () => {
      const [store, other] = await openTwo();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store, 1);
      assert.equal(await store.images.beginAlone(image, LONG_MS), true);
      await pause(5);
      assert.deepEqual(await other.images.takeImages(atMost(9, 9), LONG_MS), []);
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS)), [OFFER]);
    });

    test('images that were stored by a taker that then died go to the next one, which notifies the waiting offers', async () => {
      const [store, other] = await openTwo();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store, SHORT_MS);
      assert.deepEqual(await store.images.storeImage(image, foundAt(ADDRESS)), [OFFER]);
      const next = await untilTaken(other);
      assert.deepEqual(next.known, foundAt(ADDRESS));
      assert.deepEqual(await other.images.storeImage(next, foundAt(ADDRESS)), [OFFER]);
    });
  });

  describe('offers that wait for images', () => {
    test('are all notified, a few hundred at a time, including those that started to wait meanwhile', async () => {
      const store = await openOne();
      const offers = Array.from({ length: 1_234 }, (_, place) => ({ accountId: 7 + (place % 3), skuId: `s${place}` }));
      await store.images.wantImages(offers.slice(0, 1_232).map((offer) => ({ ...offer, address: ADDRESS })));
      const image = await only(store);
      await store.images.wantImages(offers.slice(1_232, 1_233).map((offer) => ({ ...offer, address: ADDRESS })));
      const told: SkuKey[] = [];
      let waiting = await store.images.storeImage(image, foundAt(ADDRESS));
      await store.images.wantImages(offers.slice(1_233).map((offer) => ({ ...offer, address: ADDRESS })));
      while (waiting.length > 0) {
        assert.ok(waiting.length <= 1_000);
        told.push(...waiting);
        waiting = await store.images.forgetWaiting(image, waiting);
      }
      assert.deepEqual(namesOf(told), namesOf(offers));
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
    });

    test('are never lost when one process ends the wait while another adds an offer', async () => {
      const [store, other] = await openTwo();
      const offers = Array.from({ length: 40 }, (_, place) => ({ accountId: 7, skuId: `s${place}` }));
      const told = new Set<string>();
      const tell = (waiting: readonly SkuKey[]) => {
        for (const { skuId } of waiting) told.add(skuId);
        return waiting;
      };
      for (const offer of offers) {
        await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
        const image = await only(store);
        const waiting = tell(await store.images.storeImage(image, foundAt(ADDRESS)));
        // The request arrives at the last step, after which the image leaves the queue.
        const [late] = await Promise.all([
          store.images.forgetWaiting(image, waiting),
          other.images.wantImages([{ ...offer, address: ADDRESS }]),
        ]);
        if (late.length > 0) await store.images.forgetWaiting(image, tell(late));
      }
      for (const image of await store.images.takeImages(atMost(1, 1), LONG_MS))
        tell(await store.images.storeImage(image, foundAt(ADDRESS)));
      assert.deepEqual([...told].sort(), [OFFER, ...offers].map(({ skuId }) => skuId).sort());
    });

    test('offers of two processes that request the same images at the same time share each queued image', async () => {
      const [store, other] = await openTwo();
      const addresses = ['x', 'y'].flatMap((host) => at(host, 50));
      const wants = (accountId: number, list: readonly string[]) =>
        list.map((address) => ({ accountId, skuId: 's', address }));
      await Promise.all([
        store.images.wantImages(wants(1, addresses)),
        other.images.wantImages(wants(2, addresses.toReversed())),
        store.images.takeImages(atMost(1, 1), 1),
        other.images.takeImages(atMost(1, 1), 1),
      ]);
      assert.equal((await store.images.readImageFigures()).waiting, addresses.length);
      await pause(5);
      const taken = await store.images.takeImages(atMost(1_000, 1_000), LONG_MS);
      assert.equal(taken.length, addresses.length);
      const [image] = taken;
      assert.ok(image);
      assert.deepEqual(
        (await store.images.storeImage(image, foundAt(image.address))).map(({ accountId }) => accountId),
        [1, 2],
      );
    });

    test('are counted with the number of queued images and their age', async () => {
      const store = await openOne();
      await store.images.wantImages(at('a', 3).map((address) => ({ ...OFFER, address })));
      await store.images.takeImages(atMost(1, 1), LONG_MS);
      await pause(5);
      const { waiting, oldestWait_ms } = await store.images.readImageFigures();
      assert.equal(waiting, 3, 'an image in flight counts as waiting too');
      assert.ok(oldestWait_ms > 0);
    });

    test('do not count as waiting while a failed host is retried', async () => {
      const store = await openOne();
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const [image] = await store.images.takeImages(atMost(1, 1), LONG_MS);
      assert.ok(image);
      await store.images.delayImage(image, LONG_MS, evidenceOf('{}'));
      await pause(5);
      const { oldestRetry_ms, ...figures } = await store.images.readImageFigures();
      assert.deepEqual(figures, { waiting: 1, oldestWait_ms: 0, retrying: 1 });
      assert.ok(oldestRetry_ms >= 5, 'counted since the image was first requested');
    });

    test('are refused by a closed store', async () => {
      const open = await openOne();
      await open.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(open);
      const store = await openClosed();
      const calls = [
        () => store.images.readImages([ADDRESS]),
        () => store.images.readFailedTries([ADDRESS]),
        () => store.images.wantImages([{ ...OFFER, address: ADDRESS }]),
        () => store.images.takeImages(atMost(1, 1), LONG_MS),
        () => store.images.delayImage(image, 0),
        () => store.images.beginAlone(image, LONG_MS),
        () => store.images.storeImage(image, foundAt(ADDRESS)),
        () => store.images.forgetWaiting(image, []),
        () => store.images.readImageFigures(),
      ];
      for (const call of calls) await assert.rejects(call, StoreUnavailableError, call.toString());
    });
  });
}

function namesOf(offers: readonly SkuKey[]): string[] {
  return offers.map(({ accountId, skuId }) => `${accountId} ${skuId}`).sort();
}
