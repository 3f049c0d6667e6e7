/**
 * Tells a store how long its caller has waited. A request may have waited for other calls, and gets an error at its deadline.
 * A write that began after that response could overwrite newer writes of the client.
 *
 * The time is kept in AsyncLocalStorage; otherwise every function between a request and the store would have to pass it on.
 * Only the start of a write reads it, while the request's own code runs.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const since = new AsyncLocalStorage<number>();

/** Runs `work` for a caller that has waited since `startMs`, a time of `performance.now()`. */
export function askedSince<T>(startMs: number, work: () => T): T {
  return since.run(startMs, work);
}

/** Returns since when the caller has waited; the current time outside of `askedSince`. */
export function askedSinceMs(): number {
  return since.getStore() ?? performance.now();
}
