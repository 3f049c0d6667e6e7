/** Tests that calls to a store thread are batched, limited, and always completed. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { putPrice, putSku } from '../../contract/put-parts.ts';
import { documentOf, NOW_MS, newKey } from '../../contract/subject.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import { WRITER_LIMITS } from '../open.ts';
import type { EchoService } from '../testing/echo-thread.ts';
import { openStoreFor } from '../testing/open-for.ts';
import { SLICE_WAIT_MS_MAX } from './lanes.ts';
import type { ThreadLimits } from './thread-client.ts';
import { ThreadClient } from './thread-client.ts';

const ROOMY: ThreadLimits = { waiting_calls_max: 100, waiting_characters_max: 100, batch_calls_max: 50 };

async function startEcho(
  t: TestContext,
  limits = ROOMY,
  onFatal: (error: Error) => void = assert.fail,
  workerData?: string,
): Promise<ThreadClient<EchoService>> {
  const file = new URL('../testing/echo-thread.ts', import.meta.url);
  const echo = await ThreadClient.start<EchoService>(file, workerData, limits, onFatal);
  t.after(() => echo.close());
  return echo;
}

function open(gate: Int32Array): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

describe('batches', () => {
  test('the callback before responses runs before the calls of a batch resolve', async (t) => {
    const echo = await startEcho(t);
    const order: string[] = [];
    echo.beforeSettling = () => order.push('before');
    const calls = [1, 2].map((n) => echo.call('batch', [], 0).then(() => order.push(`answer ${n}`)));
    await Promise.all(calls);
    assert.deepEqual(order, ['before', 'answer 1', 'answer 2']);
  });

  test('calls of one tick are sent together; while two batches are in flight the next one grows', async (t) => {
    const echo = await startEcho(t);
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const held = echo.call('waitAt', [gate], 0);
    const calls: Promise<readonly [number, number]>[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await eventLoopTick();
      calls.push(echo.call('batch', [], 0), echo.call('batch', [], 0));
    }
    await eventLoopTick();
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

  test('a failure rejects its own call, with an error of the same kind', async (t) => {
    const echo = await startEcho(t);
    const [fine, unavailable, broken] = await Promise.allSettled([
      echo.call('batch', [], 0),
      echo.call('fail', [true], 0),
      echo.call('fail', [false], 0),
    ]);
    assert.deepEqual(fine, { status: 'fulfilled', value: [1, 3] });
    assert.ok(unavailable.status === 'rejected' && unavailable.reason instanceof StoreUnavailableError);
    assert.equal(unavailable.reason.message, 'failed');
    assert.match(String(unavailable.reason.cause), /^StoreUnavailableError: failed\n.*echo-thread/s);
    assert.ok(broken.status === 'rejected' && !(broken.reason instanceof StoreUnavailableError));
  });

  test('an argument that cannot be cloned fails its batch, and the thread keeps working', async (t) => {
    const echo = await startEcho(t);
    const notData = (() => {}) as unknown as boolean;
    await assert.rejects(echo.call('fail', [notData], 0), { name: 'DataCloneError' });
    assert.deepEqual(await echo.call('batch', [], 0), [1, 1]);
  });
});

describe('the second lane', () => {
  test('its calls are sent one by one, after foreground calls of the same tick', async (t) => {
    const echo = await startEcho(t);
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const held = echo.call('waitAt', [gate], 0);
    await eventLoopTick();
    const behind = [1, 2, 3].map(() => echo.call('batch', [], 0, 'background'));
    await eventLoopTick();
    const first = [echo.call('batch', [], 0), echo.call('batch', [], 0)];
    await eventLoopTick();
    open(gate);
    await held;
    assert.deepEqual(await Promise.all(first), [
      [2, 2],
      [2, 2],
    ]);
    assert.deepEqual(await Promise.all(behind), [
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
    assert.equal(echo.batchSizes.sum, 3, 'only foreground calls count in batch sizes');
  });

  test('a call is served between two slices, even if many wait', async (t) => {
    const echo = await startEcho(t);
    const slices = Array.from({ length: 20 }, () => echo.call('wait', [5], 0, 'background'));
    await slices[2];
    const single = echo.call('batch', [], 0);
    const isLast = await Promise.race([single.then(() => false), slices[9]?.then(() => true)]);
    assert.equal(isLast, false, 'it waits for the current slice, not for later ones');
    await Promise.all(slices);
  });

  test('a slice does not wait long, even with many foreground calls', async (t) => {
    const echo = await startEcho(t, { ...ROOMY, batch_calls_max: 1 });
    let isOver = false;
    // Three senders, so that the thread always finds another foreground call.
    const load = Array.from({ length: 3 }, async () => {
      while (!isOver) await echo.call('wait', [2], 0);
    });
    await echo.call('batch', [], 0);
    const sentMs = performance.timeOrigin + performance.now();
    const starts: number[] = [sentMs];
    for (const slice of [1, 2, 3].map(() => echo.call('wait', [1], 0, 'background'))) starts.push((await slice)[0]);
    isOver = true;
    await Promise.all(load);
    const waits_ms = starts.slice(1).map((startedMs, place) => startedMs - (starts[place] ?? 0));
    for (const wait_ms of waits_ms) {
      assert.ok(wait_ms < 400 * SLICE_WAIT_MS_MAX, `${waits_ms.join(', ')} ms`);
    }
  });

  test('its calls count against the limits, and are finished by a close', async (t) => {
    const echo = await startEcho(t, { ...ROOMY, waiting_calls_max: 3 });
    const taken = [1, 2, 3].map(() => echo.call('batch', [], 0, 'background'));
    await assert.rejects(echo.call('batch', [], 0, 'background'), StoreOverloadedError);
    await echo.close();
    assert.deepEqual(await Promise.all(taken), [
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    await assert.rejects(echo.call('batch', [], 0, 'background'), StoreUnavailableError);
  });
});

describe('a further client', () => {
  /** Runs in the same thread as the first client: a port works the same within a thread. */
  function secondClient(
    t: TestContext,
    echo: ThreadClient<EchoService>,
    onFatal: (error: Error) => void = assert.fail,
  ) {
    const client = ThreadClient.over<EchoService>(echo.openPort(), ROOMY, onFatal);
    t.after(() => client.close());
    return client;
  }

  test('gets its own responses, like the first one', async (t) => {
    const echo = await startEcho(t);
    const other = secondClient(t, echo);
    const settled = await Promise.allSettled([
      echo.call('batch', [], 0),
      other.call('batch', [], 0),
      other.call('fail', [true], 0),
      other.call('batch', [], 0, 'background'),
      other.call('batch', [], 0, 'background'),
      echo.call('batch', [], 0, 'background'),
    ]);
    assert.deepEqual(
      settled.map((call) => (call.status === 'fulfilled' ? call.value?.[1] : call.reason.name)),
      [1, 2, 'StoreUnavailableError', 1, 1, 1],
    );
    await other.close();
  });

  test('takes turns with the first one in the background lane', async (t) => {
    const echo = await startEcho(t);
    const other = secondClient(t, echo);
    const order: string[] = [];
    const slices = (client: ThreadClient<EchoService>, name: string) =>
      Array.from({ length: 6 }, () => client.call('wait', [2], 0, 'background').then(() => order.push(name)));
    await Promise.all([...slices(echo, 'a'), ...slices(other, 'b')]);
    // Runs of one client may be longer on a busy machine, where its next calls reach the thread late.
    for (const [one, another] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      assert.ok(
        order.indexOf(one) < order.lastIndexOf(another),
        `neither waits for all calls of the other: ${order.join('')}`,
      );
    }
    await other.close();
  });

  test('that disconnects gets responses to its calls, and the thread continues', async (t) => {
    const echo = await startEcho(t);
    const other = secondClient(t, echo);
    const taken = [other.call('batch', [], 0), other.call('batch', [], 0, 'background')];
    await other.close();
    assert.deepEqual(
      (await Promise.all(taken)).map(([, calls]) => calls),
      [1, 1],
    );
    await assert.rejects(other.call('batch', [], 0), StoreUnavailableError);
    assert.equal((await echo.call('batch', [], 0))[1], 1);
  });

  test('learns that the thread was closed, and its calls are rejected', async (t) => {
    const echo = await startEcho(t);
    const reported: Error[] = [];
    const other = secondClient(t, echo, (error) => reported.push(error));
    await other.call('batch', [], 0);
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const held = echo.call('waitAt', [gate], 0);
    await eventLoopTick();
    const closed = echo.close();
    const lost = [
      other.call('batch', [], 0, 'background'),
      other.call('batch', [], 0, 'background'),
      other.call('batch', [], 0, 'background'),
    ];
    const settled = Promise.allSettled(lost);
    await eventLoopTick();
    open(gate);
    await Promise.all([held, closed]);
    // The thread may run calls that arrived before the close message; the last call was still waiting.
    assert.equal((await settled)[2]?.status, 'rejected');
    await assert.rejects(other.call('batch', [], 0), StoreUnavailableError);
    assert.deepEqual(
      reported.map((error) => error.name),
      ['StoreUnavailableError'],
    );
    assert.throws(() => echo.openPort(), StoreUnavailableError);
    await other.close();
  });

  test('learns that the thread died', async (t) => {
    const echo = await startEcho(t, ROOMY, () => {});
    const fatal = Promise.withResolvers<Error>();
    const other = secondClient(t, echo, fatal.resolve);
    await other.call('batch', [], 0);
    const lost = assert.rejects(other.call('exit', [7], 0), StoreUnavailableError);
    assert.ok((await fatal.promise) instanceof StoreUnavailableError);
    await lost;
    await assert.rejects(echo.call('batch', [], 0), StoreUnavailableError);
  });
});

