/** Tests the metrics of a store thread: waiting calls, longest wait, and batch sizes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { Histogram } from '../../../domain/histogram.ts';
import { putSku } from '../../contract/put-parts.ts';
import { documentOf, NOW_MS, newKey } from '../../contract/subject.ts';
import { BATCH_BOUNDS } from '../../shared/call-sizes.ts';
import type { EchoService } from '../testing/echo-thread.ts';
import { openStoreFor } from '../testing/open-for.ts';
import { ThreadClient } from './thread-client.ts';

describe('figures', () => {
  test('count waiting calls and the age of the oldest, until they complete', async (t) => {
    const limits = { waiting_calls_max: 100, waiting_characters_max: 100, batch_calls_max: 50 };
    const file = new URL('../testing/echo-thread.ts', import.meta.url);
    const echo = await ThreadClient.start<EchoService>(file, undefined, limits, assert.fail);
    t.after(() => echo.close());
    assert.deepEqual(echo.figures(), { waiting: 0, oldestWait_ms: 0 });
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const calls: Promise<unknown>[] = [echo.call('waitAt', [gate], 0)];
    await eventLoopTick();
    calls.push(echo.call('batch', [], 0), echo.call('batch', [], 0));
    await eventLoopTick();
    const early = echo.figures();
    await eventLoopTick();
    const late = echo.figures();
    assert.deepEqual([early.waiting, late.waiting], [3, 3]);
    assert.ok(early.oldestWait_ms > 0 && late.oldestWait_ms > early.oldestWait_ms);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await Promise.all(calls);
    assert.deepEqual(echo.figures(), { waiting: 0, oldestWait_ms: 0 });
    assert.deepEqual([[...echo.batchSizes.counts.slice(0, 3)], echo.batchSizes.sum], [[1, 1, 0], 3]);
  });

  test('of the store: writes that were committed together, and its size', async (t) => {
    const store = await openStoreFor(t, {});
    const before = await store.readFigures();
    const countBefore = before.commitWrites.counts.reduce((sum, count) => sum + count, 0);
    await Promise.all(Array.from({ length: 20 }, () => putSku(store.offers, newKey(), documentOf(), NOW_MS)));
    const after = await store.readFigures();
    assert.equal(after.commitWrites.sum, 20);
    assert.equal(after.commitWrites.counts.reduce((sum, count) => sum + count, 0) - countBefore, 1);
    assert.deepEqual([after.writes.waiting, after.lists.waiting], [0, 0]);
    assert.ok(after.sizeBytes >= before.sizeBytes && before.sizeBytes > 0);
  });
});

test('a size is counted under the smallest bound that contains it', () => {
  for (const [size, bound] of [
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 4],
    [5, 8],
    [1000, 1024],
    [1024, 1024],
    [1025, undefined],
  ] as const) {
    const sizes = new Histogram(BATCH_BOUNDS);
    sizes.add(size);
    assert.equal(sizes.bounds[sizes.counts.indexOf(1)], bound, `${size}`);
  }
});
