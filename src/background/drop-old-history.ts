/** In charge of retention: what was changed in offers longer ago than it is to be kept goes, in slices of milliseconds. */
import type { HistoryStore } from '../store/port/history.ts';

export interface HistoryRetention {
  readonly store: Pick<HistoryStore, 'dropHistory'>;
  /** 0: nothing is recorded any more, and what was goes. */
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
