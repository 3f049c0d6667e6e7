/** The two clocks that a process goes by; tests move them. */

export interface Clock {
  /** Time of day. */
  readonly nowMs: () => number;
  /** Never runs backwards. */
  readonly monotonicMs: () => number;
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
