/** Tests fetch-images.ts with an in-memory queue and fake checks. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { BAD_IMAGE, GOOD_IMAGE, SLOW_IMAGE } from '../domain/review/testing/good-offer.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-failures.ts';
import type { StoredImage, WantedImage } from '../store/port/images.ts';
import type { SkuKey } from '../store/port/offers.ts';
import { type CheckImage, ImageLoop, type ImageLoopOptions } from './fetch-images.ts';
import type { Visit } from './images/fetching/image-client.ts';
import { type ImageInspector, inspectImage, nextAttemptMs } from './images/inspect-image.ts';
import { PlaceholderList } from './images/placeholder-list.ts';

const LONG_MS = 600_000;
const NOW_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const wanted = (address: string, more: Partial<WantedImage> = {}): WantedImage => ({
  address,
  attempts: 0,
  lost: 0,
  known: undefined,
  isAsked: false,
  fence: 1,
  ...more,
});

function fakeStore(queue: WantedImage[], waiting: readonly (readonly SkuKey[])[] = []) {
  const calls: string[] = [];
  const listeners = new Map<string, () => void>();
  const pages = [...waiting];
  const note = (text: string) => {
    calls.push(text);
    listeners.get(text)?.();
  };
  const store: ImageLoopOptions['store'] = {
    images: {
      async takeImages({ limit }) {
        return queue.splice(0, limit);
      },
      async beginAlone({ address, fence }) {
        note(`begin ${address}`);
        return fence > 0;
      },
      async delayImage({ address }, delay_ms, failedTry) {
        note(`delay ${address} ${delay_ms}${failedTry === undefined ? ' untried' : ''}`);
      },
      async storeImage({ address }, found) {
        note(`store ${address} ${found.reviewedMs}`);
        return pages.shift() ?? [];
      },
      async forgetWaiting({ address }, offers) {
        note(`forget ${address} ${offers.length}`);
        return pages.shift() ?? [];
      },
    },
    review: {
      async markDue(accountId, skuIds) {
        note(`mark ${accountId} ${skuIds.join()}`);
      },
    },
  };
  const called = (text: string) =>
    calls.includes(text) ? Promise.resolve() : new Promise<void>((resolve) => listeners.set(text, resolve));
  return { store, calls, called };
}

function start(
  t: TestContext,
  store: ImageLoopOptions['store'],
  check: CheckImage,
  images_max = 10,
  lease_ms = LONG_MS,
  check_ms_max = lease_ms,
) {
  const events: string[] = [];
  const loop = new ImageLoop({
    store,
    telemetry: { observe: (event) => events.push(event) },
    check,
    nowMs: () => NOW_MS,
    onMarked: () => {},
    images_max,
    images_per_host_max: 4,
    images_per_account_max: 16,
    check_ms_max,
    lease_ms,
    poll_ms: LONG_MS,
  });
  t.after(() => loop.close(0));
  return { loop, events };
}

describe('image queue', () => {
  it('stores the evidence, marks all waiting offers page by page, and only then removes them', async (t) => {
    const pages = [
      [
        { accountId: 1, skuId: 'a' },
        { accountId: 2, skuId: 'b' },
        { accountId: 1, skuId: 'c' },
      ],
      [{ accountId: 3, skuId: 'd' }],
    ];
    const { store, calls, called } = fakeStore([wanted('x')], pages);
    start(t, store, async () => GOOD_IMAGE);
    await called('forget x 1');
    assert.deepEqual(calls, [
      `store x ${GOOD_IMAGE.checkedAtMs}`,
      'mark 1 a,c',
      'mark 2 b',
      'forget x 3',
      'mark 3 d',
      'forget x 1',
    ]);
  });

  it('reports a changed image only if its result differs', async (t) => {
    const known = (evidence: ImageEvidence) => ({
      address: 'x',
      evidence,
      reviewedMs: 1,
      etag: null,
    });
    for (const [before, now, expected] of [
      [undefined, BAD_IMAGE, false],
      [GOOD_IMAGE, { ...GOOD_IMAGE, checkedAtMs: 2, hash: 'another' }, false],
      [GOOD_IMAGE, BAD_IMAGE, true],
      [BAD_IMAGE, GOOD_IMAGE, true],
      [BAD_IMAGE, { ...BAD_IMAGE, checks: [{ check: 'frames', state: 'failed', failure: 'layered' }] }, true],
    ] as const satisfies [ImageEvidence | undefined, ImageEvidence, boolean][]) {
      const { store } = fakeStore([wanted('x', { known: before && known(before) })]);
      const said = Promise.withResolvers<boolean | undefined>();
      const storeImage: typeof store.images.storeImage = async (_image, _found, isOther) => {
        said.resolve(isOther);
        return [];
      };
      start(t, { ...store, images: { ...store.images, storeImage } }, async () => now);
      assert.equal(await said.promise, expected);
    }
  });

  it('does not re-check an image that was checked after it was queued, unless requested, and marks waiting offers', async (t) => {
    const seenAt = (reviewedMs: number) => ({
      address: 'x',
      evidence: { ...GOOD_IMAGE, checkedAtMs: reviewedMs },
      reviewedMs,
      etag: null,
    });
    for (const [reviewedMs, isAsked, looks] of [
      [NOW_MS - HOUR_MS + 1, false, 0],
      [NOW_MS - HOUR_MS, false, 1],
      [NOW_MS, true, 1],
    ] as const) {
      const waiting = [[{ accountId: 1, skuId: 'a' }]];
      const { store, called, calls } = fakeStore([wanted('x', { known: seenAt(reviewedMs), isAsked })], waiting);
      let looked = 0;
      start(t, store, async () => {
        looked++;
        return { ...GOOD_IMAGE, checkedAtMs: NOW_MS };
      });
      await called('forget x 1');
      assert.deepEqual(calls, [`store x ${looks === 0 ? reviewedMs : NOW_MS}`, 'mark 1 a', 'forget x 1']);
      assert.equal(looked, looks);
    }
  });

  it('requeues transient failures with the delay of the check', async (t) => {
    const { store, called, calls } = fakeStore([wanted('x')]);
    start(t, store, async () => SLOW_IMAGE);
    await called(`delay x ${SLOW_IMAGE.retryDelay_ms}`);
    assert.equal(calls.length, 1);
  });

  it('requeues an image after an internal error, and reports it', async (t) => {
    const { store, called, calls } = fakeStore([wanted('x')]);
    const { events } = start(t, store, () => Promise.reject(new Error('No decoder.')));
    await called('delay x 60000 untried');
    assert.deepEqual([calls.length, events], [1, ['work_failed']]);
  });

  it('passes earlier evidence and attempts to the check', async (t) => {
    const known = { address: 'x', evidence: GOOD_IMAGE, reviewedMs: 1, etag: null };
    const { store, called } = fakeStore([
      wanted('x', { attempts: 2, known }),
      wanted('y', { attempts: 3 }),
      wanted('z'),
    ]);
    const earlier = new Map<string, ImageEvidence | undefined>();
    start(t, store, async (address, seen) => {
      earlier.set(address, seen);
      return GOOD_IMAGE;
    });
    await called(`store z ${GOOD_IMAGE.checkedAtMs}`);
    assert.deepEqual([earlier.get('x')?.attempts, earlier.get('x')?.hash], [2, GOOD_IMAGE.hash]);
    assert.deepEqual([earlier.get('y')?.attempts, earlier.get('y')?.hash], [3, null]);
    assert.equal(earlier.get('z'), undefined);
  });

  it('keeps earlier evidence through transient failures, up to six attempts', async (t) => {
    const known = { address: 'x', evidence: GOOD_IMAGE, reviewedMs: 1, etag: GOOD_IMAGE.etag };
    const failing = {
      kind: 'failed',
      failure: 'timed_out',
      finalAddress: 'x',
      httpStatus: null,
      fetch_ms: 1,
    } as const satisfies Visit;
    const inspector: ImageInspector = {
      client: { visit: async (_address, _options, work) => work(failing) },
      decoders: { check: () => assert.fail('There is nothing to review.') },
      placeholders: () => new PlaceholderList([]),
      now: () => NOW_MS,
    };
    for (let attempts = 0; attempts <= 5; attempts++) {
      const isLast = attempts === 5;
      const { store, called, calls } = fakeStore([wanted('x', { attempts, known })]);
      const stored: ImageEvidence[] = [];
      const storeImage: typeof store.images.storeImage = (image, found) => {
        stored.push(found.evidence);
        return store.images.storeImage(image, found);
      };
      start(t, { ...store, images: { ...store.images, storeImage } }, (address, earlier, signal) =>
        inspectImage(inspector, address, earlier, signal),
      );
      await called(isLast ? `store x ${NOW_MS}` : `delay x ${nextAttemptMs(attempts + 1)}`);
      assert.equal(calls.length, 1, 'what was seen stays as it is');
      assert.deepEqual(
        stored.map(({ verdict }) => verdict),
        isLast ? ['failed'] : [],
      );
    }
  });

  it('respects the concurrency limit, and continues when one is done', async (t) => {
    const { store, called } = fakeStore(['a', 'b', 'c'].map((address) => wanted(address)));
    const looks = new Map<string, (evidence: ImageEvidence) => void>();
    start(t, store, (address) => new Promise((resolve) => looks.set(address, resolve)), 2);
    await new Promise(setImmediate);
    assert.deepEqual([...looks.keys()], ['a', 'b']);
    looks.get('b')?.(GOOD_IMAGE);
    await called(`store b ${GOOD_IMAGE.checkedAtMs}`);
    while (!looks.has('c')) await new Promise(setImmediate);
    for (const end of looks.values()) end(GOOD_IMAGE);
  });

  it('checks formerly lost images one at a time, each counted first, alongside the others', async (t) => {
    const lost = ['a', 'b', 'taken by another', 'c'].map((address) =>
      wanted(address, { lost: 1, fence: address === 'taken by another' ? 0 : 1 }),
    );
    const { store, called, calls } = fakeStore([...lost, wanted('fresh')]);
    const looks = new Map<string, (evidence: ImageEvidence) => void>();
    const check: CheckImage = (address) =>
      address === 'b' ? Promise.reject(new Error('broken')) : new Promise((resolve) => looks.set(address, resolve));
    const { events } = start(t, store, check);
    await called('begin a');
    while (!looks.has('a')) await new Promise(setImmediate);
    assert.deepEqual([...looks.keys()].sort(), ['a', 'fresh']);
    assert.deepEqual(calls, ['begin a']);
    looks.get('a')?.(GOOD_IMAGE);
    await called('begin c');
    assert.deepEqual(
      calls.filter((call) => call.startsWith('begin')),
      ['begin a', 'begin b', 'begin taken by another', 'begin c'],
    );
    assert.deepEqual(events, ['work_failed']);
    while (!looks.has('c')) await new Promise(setImmediate);
    for (const end of looks.values()) end(GOOD_IMAGE);
  });

  it('starts none of those when it is closed', async (t) => {
    const { store, called, calls } = fakeStore([wanted('a', { lost: 1 }), wanted('b', { lost: 1 })]);
    const { loop } = start(t, store, (_address, _earlier, signal) => {
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await called('begin a');
    await loop.close(5);
    assert.deepEqual(calls, ['begin a']);
  });

  it('fails an image after five lost checks, and not after four', async (t) => {
    const looked: string[] = [];
    const found: StoredImage[] = [];
    const { store, called } = fakeStore([wanted('x', { lost: 5 }), wanted('y', { lost: 4 })]);
    const storeImage: typeof store.images.storeImage = (image, evidence) => {
      found.push(evidence);
      return store.images.storeImage(image, evidence);
    };
    start(t, { ...store, images: { ...store.images, storeImage } }, async (address) => {
      looked.push(address);
      return GOOD_IMAGE;
    });
    await called(`store y ${GOOD_IMAGE.checkedAtMs}`);
    assert.deepEqual(looked, ['y']);
    const [given] = found.filter(({ address }) => address === 'x');
    assert.deepEqual(
      { ...given, evidence: undefined },
      { address: 'x', evidence: undefined, reviewedMs: NOW_MS, etag: null },
    );
    const { verdict, checks, finalAddress } = given?.evidence ?? assert.fail('no evidence');
    assert.deepEqual([verdict, finalAddress], ['failed', 'x']);
    const states = checks.filter(({ state }) => state !== 'skipped');
    assert.deepEqual(states, [{ check: 'image', state: 'failed', failure: 'not_reviewed' }]);
  });

  it('abandons a check that outlasts its lease, and continues', async (t) => {
    const { store, called } = fakeStore([wanted('hangs', { lost: 1 }), wanted('good', { lost: 1 })]);
    const check: CheckImage = (address) => (address === 'hangs' ? new Promise(() => {}) : Promise.resolve(GOOD_IMAGE));
    const { events } = start(t, store, check, 10, 5);
    await called(`store good ${GOOD_IMAGE.checkedAtMs}`);
    assert.deepEqual(events, ['work_failed']);
  });

  it('aborts a check that takes too long, and requeues the image without counting it as lost', async (t) => {
    const { store, called, calls } = fakeStore([wanted('slow'), wanted('slow alone', { lost: 4 })]);
    const check: CheckImage = (_address, _earlier, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { events } = start(t, store, check, 10, LONG_MS, 5);
    await Promise.all([called('delay slow 60000 untried'), called('delay slow alone 60000 untried')]);
    assert.deepEqual(calls.sort(), ['begin slow alone', 'delay slow 60000 untried', 'delay slow alone 60000 untried']);
    assert.deepEqual(events, ['work_failed', 'work_failed']);
  });

  it('continues after a failed check or database call, and reports it', async (t) => {
    const { store, called } = fakeStore([wanted('bad'), wanted('good')]);
    let fails = 1;
    const takeImages: typeof store.images.takeImages = (...args) =>
      fails-- > 0 ? Promise.reject(new Error('gone')) : store.images.takeImages(...args);
    const check: CheckImage = async (address) => {
      if (address === 'bad') throw new Error('broken');
      return GOOD_IMAGE;
    };
    const { loop, events } = start(t, { ...store, images: { ...store.images, takeImages } }, check);
    while (events.length === 0) await new Promise(setImmediate);
    loop.wake();
    await called(`store good ${GOOD_IMAGE.checkedAtMs}`);
    assert.deepEqual(events, ['work_stalled', 'work_failed']);
  });

  it('waits for running checks when it is closed, and aborts them after the limit', async (t) => {
    const { store } = fakeStore([wanted('x')]);
    const begun = Promise.withResolvers<void>();
    const check: CheckImage = (_address, _earlier, signal) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const { loop, events } = start(t, store, check);
    await begun.promise;
    assert.equal(await loop.close(5), false);
    assert.deepEqual(events, []);
  });
});
