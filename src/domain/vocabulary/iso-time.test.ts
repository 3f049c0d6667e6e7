/** Tests that times are formatted exactly as by Date.toISOString. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isoTime } from './iso-time.ts';

describe('isoTime', () => {
  test('writes what toISOString writes, around the ends of days, years and leap days', () => {
    const noon = Date.UTC(2026, 0, 31, 12, 34, 56, 789);
    const ends = [0, 1, noon, Date.UTC(2026, 11, 31, 23, 59, 59, 999), Date.UTC(2028, 1, 29), Date.UTC(9999, 11, 31)];
    for (const end of ends) {
      for (const ms of [end - 1, end, end + 1, end + 999, end + 60_000, end + 86_399_999, end + 86_400_000]) {
        assert.equal(isoTime(ms), new Date(ms).toISOString());
      }
    }
  });

  test('refuses numbers that are not a time', () => {
    assert.throws(() => isoTime(Number.NaN), RangeError);
    assert.throws(() => isoTime(9e15), RangeError);
  });
});
