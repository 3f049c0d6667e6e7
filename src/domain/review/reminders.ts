/** Says when merchants are reminded of an announced change, and when the offers that would fail are counted. */
import { DAY_MS, HOUR_MS } from '../vocabulary/iso-time.ts';

/** Days before the date. */
const REMINDER_DAYS = Object.freeze([30, 7, 1]);
const NONE_YET = 31;

/** Returns the days of the last reminder whose time has come; a higher number if none has. Earlier reminders that were missed are left out. */
export function reminderDays(enforcedFromMs: number, nowMs: number): number {
  return REMINDER_DAYS.findLast((days) => nowMs >= enforcedFromMs - days * DAY_MS) ?? NONE_YET;
}

/** Offers that would fail under an announced change, at a time. */
export type FailingCount = readonly [atMs: number, offers: number];

/** Counts are kept for a quarter of a year. */
const COUNTS_MAX = 92;

/** Whether the offers that would fail are due to be counted: an hour after the announcement, when most are reviewed, then once a day. */
export function isCountDue(
  { atMs, failing }: { atMs: number; failing: readonly FailingCount[] },
  nowMs: number,
): boolean {
  const [last] = failing.at(-1) ?? [];
  return last === undefined ? nowMs >= atMs + HOUR_MS : Math.floor(nowMs / DAY_MS) > Math.floor(last / DAY_MS);
}

export function withCount(failing: readonly FailingCount[], count: FailingCount): readonly FailingCount[] {
  return [...failing, count].slice(-COUNTS_MAX);
}
