/** That counts of requests are kept for seven days, and that all that are older go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropRequestCounts } from './drop-request-counts.ts';

test('drops what is older than seven days, as often as some are left', async () => {
  const before: number[] = [];
  const store = { dropRequestCounts: async (minute: number) => before.push(minute) < 3 };
  const day = 1440;
  await dropRequestCounts({ store, nowMs: () => 10 * day * 60_000 + 59_999 }, new AbortController().signal);
  assert.deepEqual(before, [3 * day, 3 * day, 3 * day]);
});
