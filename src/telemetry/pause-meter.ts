/**
 * Measures pauses of the request thread: how late a timer fires, and which call held the thread longest before that.
 *
 * A call costs two looks at the clock and a comparison. Pauses without a call are garbage collection, background work, or
 * answers that are put together after the store has replied.
 */

export const PAUSE_TICK_MS = 20;

/** Longer pauses are events. */
export const PAUSE_REPORTED_MS = 100;

export interface Pause {
  readonly pause_ms: number;
  /** Of the call that took most of it, where there is one. */
  readonly requestId: string | undefined;
  readonly route: string | undefined;
}

export class PauseMeter {
  #tickedMs: number | undefined;
  #longest_ms = 0;
  /** Since the last tick. */
  #held_ms = 0;
  #requestId = '';
  #route = '';

  /** A call has held the thread for so long, without a break. */
  held(held_ms: number, requestId: string, route: string): void {
    if (held_ms <= this.#held_ms) return;
    this.#held_ms = held_ms;
    this.#requestId = requestId;
    this.#route = route;
  }

  /** Called every PAUSE_TICK_MS, or as soon after as the thread is free; gives the pause that is to be reported. */
  tick(nowMs: number): Pause | undefined {
    const pause_ms = this.#tickedMs === undefined ? 0 : nowMs - this.#tickedMs - PAUSE_TICK_MS;
    const isOfCall = this.#held_ms > pause_ms / 2;
    this.#tickedMs = nowMs;
    this.#held_ms = 0;
    this.#longest_ms = Math.max(this.#longest_ms, pause_ms);
    if (pause_ms < PAUSE_REPORTED_MS) return undefined;
    return {
      pause_ms: Math.round(pause_ms),
      requestId: isOfCall ? this.#requestId : undefined,
      route: isOfCall ? this.#route : undefined,
    };
  }

  /** The longest pause since this was last asked. */
  takeLongest_ms(): number {
    const longest_ms = this.#longest_ms;
    this.#longest_ms = 0;
    return longest_ms;
  }
}
