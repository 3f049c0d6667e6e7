/** Deletes request counts and logged requests that the portal no longer shows. */
import { LIMITS } from '../domain/limits.ts';
import type { RequestCountStore, RequestLogStore } from '../store/port/traffic.ts';

const MINUTES_OF_DAY = 1440;
const MINUTE_MS = 60_000;
/** Covers three rounds of housekeeping. Accounts without requests since then have already been trimmed. */
const BUSY_MINUTES = 30;

export async function dropRequestCounts(
  {
    store,
    nowMs,
  }: {
    readonly store: Pick<RequestCountStore, 'dropRequestCounts'>;
    readonly nowMs: () => number;
  },
  signal: AbortSignal,
): Promise<void> {
  const before = Math.floor(nowMs() / MINUTE_MS) - LIMITS.request_count_days * MINUTES_OF_DAY;
  for (let isMore = true; isMore && !signal.aborted; ) isMore = await store.dropRequestCounts(before);
}

export async function dropRequestLog(
  {
    store,
    nowMs,
  }: {
    readonly store: Pick<RequestLogStore, 'listLoggingAccounts' | 'dropRequestLog'>;
    readonly nowMs: () => number;
  },
  signal: AbortSignal,
): Promise<void> {
  const beforeMs = nowMs() - LIMITS.request_log_days * MINUTES_OF_DAY * MINUTE_MS;
  const accounts = await store.listLoggingAccounts(beforeMs, Math.floor(nowMs() / MINUTE_MS) - BUSY_MINUTES);
  for (const accountId of accounts) {
    for (let isMore = true; isMore && !signal.aborted; ) isMore = await store.dropRequestLog(accountId, beforeMs);
  }
}
