/** Deletes request counts that the portal no longer shows. */
import { LIMITS } from '../domain/limits.ts';
import type { RequestCountStore } from '../store/port/traffic.ts';

const MINUTES_OF_DAY = 1440;
const MINUTE_MS = 60_000;

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
