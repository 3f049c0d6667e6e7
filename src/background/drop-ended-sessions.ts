/** Deletes ended portal sessions, and entries of the activity log and rule changes that are past their retention. */
import { LIMITS } from '../domain/limits.ts';
import type { PeopleStore } from '../store/port/people.ts';
import type { PolicyStore } from '../store/port/settings.ts';

const DAY_MS = 86_400_000;

export async function dropEndedSessions(context: {
  readonly store: {
    readonly people: Pick<PeopleStore, 'dropEndedSessions' | 'dropActsBefore'>;
    readonly policies: Pick<PolicyStore, 'dropRuleChangesBefore'>;
  };
  readonly nowMs: () => number;
}): Promise<void> {
  const nowMs = context.nowMs();
  const { people, policies } = context.store;
  await people.dropEndedSessions(nowMs);
  await people.dropActsBefore(nowMs - LIMITS.act_retention_days * DAY_MS);
  await policies.dropRuleChangesBefore(nowMs - LIMITS.rule_change_undo_days * DAY_MS);
}
