/** Deletes offer history that is past its retention, in slices of a few milliseconds. */
import type { HistoryStore } from '../store/port/history.ts';

export interface HistoryRetention {
  readonly store: Pick<HistoryStore, 'dropHistory'>;
  /** 0: history is turned off, and existing entries are deleted. */
  readonly historyDays: number;
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;

export async function dropOldHistory(
  { store, historyDays, nowMs }: HistoryRetention,
  signal: AbortSignal,
): Promise<void> {
  const beforeMs = nowMs() - historyDays * DAY_MS;
  while (!signal.aborted && (await store.dropHistory(beforeMs)) === 'more');
}
