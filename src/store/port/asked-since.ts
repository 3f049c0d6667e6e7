/**
 * In charge of telling a store since when its caller has waited: a request may have waited for other calls before this one,
 * and is answered when its own time is over. A write that began behind that answer would be stored behind newer ones that
 * the client has sent since, and that are acknowledged.
 *
 * It travels beside the calls and not through them, since everything between a request and the store would have to pass it
 * on. Only the beginning of a write asks for it, while the request's own code runs.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const since = new AsyncLocalStorage<number>();

/** `startMs` by `performance.now()`. */
export function askedSince<T>(startMs: number, work: () => T): T {
  return since.run(startMs, work);
}

/** Now, where nobody said otherwise. */
export function askedSinceMs(): number {
  return since.getStore() ?? performance.now();
}
