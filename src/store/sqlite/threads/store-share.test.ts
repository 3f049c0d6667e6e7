/** Tests that another thread can share a store, and that the first thread keeps responding. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { putPrice } from '../../contract/put-parts.ts';
import { NOW_MS, uploadedSkus } from '../../contract/subject.ts';
import { type StoreSettings, shareStore } from '../../open-store.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Store } from '../../port.ts';
import { openSqliteStore } from '../open.ts';
import type { Order, Report } from '../testing/second-store-thread.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

const SKUS = Array.from({ length: 250 }, (_, place) => `sku-${place}`);

describe('a store that was passed to another thread', () => {
  let shared: Opened;
  before(async () => {
    shared = await open();
  });
  after(() => shared.store.close());
  /** Starts another thread on the store that these tests share. */
  const sharedWith = async (t: TestContext) => {
    const { store, settings } = shared;
    return { store, other: await startThread(t, store, settings) };
  };

  test('reads what the first store writes, and the reverse, at once', async (t) => {
    const { store, other } = await sharedWith(t);
    const at = await uploadedSkus(store, ['a', 'b']);
    const { accountId } = at('');
    await putPrice(store.offers, at('a'), { price: 1, nodes: [] }, NOW_MS);
    const rows = [{ part: 'price', skuId: 'b', price: 2, nodes: [] }] as const;
    const apply = { kind: 'apply', accountId, rows, times: 3 } as const;
    assert.deepEqual(await other.does(apply), { done: 'stored' });
    const prices = [1, 2].map((price) => ({ price, nodes: [], updatedMs: NOW_MS }));
    assert.deepEqual(await other.does({ kind: 'read', accountId, skuIds: ['a', 'b'] }), { done: prices });
    assert.deepEqual(await store.offers.readPrice(at('b')), prices[1]);
    assert.equal((await store.files.readFile(accountId, 'a-file'))?.status, 'Processing');
    await other.end();
  });

  test('lets single calls of the first store run between its slices', async (t) => {
    const { store, other } = await sharedWith(t);
    const at = await uploadedSkus(store, [...SKUS, 'single']);
    const { accountId } = at('');
    const rows = SKUS.map((skuId) => ({ part: 'price', skuId, price: 2, nodes: [] }) as const);
    let isDone = false;
    const applied = other.does({ kind: 'apply', accountId, rows, times: 40 }).finally(() => {
      isDone = true;
    });
    let answered = 0;
    for (let price = 1; !isDone; price++) {
      assert.equal(await putPrice(store.offers, at('single'), { price, nodes: [] }, NOW_MS), 'stored');
      if (!isDone) answered++;
    }
    assert.deepEqual(await applied, { done: 'stored' });
    assert.ok(answered >= 10, `${answered} calls were served during 40 slices`);
    await other.end();
  });

  test('closes first; the first store keeps working, and can be shared again', async (t) => {
    const { store, other, settings } = await openShared(t);
    const at = await uploadedSkus(store, ['a']);
    await other.end();
    await putPrice(store.offers, at('a'), { price: 1, nodes: [] }, NOW_MS);
    await store.ping();
    const again = await startThread(t, store, settings);
    assert.deepEqual(await again.does({ kind: 'read', accountId: 1, skuIds: ['a'] }), { done: ['unknown'] });
    await again.end();
    await store.close();
    await assert.rejects(store.ping(), StoreUnavailableError);
    assert.throws(() => shareStore(store, settings), StoreUnavailableError);
  });

  test('is notified if the first store is closed earlier, and then fails', async (t) => {
    const { store, other } = await openShared(t);
    await store.close();
    assert.deepEqual(await other.next(), { fatal: 'StoreUnavailableError' });
    assert.deepEqual(await other.next(), { fatal: 'StoreUnavailableError' });
    const apply = { kind: 'apply', accountId: 1, rows: [], times: 1 } as const;
    assert.deepEqual(await other.does(apply), { failed: 'StoreUnavailableError' });
    await other.end();
  });

  test('that died does not affect the first store or its database', async (t) => {
    const { store, other } = await sharedWith(t);
    const at = await uploadedSkus(store, SKUS);
    const { accountId } = at('');
    const rows = SKUS.map((skuId) => ({ part: 'price', skuId, price: 2, nodes: [] }) as const);
    other.send({ kind: 'apply', accountId, rows, times: 1_000_000 });
    while (typeof (await store.offers.readPrice(at('sku-0'))) === 'string') await store.ping();
    await other.worker.terminate();
    assert.equal(await putPrice(store.offers, at('sku-1'), { price: 3, nodes: [] }, NOW_MS), 'stored');
    const moved = async () => {
      const file = (await store.files.readFile(accountId, 'a-file')) ?? assert.fail();
      return store.files.moveFile(file, { ...file.progress, offset: file.progress.offset + 1 });
    };
    // One slice that the dead thread had already sent may still move the file; none follows.
    const first = await moved();
    assert.equal(first === 'stale' ? await moved() : first, 'stored');
  });
});

interface Opened {
  readonly store: Store;
  readonly settings: StoreSettings;
}

async function open(): Promise<Opened> {
  const dataDir = temporaryDir();
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  const limits = { databasePoolMax: 1, databaseCall_ms_max: 1, databaseStatement_ms_max: 1, databaseLock_ms_max: 1 };
  const history = { history_days: 90, historyBytesMax: 67_108_864, filesFreeBytesMin: 0 };
  return { store, settings: { dataDir, databaseUrl: undefined, databaseWorkers: 'direct', ...history, ...limits } };
}

async function openShared(t: TestContext) {
  const { store, settings } = await open();
  t.after(() => store.close());
  return { store, settings, other: await startThread(t, store, settings) };
}

async function startThread(t: TestContext, store: Store, settings: StoreSettings) {
  const { store: workerData, transfer } = shareStore(store, settings);
  const file = new URL('../testing/second-store-thread.ts', import.meta.url);
  const worker = new Worker(file, { workerData, transferList: [...transfer], execArgv: [] });
  t.after(() => worker.terminate());
  const reports: Report[] = [];
  let wake = Promise.withResolvers<void>();
  worker.on('message', (report: Report) => {
    reports.push(report);
    wake.resolve();
  });
  const next = async (): Promise<Report | undefined> => {
    while (reports.length === 0) await wake.promise;
    wake = Promise.withResolvers();
    return reports.shift();
  };
  const send = (order: Order): void => worker.postMessage(order);
  const does = (order: Order): Promise<Report | undefined> => {
    send(order);
    return next();
  };
  const end = async (): Promise<void> => {
    const exited = once(worker, 'exit');
    assert.deepEqual(await does({ kind: 'close' }), { done: 'closed' });
    await exited;
  };
  assert.deepEqual(await next(), { done: 'open' });
  return { worker, next, send, does, end };
}
