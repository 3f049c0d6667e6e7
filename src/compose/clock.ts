/** The two clocks of a process; tests replace them. */

export interface Clock {
  /** Wall clock. */
  readonly nowMs: () => number;
  /** Never runs backwards. */
  readonly monotonicMs: () => number;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
