/** Formats the evidence of a check for responses: times in milliseconds, whose names end in `_at_ms`, become ISO 8601 texts. */
import type { Shown } from '../../domain/review/check.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';

const TIME = /_at_ms$/;

/** `checked_at_ms: 0` becomes `checked_at: "1970-01-01T00:00:00.000Z"`, at any depth; null stays null. */
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

/** Raw JSON, which holds large numbers, is not a plain object. */
function isPlainObject(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
