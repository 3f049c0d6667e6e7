/** Defines the two clocks of a process, which tests replace. */

export interface Clock {
  /** The wall clock. */
  readonly nowMs: () => number;
  /** A clock that never runs backwards. */
  readonly monotonicMs: () => number;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
