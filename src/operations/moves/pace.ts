/**
 * Defines the context of operations on whole merchants, and paces long work so that a running server stays responsive: each slice of a few milliseconds is followed by a pause
 * twice as long, in which the server gets the write lock.
 *
 * SQLite does not queue for its lock: a waiting process polls every few milliseconds, and without pauses it would never
 * find the lock free.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { MoveStore } from '../../store/port/moves.ts';
import type { SetupStore } from '../../store/port.ts';

/** A slice blocks waiting requests for at most this time. */
export const SLICE_MS_MAX = 4;

const REST_MS_MIN = 5;

/** How many rows a slice has while a server runs. Writing them takes about 4 ms. */
const ROWS_WHILE_SERVED = 400;
/** Without a running server, larger slices save disk flushes; memory is the limit. */
const ROWS_ALONE = 10_000;

export interface Pace {
  /** Approximate number of rows per slice. */
  readonly slice_rows_max: number;
  /** Runs one slice, then pauses. */
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

export interface MoveContext {
  readonly moves: MoveStore;
  readonly setup: SetupStore;
  readonly pace: Pace;
}
