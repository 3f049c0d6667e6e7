/**
 * In charge of leaving room for others in long work: it is done in slices of a few milliseconds, and beside a server
 * each slice is followed by a rest twice as long, in which the server gets the write lock.
 *
 * A lock of SQLite is not handed over: who waits looks again every few milliseconds, and without rests would look in
 * vain.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Waiting requests notice a pause of this length at most. */
export const SLICE_MS_MAX = 4;

const REST_MS_MIN = 5;

/** Some 4 ms of writing. */
const ROWS_WHILE_SERVED = 400;
/** Where nobody waits, larger slices spare flushes of the disk; memory is the bound. */
const ROWS_ALONE = 10_000;

export interface Pace {
  /** Rows, counted roughly, that may be written in one slice. */
  readonly slice_rows_max: number;
  /** Does one slice, then rests. */
  slice<T>(work: () => Promise<T>): Promise<T>;
}

export function createPace(isServed: boolean): Pace {
  return {
    slice_rows_max: isServed ? ROWS_WHILE_SERVED : ROWS_ALONE,
    async slice(work) {
      const startMs = performance.now();
      const result = await work();
      if (isServed) await setTimeout(Math.max(REST_MS_MIN, 2 * (performance.now() - startMs)));
      else await setImmediate();
      return result;
    },
  };
}
