/** Does work in parts: in slices of a list, and one piece after the other. */

/** Splits a list into slices of at most `items_max` items. */
export function* slicesOf<T>(list: readonly T[], items_max: number): Generator<readonly T[], undefined> {
  for (let start = 0; start < list.length; start += items_max) yield list.slice(start, start + items_max);
}

/** Returns a function that starts each piece of work when the one before it has ended. */
export function oneAfterTheOther() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => T | Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}
