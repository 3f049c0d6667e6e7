/** Contract tests for requested image checks: requests during another check, and soon after one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClearedStores } from './subject.ts';
import {
  ADDRESS,
  atMost,
  evidenceOf,
  finish,
  foundAt,
  LONG_MS,
  OFFER,
  only,
  reviewed,
  SHORT_MS,
  untilTaken,
} from './wanted-images.ts';

const WISH = [{ ...OFFER, address: ADDRESS }];

export function imageWishesContract({ openOne, openTwo }: ClearedStores): void {
  describe('a re-check of an image', () => {
    test('a re-check that is requested during a check follows it immediately, and notifies the offers that use the image', async () => {
      const store = await openOne();
      await store.images.wantImages(WISH);
      const image = await only(store);
      await store.images.wantImages(WISH, LONG_MS);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), [], 'it is leased');
      await finish(store, image);
      const again = await only(store);
      assert.deepEqual([again.address, again.attempts, again.lost, again.known], [ADDRESS, 0, 0, foundAt(ADDRESS)]);
      await store.images.noteImageUsers(WISH);
      assert.deepEqual(await store.images.storeImage(again, foundAt(ADDRESS, 'other'), true), [OFFER]);
      assert.deepEqual(await store.images.forgetWaiting(again, [OFFER]), []);
      assert.equal((await store.images.readImageFigures()).waiting, 0, 'one request leads to one check');
    });

    test('a re-check that is requested while waiting offers are notified follows, too', async () => {
      const [store, other] = await openTwo();
      await store.images.wantImages(WISH);
      const image = await only(store);
      const waiting = await store.images.storeImage(image, foundAt(ADDRESS));
      await other.images.wantImages(WISH, LONG_MS);
      assert.deepEqual(await store.images.forgetWaiting(image, waiting), []);
      assert.equal((await only(other)).address, ADDRESS);
    });

    test('is never lost when one process ends a check while another requests one', async () => {
      const [store, other] = await openTwo();
      await store.images.noteImageUsers(WISH);
      await store.images.wantImages(WISH);
      for (let round = 0; round < 20; round++) {
        const image = await only(store);
        const waiting = await store.images.storeImage(image, foundAt(ADDRESS, `${round}`), true);
        const [late] = await Promise.all([
          store.images.forgetWaiting(image, waiting),
          other.images.wantImages(WISH, 0),
        ]);
        let left = late;
        while (left.length > 0) left = await store.images.forgetWaiting(image, left);
      }
      assert.equal((await only(store)).address, ADDRESS);
    });

    test('a re-check that is requested while a check fails follows it immediately, and the next retry waits as usual', async () => {
      const store = await openOne();
      await store.images.wantImages(WISH);
      const image = await only(store);
      await store.images.wantImages(WISH, 0);
      await store.images.delayImage(image, LONG_MS, evidenceOf('a try'));
      const again = await only(store);
      assert.equal(again.attempts, 1);
      await store.images.delayImage(again, LONG_MS);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
    });

    test('a re-check that is requested while a check is lost is done by the next taker', async () => {
      const store = await openOne();
      await store.images.wantImages(WISH);
      await only(store, SHORT_MS);
      await store.images.wantImages(WISH, LONG_MS);
      await finish(store, await untilTaken(store));
      assert.equal((await store.images.readImageFigures()).waiting, 0);
      await store.images.wantImages(WISH, LONG_MS);
      assert.deepEqual(
        await store.images.takeImages(atMost(9, 9), LONG_MS),
        [],
        'the requested check was already done',
      );
    });

    test('starts no sooner than the minimum pause after the last requested one', async () => {
      const [store, other] = await openTwo();
      await reviewed(store, ADDRESS, foundAt(ADDRESS));
      await store.images.wantImages(WISH, LONG_MS);
      const image = await only(store);
      // Requested twice, during the check and after it. Both requests result in a single check.
      await other.images.wantImages(WISH, LONG_MS);
      await finish(store, image);
      assert.deepEqual(await other.images.takeImages(atMost(9, 9), LONG_MS), []);
      await other.images.wantImages(WISH, LONG_MS);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      assert.equal((await store.images.readImageFigures()).waiting, 1, 'it is not lost');
      await store.images.wantImages(WISH, 0);
      await finish(store, await only(other));
      await store.images.wantImages(WISH, LONG_MS);
      assert.deepEqual(await other.images.takeImages(atMost(9, 9), LONG_MS), [], 'even after it had left the queue');
    });

    test('starts no sooner than the minimum pause after a failed one, too', async () => {
      const store = await openOne();
      await store.images.wantImages(WISH, LONG_MS);
      await store.images.delayImage(await only(store), LONG_MS);
      await store.images.wantImages(WISH, LONG_MS);
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      await store.images.wantImages(WISH, SHORT_MS);
      assert.equal((await untilTaken(store)).address, ADDRESS);
    });
  });
}
