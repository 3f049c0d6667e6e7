/** Tests that each request count is stored exactly once, even after a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountMinute, KeyUse } from '../store/port/traffic.ts';
import { createRequestCounting } from './request-counts.ts';

test('stores every ten seconds and at stop, and retries failed counts with the next run', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const stored: (readonly AccountMinute[])[] = [];
  const uses: (readonly KeyUse[])[] = [];
  let isDown = false;
  const observed: string[] = [];
  const store = {
    addRequestCounts: async (counts: readonly AccountMinute[]) => {
      if (isDown) throw new Error('The store is down.');
      stored.push(counts);
    },
    noteKeyUses: async (some: readonly KeyUse[]) => void uses.push(some),
  };
  const telemetry = { observe: (name: string) => void observed.push(name) };
  const counting = createRequestCounting(store, telemetry, { nowMs: () => 60_000 });
  counting.start();
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const counted = (requests: number) => ({ accountId: 7, minute: 1, requests, errors: 0, refused: 0 });

  counting.counter.count(7, 200, 'key:user');
  t.mock.timers.tick(9_999);
  await settled();
  assert.deepEqual(stored, []);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(stored, [[counted(1)]]);
  assert.deepEqual(uses, [[{ user: 'user', usedMs: 60_000 }]]);

  isDown = true;
  counting.counter.count(7, 200, undefined);
  t.mock.timers.tick(10_000);
  await settled();
  assert.deepEqual(observed, ['work_stalled']);
  isDown = false;
  counting.counter.count(7, 200, undefined);
  await counting.close();
  assert.deepEqual(stored, [[counted(1)], [counted(2)]]);
  t.mock.timers.tick(100_000);
  await settled();
  assert.equal(stored.length, 2);
});
