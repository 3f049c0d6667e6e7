/** In charge of how long lists travel to the writer thread: slice by slice, so that single calls come in between. */
import { SLICE_OFFERS_MAX } from '../review/review-writes.ts';

export function* slicesOf<T>(list: readonly T[], items_max = SLICE_OFFERS_MAX): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += items_max) yield list.slice(start, start + items_max);
}

/** By which a call is measured. */
export function lengthOfAll(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}
