/** Tests drop-request-counts.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropRequestCounts } from './drop-request-counts.ts';

test('deletes counts older than seven days, until none is left', async () => {
  const before: number[] = [];
  const store = { dropRequestCounts: async (minute: number) => before.push(minute) < 3 };
  const day = 1440;
  await dropRequestCounts({ store, nowMs: () => 10 * day * 60_000 + 59_999 }, new AbortController().signal);
  assert.deepEqual(before, [3 * day, 3 * day, 3 * day]);
});
