/** Deletes idempotency keys that are past their retention, in slices of a few milliseconds. */
import { LIMITS } from '../domain/limits.ts';
import type { IdempotencyStore } from '../store/port/idempotency.ts';
import type { SettingsStore } from '../store/port/settings.ts';

export interface KeyRetention {
  readonly store: {
    readonly idempotency: Pick<IdempotencyStore, 'dropKeys'>;
    readonly settings: Pick<SettingsStore, 'listMerchants'>;
  };
  readonly nowMs: () => number;
}

const HOUR_MS = 3_600_000;

/** Asks for each account, because a search for old keys across accounts would read the keys of a whole day. */
export async function dropIdempotencyKeys({ store, nowMs }: KeyRetention, signal: AbortSignal): Promise<void> {
  const beforeMs = nowMs() - LIMITS.idempotency_key_hours * HOUR_MS;
  for (const { accounts } of await store.settings.listMerchants()) {
    for (const accountId of Object.values(accounts)) {
      while (!signal.aborted && (await store.idempotency.dropKeys(accountId, beforeMs)));
    }
  }
}
