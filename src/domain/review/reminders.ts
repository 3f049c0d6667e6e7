/** Says when merchants are reminded of an announced change. */
import { DAY_MS } from '../vocabulary/iso-time.ts';

/** Days before the date. */
const REMINDER_DAYS = Object.freeze([30, 7, 1]);
const NONE_YET = 31;

/** Returns the days of the last reminder whose time has come; a higher number if none has. Earlier reminders that were missed are left out. */
export function reminderDays(enforcedFromMs: number, nowMs: number): number {
  return REMINDER_DAYS.findLast((days) => nowMs >= enforcedFromMs - days * DAY_MS) ?? NONE_YET;
}
