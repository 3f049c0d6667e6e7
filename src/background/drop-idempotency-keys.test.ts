/** Tests drop-idempotency-keys.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettingsStore } from '../store/port/settings.ts';
import { dropIdempotencyKeys } from './drop-idempotency-keys.ts';

const DAY_MS = 86_400_000;

test('deletes keys older than a day, account by account until none is left', async () => {
  const calls: unknown[] = [];
  const merchants = [{ accounts: { test: 7, live: 8 } }, { accounts: { test: 9, live: 10 } }];
  const store = {
    settings: { listMerchants: async () => merchants } as unknown as Pick<SettingsStore, 'listMerchants'>,
    idempotency: { dropKeys: async (...asked: number[]) => calls.push(asked) < 3 },
  };
  await dropIdempotencyKeys({ store, nowMs: () => 3 * DAY_MS }, new AbortController().signal);
  assert.deepEqual(
    calls,
    [7, 7, 7, 8, 9, 10].map((accountId) => [accountId, 2 * DAY_MS]),
  );
});
