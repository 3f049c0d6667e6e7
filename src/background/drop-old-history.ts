/** Deletes offer history that is past its retention, in slices of a few milliseconds. */
import type { HistoryStore } from '../store/port/history.ts';

export interface HistoryRetention {
  readonly store: Pick<HistoryStore, 'dropHistory'>;
  /** 0 means that history is turned off, and existing entries are deleted. */
  readonly history_days: number;
  readonly nowMs: () => number;
}

const DAY_MS = 86_400_000;

export async function dropOldHistory(
  { store, history_days, nowMs }: HistoryRetention,
  signal: AbortSignal,
): Promise<void> {
  const beforeMs = nowMs() - history_days * DAY_MS;
  while (!signal.aborted && (await store.dropHistory(beforeMs)) === 'more');
}
