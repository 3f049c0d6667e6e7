/** Tests drop-request-counts.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropRequestCounts, dropRequestLog } from './drop-request-counts.ts';

test('deletes counts older than seven days, until none is left', async () => {
  const before: number[] = [];
  const store = { dropRequestCounts: async (minute: number) => before.push(minute) < 3 };
  const day = 1440;
  await dropRequestCounts({ store, nowMs: () => 10 * day * 60_000 + 59_999 }, new AbortController().signal);
  assert.deepEqual(before, [3 * day, 3 * day, 3 * day]);
});

test('deletes logged requests of each account until none is left, and stops when aborted', async () => {
  const dropped: [number, number][] = [];
  const stop = new AbortController();
  const store = {
    listLoggingAccounts: async (beforeMs: number, sinceMinute: number) => {
      assert.deepEqual([beforeMs, sinceMinute], [3 * 86_400_000, 10 * 1440 - 30]);
      return [5, 6, 7];
    },
    dropRequestLog: async (accountId: number, beforeMs: number) => {
      dropped.push([accountId, beforeMs]);
      if (accountId === 6) stop.abort();
      return dropped.length < 3;
    },
  };
  await dropRequestLog({ store, nowMs: () => 10 * 86_400_000 }, stop.signal);
  assert.deepEqual(
    dropped,
    [5, 5, 5, 6].map((accountId) => [accountId, 3 * 86_400_000]),
  );
});
