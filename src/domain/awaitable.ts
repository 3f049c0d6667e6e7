/**
 * A value that is there at once or later.
 *
 * The embedded store reads by key on the spot; PostgreSQL answers later. A promise for what is already there costs the
 * request thread turns of its own, so that the hottest reads pass values through as they come.
 */
export type Awaitable<T> = T | Promise<T>;

/** Applies `next` at once where the value is there, else when it is. */
export function whenThere<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
