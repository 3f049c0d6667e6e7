/** In charge of what the portal leaves behind: sessions that have ended, and acts of operators that are too old. */

import { LIMITS } from '../domain/limits.ts';
import type { PeopleStore } from '../store/port/people.ts';

const DAY_MS = 86_400_000;

export async function dropEndedSessions(desk: {
  readonly store: Pick<PeopleStore, 'dropEndedSessions' | 'dropActsBefore'>;
  readonly nowMs: () => number;
}): Promise<void> {
  const nowMs = desk.nowMs();
  await desk.store.dropEndedSessions(nowMs);
  await desk.store.dropActsBefore(nowMs - LIMITS.act_retention_days * DAY_MS);
}
