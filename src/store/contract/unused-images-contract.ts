/** Contract tests for unused image results: only unused results are dropped, slice by slice. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../port/errors.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';
import { NOW_MS } from './subject.ts';
import { at, foundAt, OFFER, reviewed } from './wanted-images.ts';

const BEFORE_ALL = new Uint8Array(0);
const LATER_MS = NOW_MS + 1;

export function unusedImagesContract({ openOne, openClosed }: ClearedStores): void {
  describe('results of image checks', () => {
    test('are dropped when no offer uses or waits for the image', async () => {
      const store = await openOne();
      const [unused = '', used = '', forgotten = '', awaited = ''] = at('shop', 4);
      for (const address of [unused, used, forgotten, awaited]) await reviewed(store, address, foundAt(address));
      await store.images.noteImageUsers([used, forgotten].map((address) => ({ ...OFFER, address })));
      await store.images.forgetImageUsers([{ ...OFFER, address: forgotten }]);
      await store.images.wantImages([{ ...OFFER, address: awaited }]);
      await dropAll(store, LATER_MS, 9);
      assert.deepEqual(await stored(store, [unused, used, forgotten, awaited]), [used, awaited]);
    });

    test('stay if they are as old as the limit, and are dropped if older', async () => {
      const store = await openOne();
      const [address = ''] = at('shop', 1);
      await reviewed(store, address, foundAt(address));
      await dropAll(store, NOW_MS, 9);
      assert.deepEqual(await stored(store, [address]), [address]);
      await dropAll(store, LATER_MS, 9);
      assert.deepEqual(await stored(store, [address]), []);
    });

    test('are dropped in slices, in the order of the keys, from any key on', async () => {
      const store = await openOne();
      const addresses = at('shop', 5);
      for (const address of addresses) await reviewed(store, address, foundAt(address));
      const first = await store.images.dropUnusedImages(LATER_MS, BEFORE_ALL, 2);
      assert.ok(first);
      assert.equal((await stored(store, addresses)).length, 3);
      assert.equal(await store.images.dropUnusedImages(LATER_MS, new Uint8Array(32).fill(0xff), 9), undefined);
      assert.equal((await stored(store, addresses)).length, 3);
      assert.equal(await dropAll(store, LATER_MS, 2, first), 2);
      assert.deepEqual(await stored(store, addresses), []);
    });

    test('are not dropped by a closed store', async () => {
      const store = await openClosed();
      await assert.rejects(store.images.dropUnusedImages(LATER_MS, BEFORE_ALL, 9), StoreUnavailableError);
    });
  });
}

/** Drops unused results slice by slice, and returns the number of slices. */
async function dropAll(store: Store, beforeMs: number, limit: number, from: Uint8Array = BEFORE_ALL): Promise<number> {
  let slices = 0;
  for (let after: Uint8Array | undefined = from; ; slices++) {
    after = await store.images.dropUnusedImages(beforeMs, after, limit);
    if (after === undefined) return slices;
  }
}

/** Returns the addresses with a stored result. */
async function stored(store: Store, addresses: readonly string[]): Promise<readonly string[]> {
  const known = new Set((await store.images.readImages(addresses)).map(({ address }) => address));
  return addresses.filter((address) => known.has(address));
}
