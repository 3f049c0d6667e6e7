/** Contract tests for the offers that use an image: when the image at a URL changes, all of them are marked as due. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../port/errors.ts';
import type { WantedImage } from '../port/images.ts';
import type { SkuKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { reviewOf } from './due-offers.ts';
import { putSku } from './put-parts.ts';
import type { ClearedStores } from './subject.ts';
import { AUTHOR, documentOf, NOW_MS, newAccountId } from './subject.ts';
import { ADDRESS, atMost, foundAt, LONG_MS, OFFER, only, reviewed, SHORT_MS, untilTaken } from './wanted-images.ts';

const OTHER_ADDRESS = 'https://shop.example/b.jpg';

/** More offers than one batch holds, from several accounts. */
const USERS = Array.from({ length: 1_201 }, (_, place) => ({ accountId: 7 + (place % 3), skuId: `é ${place}` }));

export function imageUsersContract({ openOne, openTwo, openClosed, openMoves }: ClearedStores): void {
  describe('offers that use an image', () => {
    test('are all notified when the image changes, waiting ones first, and no others are', async () => {
      const store = await openOne();
      await reviewed(store, ADDRESS, foundAt(ADDRESS));
      await store.images.noteImageUsers(usersOf(ADDRESS, USERS));
      await store.images.noteImageUsers(usersOf(ADDRESS, USERS.slice(0, 2)));
      await store.images.noteImageUsers([{ accountId: 7, skuId: 'of another', address: OTHER_ADDRESS }]);
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store);
      const first = await store.images.storeImage(image, foundAt(ADDRESS, 'other'), true);
      assert.deepEqual(first, [OFFER]);
      assert.deepEqual(namesOf(await toldAll(store, image, first)), namesOf([OFFER, ...USERS]));
      assert.deepEqual(await store.images.takeImages(atMost(9, 9), LONG_MS), []);
      assert.deepEqual(await store.images.readImageFigures(), {
        waiting: 0,
        oldestWait_ms: 0,
        retrying: 0,
        oldestRetry_ms: 0,
      });
    });

    test('are not notified of the result that they were reviewed with', async () => {
      const store = await openOne();
      await reviewed(store, ADDRESS, foundAt(ADDRESS));
      await store.images.noteImageUsers(usersOf(ADDRESS, USERS.slice(0, 3)));
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store);
      assert.deepEqual(await toldAll(store, image, await store.images.storeImage(image, foundAt(ADDRESS))), [OFFER]);
    });

    test('are notified by the next lease holder if one died midway', async () => {
      const [store, other] = await openTwo();
      await store.images.noteImageUsers(usersOf(ADDRESS, USERS));
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store, SHORT_MS);
      const told = await store.images.storeImage(image, foundAt(ADDRESS), true);
      const next = await untilTaken(other);
      assert.deepEqual(await store.images.forgetWaiting(image, told), [], 'the first holder has lost it');
      const rest = await toldAll(other, next, await other.images.storeImage(next, foundAt(ADDRESS)));
      assert.deepEqual(namesOf(rest), namesOf([OFFER, ...USERS]));
    });

    test('are notified from the first one again if the image changes before all were', async () => {
      const store = await openOne();
      await store.images.noteImageUsers(usersOf(ADDRESS, USERS));
      await store.images.wantImages([{ ...OFFER, address: ADDRESS }]);
      const image = await only(store);
      const some = await store.images.forgetWaiting(
        image,
        await store.images.storeImage(image, foundAt(ADDRESS), true),
      );
      await store.images.forgetWaiting(image, some);
      const rest = await toldAll(store, image, await store.images.storeImage(image, foundAt(ADDRESS, 'other'), true));
      assert.deepEqual(new Set(namesOf(rest)), new Set(namesOf(USERS)));
    });

    test('are removed one by one, and when they are erased', async (t) => {
      const store = await openOne();
      const moves = await openMoves(t);
      const [erased, kept] = [newAccountId(), newAccountId()];
      for (const accountId of [erased, kept]) {
        await putSku(store.offers, { accountId, skuId: 'reviewed', by: AUTHOR }, documentOf(), NOW_MS);
        await store.images.noteImageUsers(
          [ADDRESS, OTHER_ADDRESS].map((address) => ({ accountId, skuId: 'reviewed', address })),
        );
        const [offer = assert.fail()] = await store.review.readDueOffers(accountId, 9);
        const images = { [ADDRESS]: { verdict: 'passed' }, [OTHER_ADDRESS]: { verdict: 'passed' } } as const;
        await store.review.storeReviews(accountId, [{ ...reviewOf(offer), evidence: { images } }], NOW_MS);
      }
      await store.images.noteImageUsers([{ accountId: kept, skuId: 'b', address: ADDRESS }]);
      await store.images.forgetImageUsers([]);
      await store.images.forgetImageUsers([
        { accountId: kept, skuId: 'b', address: ADDRESS },
        { accountId: kept, skuId: 'reviewed', address: 'https://never.example/noted.jpg' },
      ]);
      assert.equal((await moves.eraseOffers(erased, Number.MAX_SAFE_INTEGER, 60_000)).skus, 1);
      for (const address of [ADDRESS, OTHER_ADDRESS]) {
        await store.images.wantImages([{ ...OFFER, address }]);
        const image = await only(store);
        const told = await toldAll(store, image, await store.images.storeImage(image, foundAt(address), true));
        assert.deepEqual(namesOf(told), namesOf([OFFER, { accountId: kept, skuId: 'reviewed' }]));
      }
    });

    test('are refused by a closed store', async () => {
      const store = await openClosed();
      const users = usersOf(ADDRESS, [OFFER]);
      await assert.rejects(store.images.noteImageUsers(users), StoreUnavailableError);
      await assert.rejects(store.images.forgetImageUsers(users), StoreUnavailableError);
    });
  });
}

function usersOf(address: string, offers: readonly SkuKey[]) {
  return offers.map((offer) => ({ ...offer, address }));
}

/** Returns all offers that wait for the image, slice by slice, starting with `first`. */
async function toldAll(store: Store, image: WantedImage, first: readonly SkuKey[]): Promise<SkuKey[]> {
  const told: SkuKey[] = [];
  for (let some = first; some.length > 0; some = await store.images.forgetWaiting(image, some)) {
    assert.ok(some.length <= 500);
    told.push(...some);
  }
  return told;
}

function namesOf(offers: readonly SkuKey[]): string[] {
  return offers.map(({ accountId, skuId }) => `${accountId} ${skuId}`).sort();
}
