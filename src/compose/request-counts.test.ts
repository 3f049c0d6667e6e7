/** Tests that each request is counted and logged exactly once, even after a failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountMinute, KeyUse, NewLoggedRequest } from '../store/port/traffic.ts';
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
    addRequestLog: async () => assert.fail('No request was recorded.'),
  };
  const telemetry = { observe: (name: string) => void observed.push(name) };
  const counting = createRequestCounting(store, telemetry, { nowMs: () => 60_000, monotonicMs: () => 0 });
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

test('stores the request log of each account, and retries an account whose database failed', async () => {
  const stored: [number, string[]][] = [];
  const failing = new Set([8]);
  let monotonicMs = 0;
  const observed: unknown[] = [];
  const store = {
    addRequestCounts: async () => {},
    noteKeyUses: async () => {},
    addRequestLog: async (accountId: number, requests: readonly NewLoggedRequest[]) => {
      if (failing.has(accountId)) throw new Error('The worker is down.');
      stored.push([accountId, requests.map(({ requestId }) => requestId)]);
    },
  };
  const telemetry = { observe: (name: string, { kind }: { kind?: string }) => void observed.push([name, kind]) };
  const counting = createRequestCounting(store, telemetry as never, {
    nowMs: () => 60_000,
    monotonicMs: () => monotonicMs,
  });
  const record = (accountId: number, requestId: string) =>
    counting.log.record(accountId, {
      requestId,
      atMs: 60_000,
      call: 'GET /merchant-skus',
      status: 200,
      took_ms: 1,
      url: '/merchant-skus',
      problems: [],
      rawSkuId: '',
      by: 'key:user',
      body: undefined,
    });
  for (let accountId = 1; accountId <= 20; accountId++) record(accountId, `first-${accountId}`);
  await counting.close();
  assert.equal(stored.length, 19);
  assert.deepEqual(observed, [['work_stalled', 'request-log']]);
  failing.clear();
  stored.length = 0;
  record(8, 'second-8');
  await counting.flush();
  assert.deepEqual(stored, [[8, ['first-8', 'second-8']]]);

  record(8, 'third-8');
  monotonicMs = 999;
  await counting.flush();
  assert.equal(stored.length, 1, 'A second flush within a second stores nothing.');
  monotonicMs = 1_000;
  await counting.flush();
  assert.deepEqual(stored[1], [8, ['third-8']]);
});
