/** Describes what a health check of a store finds, and checks for unfinished copies, imports and removals. */
import { unfinishedCopyText } from '../port/copy.ts';
import type { Merchant } from '../port/settings.ts';

export interface Finding {
  /** What was checked. */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, if something is wrong, what to do. */
  readonly text: string;
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text };
}

export function warn(check: string, text: string): Finding {
  return { check, state: 'warn', text };
}

export function fail(check: string, text: string): Finding {
  return { check, state: 'fail', text };
}

/** `source`: of an unfinished copy into this database. */
export function copyFinding(source: string | undefined): Finding {
  return source === undefined
    ? ok('copy', 'None into this store is unfinished.')
    : fail('copy', unfinishedCopyText(source));
}

export function movesFinding(merchants: readonly Pick<Merchant, 'merchantId' | 'unfinished'>[]): Finding {
  const texts = merchants.flatMap(({ merchantId, unfinished }) =>
    unfinished === null ? [] : [`${unfinished} of ${merchantId}`],
  );
  if (texts.length === 0) return ok('moves', 'No import and no removal is unfinished.');
  const advice = 'unless it is under way, run "offerbook import" again, or "offerbook merchant remove"';
  return warn('moves', `Unfinished: ${texts.join(', ')}; ${advice}.`);
}
