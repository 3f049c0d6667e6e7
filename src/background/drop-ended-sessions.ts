/** Deletes ended portal sessions, and activity log entries that are past their retention. */
import { LIMITS } from '../domain/limits.ts';
import type { PeopleStore } from '../store/port/people.ts';

const DAY_MS = 86_400_000;

export async function dropEndedSessions(context: {
  readonly store: Pick<PeopleStore, 'dropEndedSessions' | 'dropActsBefore'>;
  readonly nowMs: () => number;
}): Promise<void> {
  const nowMs = context.nowMs();
  await context.store.dropEndedSessions(nowMs);
  await context.store.dropActsBefore(nowMs - LIMITS.act_retention_days * DAY_MS);
}
