/** In charge of what a look at a store says of copies, imports and removals that were begun and have not ended. */

import { unfinishedCopyText } from '../port/copy.ts';
import type { Merchant } from '../port/settings.ts';
import type { Finding } from './finding.ts';

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
