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
 * Calls either `next` with the result or `fail`, once. A result after the deadline is dropped. A failure after the deadline goes to `late`,
 * which reports only bugs, because the store reports its own failures.
 */
export function waitForStore<T>(
  wait: StoreWait,
  limit_ms: number,
  pending: Promise<T>,
  on: { next(value: T): void; fail(error: unknown): void; late(error: unknown): void },
): void {
  const startedMs = performance.now();
  let isOver = false;
  const end = setTimeout(
    () => {
      isOver = true;
      on.fail(new StoreUnavailableError('The store took too long for one request.'));
    },
    Math.max(0, limit_ms - wait.waited_ms),
  );
  pending
    .then((value) => {
      if (isOver) return;
      clearTimeout(end);
      wait.waited_ms += performance.now() - startedMs;
      on.next(value);
    })
    .catch((error) => {
      clearTimeout(end);
      if (isOver) on.late(error);
      else on.fail(error);
    });
}
