/**
 * A value, or a promise of one.
 *
 * SQLite reads by key synchronously; PostgreSQL does not. A promise for a value that is already there costs extra ticks
 * of the event loop, so the hottest reads pass plain values through.
 */
export type Awaitable<T> = T | Promise<T>;

/** Applies `next` immediately to a plain value, or when the promise resolves. */
export function whenThere<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
