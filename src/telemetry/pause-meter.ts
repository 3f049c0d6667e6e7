/**
 * Measures how long the request thread was blocked, by how late a timer fires, and which call took longest before that.
 *
 * Per call it costs two clock reads and a comparison. Pauses without a call are garbage collection, background work, or responses
 * that are assembled after the database has replied.
 */

export const PAUSE_TICK_MS = 20;

/** Pauses from this length on are reported as events. */
export const PAUSE_REPORTED_MS = 100;

export interface Pause {
  readonly pause_ms: number;
  /** The call that took more than half of the pause, if any. */
  readonly requestId: string | undefined;
  readonly route: string | undefined;
}

export class PauseMeter {
  #tickedMs: number | undefined;
  #longest_ms = 0;
  /** Longest call since the last tick. */
  #call_ms = 0;
  #requestId = '';
  #route = '';

  /** Records a call that blocked the thread for `call_ms`. */
  held(call_ms: number, requestId: string, route: string): void {
    if (call_ms <= this.#call_ms) return;
    this.#call_ms = call_ms;
    this.#requestId = requestId;
    this.#route = route;
  }

  /**
   * Call it every PAUSE_TICK_MS, or as soon afterwards as the thread is free. Returns a pause that is long enough to
   * report.
   */
  tick(nowMs: number): Pause | undefined {
    const pause_ms = this.#tickedMs === undefined ? 0 : nowMs - this.#tickedMs - PAUSE_TICK_MS;
    const isByCall = this.#call_ms > pause_ms / 2;
    this.#tickedMs = nowMs;
    this.#call_ms = 0;
    this.#longest_ms = Math.max(this.#longest_ms, pause_ms);
    if (pause_ms < PAUSE_REPORTED_MS) return undefined;
    return {
      pause_ms: Math.round(pause_ms),
      requestId: isByCall ? this.#requestId : undefined,
      route: isByCall ? this.#route : undefined,
    };
  }

  /** Returns and resets the longest pause. */
  takeLongest_ms(): number {
    const longest_ms = this.#longest_ms;
    this.#longest_ms = 0;
    return longest_ms;
  }
}
