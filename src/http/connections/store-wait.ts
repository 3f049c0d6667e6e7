/**
 * Bounds the total time that one request waits for a remote store: to count the request, to verify the token, to do the
 * work. Each step has its own limit, but together they could exceed the promised 2 seconds per response. The time in
 * which a client sends its body does not count.
 *
 * The embedded store needs no such limit: it waits only for the disk.
 */
import { StoreUnavailableError } from '../../store/port/errors.ts';

/** The time that one request has waited so far. */
export interface StoreWait {
  waited_ms: number;
}

/**
 * Rejects at the deadline; a result after it is dropped. A failure after it goes to `onLate`, which reports only bugs, because the store
 * reports its own failures.
 */
export function waitForStore<T>(
  wait: StoreWait,
  limit_ms: number,
  pending: Promise<T>,
  onLate: (error: unknown) => void,
): Promise<T> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = setTimeout(
      () => {
        isOver = true;
        reject(new StoreUnavailableError('The store took too long for one request.'));
      },
      Math.max(0, limit_ms - wait.waited_ms),
    );
    pending.then(
      (value) => {
        clearTimeout(end);
        wait.waited_ms += performance.now() - startedMs;
        resolve(value);
      },
      (error) => {
        clearTimeout(end);
        if (isOver) onLate(error);
        else reject(error);
      },
    );
  });
}
