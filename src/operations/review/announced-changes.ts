/** Use cases: an operator lists announced rule changes, postpones one or brings it forward, cancels one, and announces it again. */
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { DAY_MS, HOUR_MS, readIsoTime } from '../../domain/vocabulary/iso-time.ts';
import type { AnnouncedChange, PolicyStore } from '../../store/port/settings.ts';

export interface AnnouncedChanges {
  readonly store: {
    readonly policies: Pick<
      PolicyStore,
      'listAnnouncedChanges' | 'moveAnnouncedChange' | 'cancelAnnouncedChange' | 'announceAgain'
    >;
  };
  readonly nowMs: () => number;
}

/** How many changes are listed, including those that were applied or cancelled. */
const LISTED_MAX = 200;

/** Returns what is wrong with the date of a change, or the date. */
export function readEnforcedFrom(text: string, nowMs: number): number | string {
  const { announced_hours_min, announced_days_max } = LIMITS;
  const date = readIsoTime(text);
  if (date === undefined) return 'must be a date and time with its offset from UTC, such as 2030-03-01T00:00:00Z';
  if (date < nowMs + announced_hours_min * HOUR_MS) return `must be at least ${announced_hours_min} hour ahead`;
  return date > nowMs + announced_days_max * DAY_MS ? `must be at most ${announced_days_max} days ahead` : date;
}

export async function listAnnouncedChanges({ store }: AnnouncedChanges): Promise<Outcome<readonly AnnouncedChange[]>> {
  return accept(await store.policies.listAnnouncedChanges(LISTED_MAX));
}

export async function moveAnnouncedChange(context: AnnouncedChanges, announcedId: number, enforcedFromMs: number) {
  const moved = await context.store.policies.moveAnnouncedChange(announcedId, enforcedFromMs, context.nowMs());
  return changed(context, announcedId, moved);
}

export async function cancelAnnouncedChange(context: AnnouncedChanges, announcedId: number, by: string) {
  const cancelled = await context.store.policies.cancelAnnouncedChange(announcedId, context.nowMs(), by);
  return changed(context, announcedId, cancelled);
}

/** Announces a cancelled change again, with its date. */
export async function announceAgain(context: AnnouncedChanges, announcedId: number): Promise<Outcome<AnnouncedChange>> {
  const outcome = await context.store.policies.announceAgain(announcedId, context.nowMs());
  if (outcome === 'full') return refuseRequest('announced_changes_full');
  if (outcome !== 'late') return changed(context, announcedId, outcome);
  const text = `The date of this change is less than ${LIMITS.announced_hours_min} hour ahead. Announce the change with another date.`;
  return refuseRequest('change_settled', text);
}

async function changed(
  { store }: AnnouncedChanges,
  announcedId: number,
  outcome: Awaited<ReturnType<PolicyStore['cancelAnnouncedChange']>>,
): Promise<Outcome<AnnouncedChange>> {
  if (outcome === 'settled') return refuseRequest('change_settled');
  const listed = await store.policies.listAnnouncedChanges(LISTED_MAX);
  const found = listed.find((one) => one.announcedId === announcedId);
  return found === undefined ? refuseRequest('change_unknown', 'No announced change with this id.') : accept(found);
}
