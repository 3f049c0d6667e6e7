/**
 * In charge of how the evidence of a check is shown: inside, times are milliseconds whose names say so; in answers they are
 * ISO texts, as all times of the API.
 */
import type { Shown } from '../../domain/review/check.ts';
import { isoTime } from './iso-time.ts';

const TIME = /_at_ms$/;

/** `checked_at_ms: 0` becomes `checked_at: "1970-01-01T00:00:00.000Z"`, at any depth; a time that is not there stays null. */
export function shownEvidence(evidence: Shown): Shown {
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) =>
      TIME.test(name) && (typeof value === 'number' || value === null)
        ? [name.slice(0, -'_ms'.length), value === null ? null : isoTime(value)]
        : [name, shownValue(value)],
    ),
  );
}

function shownValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownValue);
  return isPlainObject(value) ? shownEvidence(value) : value;
}

/** Raw JSON, as which large numbers are given, is no such object. */
function isPlainObject(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
