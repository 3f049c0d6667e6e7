/** Splits a list into slices of at most `items_max` items. */
export function* slicesOf<T>(list: readonly T[], items_max: number): Generator<readonly T[], undefined> {
  for (let start = 0; start < list.length; start += items_max) yield list.slice(start, start + items_max);
}
