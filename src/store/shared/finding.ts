/** What a look at a store finds, and what it says of copies, imports and removals that have not ended. */
import { unfinishedCopyText } from '../port/copy.ts';
import type { Merchant } from '../port/settings.ts';

export interface Finding {
  /** What was looked at. */
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, where something is wrong, what to do. */
  readonly text: string;
}

/** `source`: of a copy into this store that is not finished. */
export function copyFinding(source: string | undefined): Finding {
  const check = 'copy';
  return source === undefined
    ? { check, state: 'ok', text: 'None into this store is unfinished.' }
    : { check, state: 'fail', text: unfinishedCopyText(source) };
}

export function movesFinding(merchants: readonly Pick<Merchant, 'merchantId' | 'unfinished'>[]): Finding {
  const check = 'moves';
  const texts = merchants.flatMap(({ merchantId, unfinished }) =>
    unfinished === null ? [] : [`${unfinished} of ${merchantId}`],
  );
  if (texts.length === 0) return { check, state: 'ok', text: 'No import and no removal is unfinished.' };
  const advice = 'unless it is under way, run "offerbook import" again, or "offerbook merchant remove"';
  return { check, state: 'warn', text: `Unfinished: ${texts.join(', ')}; ${advice}.` };
}
