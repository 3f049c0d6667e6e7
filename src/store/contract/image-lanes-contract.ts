/** Contract tests for the order of image downloads: limits per host and account, and fair scheduling. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClearedStores } from './subject.ts';
import {
  ADDRESS,
  addressesOf,
  at,
  atMost,
  finish,
  foundAt,
  hostsOf,
  LONG_MS,
  OFFER,
  only,
  wantApart,
} from './wanted-images.ts';

export function imageLanesContract({ openOne, openTwo }: ClearedStores): void {
  describe('images to fetch', () => {
    test('images in flight from one host are limited across all processes', async () => {
      const stores = await openTwo();
      const askMany = async () => {
        const asked = Array.from({ length: 10 }, (_, turn) =>
          stores[turn % 2 === 0 ? 0 : 1].images.takeImages(atMost(10, 2), LONG_MS),
        );
        return (await Promise.all(asked)).flat();
      };
      for (let round = 0; round < 10; round++) {
        await stores[0].images.wantImages(at(`round-${round}`, 20).map((address) => ({ ...OFFER, address })));
        assert.deepEqual(hostsOf(await askMany()), [`round-${round}`, `round-${round}`]);
      }
      await stores[0].images.wantImages(
        [...at('big', 20), ...at('small', 3)].map((address) => ({ ...OFFER, address })),
      );
      const taken = await askMany();
      assert.deepEqual(hostsOf(taken).sort(), ['big', 'big', 'small', 'small']);
      for (const store of stores) assert.deepEqual(await store.images.takeImages(atMost(10, 2), LONG_MS), []);

      const [first, second] = taken.filter(({ address }) => address.includes('big'));
      assert.ok(first && second);
      await finish(stores[0], first);
      assert.deepEqual(hostsOf(await stores[1].images.takeImages(atMost(10, 2), LONG_MS)), ['big'], 'one was stored');
      await stores[1].images.delayImage(second, LONG_MS);
      assert.deepEqual(hostsOf(await stores[0].images.takeImages(atMost(10, 2), LONG_MS)), ['big'], 'one was put off');
    });

    test('images in flight for one account are limited, even over many hosts', async () => {
      const stores = await openTwo();
      const hosts = Array.from({ length: 300 }, (_, place) => at(`wild-${place}`, 1)).flat();
      await stores[0].images.wantImages(hosts.map((address) => ({ accountId: 1, skuId: 'big', address })));
      await wantApart(stores[0], ADDRESS, { accountId: 2, skuId: 'small' });
      const asked = Array.from({ length: 10 }, (_, turn) =>
        stores[turn % 2 === 0 ? 0 : 1].images.takeImages(atMost(10, 2, 3), LONG_MS),
      );
      const taken = (await Promise.all(asked)).flat();
      assert.equal(taken.filter(({ address }) => address !== ADDRESS).length, 3);
      assert.ok(addressesOf(taken).includes(ADDRESS), 'a small merchant does not wait behind a large one');

      const [first, second] = taken.filter(({ address }) => address !== ADDRESS);
      assert.ok(first && second);
      await finish(stores[0], first);
      assert.equal((await stores[1].images.takeImages(atMost(10, 2, 3), LONG_MS)).length, 1, 'one was stored');
      await stores[1].images.delayImage(second, LONG_MS);
      assert.equal((await stores[0].images.takeImages(atMost(10, 2, 3), LONG_MS)).length, 1, 'one was put off');
      assert.deepEqual(await stores[0].images.takeImages(atMost(10, 2, 3), LONG_MS), []);
    });

    test('images of an account that was at its limit come after images that already waited when it was served', async () => {
      const store = await openOne();
      const big = ['x', 'y', 'z'].flatMap((host) => at(host, 1));
      for (const address of big) await wantApart(store, address, { accountId: 1, skuId: 'big' });
      const one = () => store.images.takeImages(atMost(1, 1, 1), LONG_MS);
      const [image] = await one();
      assert.ok(image);
      await wantApart(store, ADDRESS, { accountId: 2, skuId: 'small' });
      await finish(store, image);
      assert.deepEqual(addressesOf(await one()), [ADDRESS]);
      assert.deepEqual(addressesOf(await one()), big.slice(1, 2));
      assert.deepEqual(await one(), []);
    });

    test('images of one host are fetched for all accounts in turn, also when an account frees a slot', async () => {
      const store = await openOne();
      const addresses = at('shared', 6);
      for (const [place, address] of addresses.entries()) {
        await wantApart(store, address, { accountId: 1 + Math.floor(place / 2), skuId: 's' });
      }
      const one = () => store.images.takeImages(atMost(1, 1, 9), LONG_MS);
      const order: string[] = [];
      for (let [image] = await one(); image !== undefined; [image] = await one()) {
        assert.deepEqual(await one(), [], 'the host has one slot');
        order.push(image.address);
        await pause(2);
        if (order.length % 2 === 0) await finish(store, image);
        else {
          await store.images.delayImage(image, LONG_MS);
        }
      }
      assert.deepEqual(order.sort(), addresses, 'no account was skipped');
    });

    test('images that a small account also requests are charged to it; other images keep their place', async () => {
      const store = await openOne();
      const many = Array.from({ length: 120 }, (_, place) => at(`wild-${place}`, 1)).flat();
      const last = many.at(-1) ?? '';
      for (const address of many) await store.images.wantImages([{ accountId: 1, skuId: 'big', address }]);
      const full = await store.images.takeImages(atMost(10, 9, 1), LONG_MS);
      assert.equal(full.length, 1);
      await store.images.wantImages([{ accountId: 2, skuId: 'small', address: last }]);
      const [image] = await store.images.takeImages(atMost(10, 9, 1), LONG_MS);
      assert.equal(image?.address, last, 'it is charged to the small account');
      assert.deepEqual(await store.images.storeImage(image, foundAt(last)), [
        { accountId: 1, skuId: 'big' },
        { accountId: 2, skuId: 'small' },
      ]);
      await store.images.wantImages([{ accountId: 3, skuId: 'other', address: ADDRESS }]);
      await store.images.wantImages([{ accountId: 1, skuId: 'big', address: ADDRESS }]);
      assert.deepEqual(addressesOf(await store.images.takeImages(atMost(10, 9, 1), LONG_MS)), [ADDRESS]);
    });

    test('images that have been due longest come first, for one host and for several', async () => {
      const store = await openOne();
      const order = ['https://z.example/1', 'https://a.example/1', 'https://z.example/0', 'https://m.example/1'];
      for (const address of order) await wantApart(store, address);
      const taken: string[] = [];
      for (let turn = 0; turn < 4; turn++)
        taken.push(...addressesOf(await store.images.takeImages(atMost(1, 9), LONG_MS)));
      assert.deepEqual(taken, order);
    });

    test('images of a host that was at its limit come after images that already waited when it was served', async () => {
      const store = await openOne();
      const [first = '', second = '', third = ''] = at('big', 3);
      for (const address of [first, second, third]) await wantApart(store, address);
      const image = await only(store, LONG_MS, 1);
      assert.equal(image.address, first);
      await wantApart(store, ADDRESS);
      await finish(store, image);
      assert.deepEqual(
        addressesOf(await store.images.takeImages(atMost(1, 1), LONG_MS)),
        [ADDRESS],
        'a large host does not delay others',
      );
      assert.deepEqual(addressesOf(await store.images.takeImages(atMost(1, 1), LONG_MS)), [second]);
      assert.deepEqual(await store.images.takeImages(atMost(1, 1), LONG_MS), []);
    });

    test('many hosts at their limit do not delay other hosts', async () => {
      const store = await openOne();
      const full = Array.from({ length: 150 }, (_, place) => at(`full-${place}`, 2)).flat();
      await store.images.wantImages(full.map((address) => ({ ...OFFER, address })));
      let taken = 0;
      for (let some = -1; some !== 0; taken += some)
        some = (await store.images.takeImages(atMost(500, 1), LONG_MS)).length;
      assert.equal(taken, 150);
      // Queues more images at these hosts. All of them are at their limit, so nothing can be taken.
      await store.images.wantImages(full.map((address) => ({ ...OFFER, address: `${address}?again` })));
      await wantApart(store, ADDRESS);
      assert.deepEqual(addressesOf(await store.images.takeImages(atMost(2, 1), LONG_MS)), [ADDRESS]);
    });

    test('a thousand hosts with nothing due do not delay the next one', async () => {
      const store = await openOne();
      const wants = Array.from({ length: 1_000 }, (_, place) => {
        return { accountId: 1 + (place % 125), skuId: 's', address: `https://idle-${place}.example/0.jpg` };
      });
      await store.images.wantImages(wants);
      assert.equal((await store.images.takeImages(atMost(1_000, 9), LONG_MS)).length, 1_000);
      // Requests the images again while they are in flight, so that nothing is due at these hosts.
      await store.images.wantImages(wants);
      await wantApart(store, ADDRESS, { accountId: 126, skuId: 's' });
      assert.deepEqual(addressesOf(await store.images.takeImages(atMost(1, 9), LONG_MS)), [ADDRESS]);
    });
  });
}
