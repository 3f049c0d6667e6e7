/** In charge of deadlines, which may have passed while the work before was done. All by `performance.now()`. */
import { StoreUnavailableError } from '../../port/errors.ts';

/** For a timer. Never negative: timers warn of that, and run all the same. */
export function timeLeftMs(deadlineMs: number): number {
  return Math.max(0, deadlineMs - performance.now());
}

/** What is late must not begin: it would take a connection, and those who share that along when it is given up. */
export function requireTimeLeft(deadlineMs: number): void {
  if (performance.now() >= deadlineMs) throw new StoreUnavailableError('What came before this took all of its time.');
}
