/** That calls to a store thread are gathered, bounded, and never left without an answer. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { documentOf, NOW_MS, newKey } from '../contract/subject.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../port.ts';
import { WRITER_LIMITS } from './open.ts';
import type { EchoService } from './testing/echo-thread.ts';
import { openStoreFor } from './testing/open-for.ts';
import type { ThreadLimits } from './thread-client.ts';
import { ThreadClient } from './thread-client.ts';

const ROOMY: ThreadLimits = { waiting_calls_max: 100, waiting_characters_max: 100, batch_calls_max: 50 };

async function startEcho(
  t: TestContext,
  limits = ROOMY,
  onFatal: (error: Error) => void = assert.fail,
  workerData?: string,
): Promise<ThreadClient<EchoService>> {
  const file = new URL('./testing/echo-thread.ts', import.meta.url);
  const echo = await ThreadClient.start<EchoService>(file, workerData, limits, onFatal);
  t.after(() => echo.close());
  return echo;
}

function open(gate: Int32Array): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

describe('batches', () => {
  test('what must happen before the answers of a batch are known happens before', async (t) => {
    const echo = await startEcho(t);
    const order: string[] = [];
    echo.beforeSettling = () => order.push('before');
    const calls = [1, 2].map((n) => echo.call('batch', [], 0).then(() => order.push(`answer ${n}`)));
    await Promise.all(calls);
    assert.deepEqual(order, ['before', 'answer 1', 'answer 2']);
  });

  test('calls of one turn travel together; while two batches are under way the next one grows', async (t) => {
    const echo = await startEcho(t);
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const held = echo.call('waitAt', [gate], 0);
    const calls: Promise<readonly [number, number]>[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await nextTurn();
      calls.push(echo.call('batch', [], 0), echo.call('batch', [], 0));
    }
    await nextTurn();
    open(gate);
    await held;
    assert.deepEqual(await Promise.all(calls), [...Array(2).fill([2, 2]), ...Array(6).fill([3, 6])]);
  });

  test('a batch holds no more calls than allowed', async (t) => {
    const echo = await startEcho(t, { ...ROOMY, batch_calls_max: 2 });
    const calls = await Promise.all(Array.from({ length: 5 }, () => echo.call('batch', [], 0)));
    assert.deepEqual(calls, [
      [1, 2],
      [1, 2],
      [2, 2],
      [2, 2],
      [3, 1],
    ]);
  });

  test('a failure comes back as an error of its kind, to its own call', async (t) => {
    const echo = await startEcho(t);
    const [fine, unavailable, broken] = await Promise.allSettled([
      echo.call('batch', [], 0),
      echo.call('fail', [true], 0),
      echo.call('fail', [false], 0),
    ]);
    assert.deepEqual(fine, { status: 'fulfilled', value: [1, 3] });
    assert.ok(unavailable.status === 'rejected' && unavailable.reason instanceof StoreUnavailableError);
    assert.equal(unavailable.reason.message, 'failed');
    assert.equal(unavailable.reason.cause, 'because');
    assert.ok(broken.status === 'rejected' && !(broken.reason instanceof StoreUnavailableError));
  });

  test('what cannot be copied to the thread fails its batch and leaves the thread working', async (t) => {
    const echo = await startEcho(t);
    const notData = (() => {}) as unknown as boolean;
    await assert.rejects(echo.call('fail', [notData], 0), { name: 'DataCloneError' });
    assert.deepEqual(await echo.call('batch', [], 0), [1, 1]);
  });
});

describe('the second lane', () => {
  test('its calls go one by one, behind those of the first that wait', async (t) => {
    const echo = await startEcho(t);
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const held = echo.call('waitAt', [gate], 0);
    await nextTurn();
    const second = echo.call('batch', [], 0);
    await nextTurn();
    const behind = [echo.callBehind('batch', [], 0), echo.callBehind('batch', [], 0)];
    const first = [echo.call('batch', [], 0), echo.call('batch', [], 0)];
    await nextTurn();
    open(gate);
    await held;
    assert.deepEqual(await Promise.all([second, ...first]), [
      [2, 1],
      [3, 2],
      [3, 2],
    ]);
    assert.deepEqual(await Promise.all(behind), [
      [4, 1],
      [5, 1],
    ]);
    assert.equal(echo.batchSizes.sum, 4, 'only calls of the first lane are counted as written together');
  });

  test('a call that has waited for a while goes before the first lane, and one of its kind only', async (t) => {
    const echo = await startEcho(t, { ...ROOMY, batch_calls_max: 1 });
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const held = echo.call('waitAt', [gate], 0);
    const first = Array.from({ length: 3 }, () => echo.call('batch', [], 0));
    const behind = [echo.callBehind('batch', [], 0), echo.callBehind('batch', [], 0)];
    await new Promise((resolve) => setTimeout(resolve, 100));
    open(gate);
    await held;
    const [one, two] = await Promise.all(first);
    assert.deepEqual([one?.[0], two?.[0]], [2, 4]);
    const [aged, next] = await Promise.all(behind);
    assert.equal(aged?.[0], 3);
    assert.ok((next?.[0] ?? 0) > 4);
  });

  test('its calls count against the limits, and are finished by a close', async (t) => {
    const echo = await startEcho(t, { ...ROOMY, waiting_calls_max: 2 });
    const taken = [echo.callBehind('batch', [], 0), echo.callBehind('batch', [], 0)];
    await assert.rejects(echo.callBehind('batch', [], 0), StoreOverloadedError);
    await echo.close();
    assert.deepEqual(await Promise.all(taken), [
      [1, 1],
      [2, 1],
    ]);
    await assert.rejects(echo.callBehind('batch', [], 0), StoreUnavailableError);
  });
});

describe('limits', () => {
  test('a call beyond the number or the text that may wait is refused at once; answered ones make room', async (t) => {
    const limits: ThreadLimits = { waiting_calls_max: 3, waiting_characters_max: 10, batch_calls_max: 50 };
    const echo = await startEcho(t, limits);
    for (let time = 0; time < 2; time++) {
      const taken = [echo.call('batch', [], 4), echo.call('batch', [], 6)];
      await assert.rejects(echo.call('batch', [], 1), StoreOverloadedError);
      taken.push(echo.call('batch', [], 0));
      await assert.rejects(echo.call('batch', [], 0), StoreOverloadedError);
      await Promise.all(taken);
    }
  });

  test('the store refuses the write that is too many, stores the others, and says that it is not ready', async (t) => {
    const store = await openStoreFor(t, { writerLimits: { ...WRITER_LIMITS, waiting_calls_max: 10 } });
    const keys = Array.from({ length: 10 }, () => newKey());
    const taken = keys.map((key) => store.putSku(key, documentOf(), NOW_MS));
    const tooMany = newKey();
    await assert.rejects(store.putSku(tooMany, documentOf(), NOW_MS), StoreOverloadedError);
    const overloaded = assert.rejects(store.ping(), StoreUnavailableError);
    assert.deepEqual(new Set(await Promise.all(taken)), new Set(['stored']));
    await overloaded;
    assert.equal(await store.readSkuState(tooMany), 'unknown');
    await store.ping();
  });
});

describe('the death of a thread', () => {
  for (const [how, die] of [
    ['exits', (echo: ThreadClient<EchoService>) => echo.call('exit', [7], 0)],
    ['throws', (echo: ThreadClient<EchoService>) => echo.call('throwUncaught', [], 0)],
  ] as const) {
    test(`when it ${how}, waiting calls and later ones are rejected and it is reported once`, async (t) => {
      const reported: Error[] = [];
      const echo = await startEcho(t, { ...ROOMY, batch_calls_max: 1 }, (error) => reported.push(error));
      assert.deepEqual(await echo.call('batch', [], 0), [1, 1]);
      const settled = await Promise.allSettled([die(echo), echo.call('batch', [], 0), echo.call('batch', [], 0)]);
      assert.deepEqual(
        settled.map((call) => (call.status === 'fulfilled' ? call.value : call.reason.name)),
        ['StoreUnavailableError', 'StoreUnavailableError', 'StoreUnavailableError'],
      );
      await assert.rejects(echo.call('batch', [], 0), StoreUnavailableError);
      assert.equal(reported.length, 1);
      assert.ok(reported[0] instanceof StoreUnavailableError);
      assert.ok(reported[0].cause instanceof Error);
    });
  }

  test('a thread that dies while it starts rejects the start', async (t) => {
    await assert.rejects(startEcho(t, ROOMY, assert.fail, 'exit at once'), StoreUnavailableError);
    await assert.rejects(startEcho(t, ROOMY, assert.fail, 'fail at once'), /cannot start/);
  });

  test('the store is unavailable without its writer, and tells its owner', async (t) => {
    const workers: Worker[] = [];
    const noteWorker = (worker: Worker) => workers.push(worker);
    process.on('worker', noteWorker);
    const fatal = Promise.withResolvers<Error>();
    const store = await openStoreFor(t, { onFatal: fatal.resolve });
    process.off('worker', noteWorker);
    const write = store.putSku(newKey(), documentOf(), NOW_MS);
    const settled = assert.rejects(write, StoreUnavailableError);
    await workers[0]?.terminate();
    await settled;
    assert.ok((await fatal.promise) instanceof StoreUnavailableError);
    await assert.rejects(store.putPrice(newKey(), { price: 1, nodes: [] }, NOW_MS), StoreUnavailableError);
    await assert.rejects(store.ping(), StoreUnavailableError);
    assert.equal(await store.readSkuState(newKey()), 'unknown');
  });
});
