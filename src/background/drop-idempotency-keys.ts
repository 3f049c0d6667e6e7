/** Deletes idempotency keys that are past their retention, or beyond the limit of their account, in slices. */
import { LIMITS } from '../domain/limits.ts';
import type { IdempotencyStore } from '../store/port/idempotency.ts';

const HOUR_MS = 3_600_000;

export async function dropIdempotencyKeys(
  {
    store,
    nowMs,
  }: { readonly store: Pick<IdempotencyStore, 'listKeyAccounts' | 'dropKeys'>; readonly nowMs: () => number },
  signal: AbortSignal,
): Promise<void> {
  const beforeMs = nowMs() - LIMITS.idempotency_key_hours * HOUR_MS;
  const keys_max = LIMITS.idempotency_keys_per_account_max;
  for (const accountId of await store.listKeyAccounts(beforeMs, keys_max)) {
    while (!signal.aborted && (await store.dropKeys(accountId, beforeMs, keys_max)));
  }
}
