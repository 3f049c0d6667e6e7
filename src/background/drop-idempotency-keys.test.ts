/** Tests drop-idempotency-keys.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropIdempotencyKeys } from './drop-idempotency-keys.ts';

const DAY_MS = 86_400_000;

test('deletes keys older than a day, or beyond the limit, account by account until none is left', async () => {
  const calls: unknown[] = [];
  const store = {
    listKeyAccounts: async (...asked: number[]) => {
      calls.push(asked);
      return [7, 8];
    },
    dropKeys: async (...asked: number[]) => calls.push(asked) < 4,
  };
  await dropIdempotencyKeys({ store, nowMs: () => 3 * DAY_MS }, new AbortController().signal);
  const bounds = [2 * DAY_MS, 100_000];
  assert.deepEqual(calls, [bounds, [7, ...bounds], [7, ...bounds], [7, ...bounds], [8, ...bounds]]);
});
