/** Tests images that kill the process, on a real queue: they end as failed, and other images are still checked. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { GOOD_IMAGE } from '../domain/review/testing/good-offer.ts';
import type { Store } from '../store/port.ts';
import { openStoreFor } from '../store/sqlite/testing/open-for.ts';
import { ImageLoop } from './fetch-images.ts';

const KILLER = 'https://shop.example/killer.png';
const OTHERS = Array.from({ length: 12 }, (_, place) => `https://shop-${place}.example/good.png`);
/** Lease duration: long enough that a live process on a busy machine does not lose its lease. */
const LEASE_MS = 1_000;

const NEVER = new Promise<never>(() => {});

/** Represents a process. `died` resolves when it checks the killer image; from then on nothing reaches the database. */
function startProcess(store: Store) {
  const died = Promise.withResolvers<void>();
  let isDead = false;
  const alive = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      if (isDead) return NEVER;
      const answer = await call(...args);
      return isDead ? NEVER : answer;
    };
  };
  const loop = new ImageLoop({
    store: {
      images: {
        takeImages: alive((...args) => store.images.takeImages(...args)),
        beginAlone: alive((...args) => store.images.beginAlone(...args)),
        delayImage: alive((...args) => store.images.delayImage(...args)),
        storeImage: alive((...args) => store.images.storeImage(...args)),
        forgetWaiting: alive((...args) => store.images.forgetWaiting(...args)),
      },
      review: { markDue: alive(async () => {}) },
    },
    telemetry: { observe: () => {} },
    async check(address) {
      if (address !== KILLER) return GOOD_IMAGE;
      isDead = true;
      died.resolve();
      return NEVER;
    },
    nowMs: () => 1,
    onMarked: () => {},
    images_max: 32,
    images_per_host_max: 4,
    images_per_account_max: 16,
    check_ms_max: LEASE_MS,
    lease_ms: LEASE_MS,
    poll_ms: 5,
  });
  return { loop, died: died.promise };
}

describe('an image that kills the process', () => {
  it('fails after five losses, and images lost with it are reviewed', async (t) => {
    const store = await openStoreFor(t);
    await store.images.wantImages([KILLER, ...OTHERS].map((address) => ({ accountId: 7, skuId: 'a', address })));
    let deaths = 0;
    for (;;) {
      const process = startProcess(store);
      const isDone = await Promise.race([process.died.then(() => false), untilNoneWaits(store)]);
      if (isDone) {
        assert.equal(await process.loop.close(60_000), true);
        break;
      }
      deaths++;
    }
    assert.equal(deaths, 5);
    const found = await store.images.readImages([KILLER, ...OTHERS]);
    const verdicts = new Map(found.map(({ address, evidence }) => [address, evidence]));
    for (const address of OTHERS) assert.equal(verdicts.get(address)?.verdict, 'passed', address);
    const killer = verdicts.get(KILLER);
    assert.equal(killer?.verdict, 'failed');
    assert.deepEqual(
      killer.checks.flatMap(({ failure }) => failure ?? []),
      ['not_reviewed'],
    );
  });
});

async function untilNoneWaits(store: Store): Promise<true> {
  while ((await store.images.readImageFigures()).waiting > 0) await setTimeout(5);
  return true;
}
