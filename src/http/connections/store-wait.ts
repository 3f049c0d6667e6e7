/**
 * In charge of the time that one request waits for a store on another machine, over all that it asks of it: to count the
 * request, to know the token, to do the work. Each of these has a limit of its own; one after the other they would add up
 * to more than the 2 seconds within which an answer is promised. The time in which a client sends its body is its own.
 *
 * What the embedded store is asked is not limited here: it has no timer, and nothing but the disk to wait for.
 */
import { StoreUnavailableError } from '../../store/port/errors.ts';

/** Of one request, so far. */
export interface StoreWait {
  waited_ms: number;
}

/**
 * Calls one of the two, once: `next` with what is awaited, or `fail`. What comes after the time is over is dropped, a
 * failure too: those of the store are told by then, and `late` takes them for whoever looks for others.
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
