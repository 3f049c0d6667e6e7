/** Does work in parts: in slices of a list, in repeated calls, and one piece after the other. */

/** Splits a list into slices of at most `items_max` items. */
export function* slicesOf<T>(list: readonly T[], items_max: number): Generator<readonly T[], undefined> {
  for (let start = 0; start < list.length; start += items_max) yield list.slice(start, start + items_max);
}

/** Returns a method that makes a call, each time in a transaction of its own, until the result is not `again`. */
export function repeatedCalls<Args extends readonly unknown[], T>(
  call: (...args: Args) => Promise<T | 'again'>,
  calls_max: number,
  otherwise: T,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    for (let calls = 0; calls < calls_max; calls++) {
      const result = await call(...args);
      if (result !== 'again') return result;
    }
    return otherwise;
  };
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