describe('limits', () => {
  test('a call beyond the limits of calls or text is refused immediately; completed calls free space', async (t) => {
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

  test('the store refuses a write beyond the limit, stores the others, and reports that it is not ready', async (t) => {
    const store = await openStoreFor(t, { writerLimits: { ...WRITER_LIMITS, waiting_calls_max: 10 } });
    const keys = Array.from({ length: 10 }, () => newKey());
    const taken = keys.map((key) => putSku(store.offers, key, documentOf(), NOW_MS));
    const tooMany = newKey();
    await assert.rejects(putSku(store.offers, tooMany, documentOf(), NOW_MS), StoreOverloadedError);
    const overloaded = assert.rejects(store.ping(), StoreUnavailableError);
    assert.deepEqual(new Set(await Promise.all(taken)), new Set(['stored']));
    await overloaded;
    assert.equal(await store.offers.readSkuState(tooMany), 'unknown');
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

  test('the store is unavailable without its writer, and notifies its owner', async (t) => {
    const workers: Worker[] = [];
    const noteWorker = (worker: Worker) => workers.push(worker);
    process.on('worker', noteWorker);
    const fatal = Promise.withResolvers<Error>();
    const store = await openStoreFor(t, { onFatal: fatal.resolve });
    process.off('worker', noteWorker);
    const write = putSku(store.offers, newKey(), documentOf(), NOW_MS);
    const settled = assert.rejects(write, StoreUnavailableError);
    await workers[0]?.terminate();
    await settled;
    assert.ok((await fatal.promise) instanceof StoreUnavailableError);
    await assert.rejects(putPrice(store.offers, newKey(), { price: 1, nodes: [] }, NOW_MS), StoreUnavailableError);
    await assert.rejects(store.ping(), StoreUnavailableError);
    assert.equal(await store.offers.readSkuState(newKey()), 'unknown');
  });
});
