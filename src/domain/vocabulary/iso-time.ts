/**
 * Formats times as ISO 8601, UTC, with milliseconds, and defines the lengths of time in milliseconds.
 *
 * `Date.prototype.toISOString` uses the C library and takes 3 us, a thirtieth of a whole read. Most stored times fall
 * on a few days, so the date is formatted once per day and the time of day is assembled from prepared digits.
 */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const TWO_DIGITS: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

let lastDay = Number.NaN;
let lastDate = '';

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads a time in ISO 8601 with its offset from UTC; undefined for other text, and for days that do not exist. */
export function readIsoTime(text: string): number | undefined {
  const [, day] = DATE_TIME.exec(text) ?? [];
  const ms = Date.parse(text);
  // Date.parse accepts 30 February, as 2 March.
  const exists = day !== undefined && !Number.isNaN(ms) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  return exists ? ms : undefined;
}

export function isoTime(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay) {
    lastDate = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const ofDay = ms - day * DAY_MS;
  const seconds = Math.floor(ofDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const hour = TWO_DIGITS[Math.floor(minutes / 60)];
  return `${lastDate}${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[ofDay % 1000]}Z`;
}
