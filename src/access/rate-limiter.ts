/**
 * In charge of counting requests: at most so many in any window of 60 seconds, exactly, for one process.
 *
 * A ring of the times of the requests that still count. It costs 8 bytes a request and well under a microsecond;
 * counting by fixed minutes would let twice the limit through around a minute's end.
 */

export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  /** How many more requests would be let through now. */
  readonly remaining: number;
  /** When the oldest request that counts stops counting. */
  readonly resetSeconds: number;
}

/** Keyed by account or by whatever else is limited. Times come from a monotonic clock. */
export interface RateLimiter<Key> {
  /** Counts one request, unless it is refused. */
  take(key: Key, nowMs: number): RateDecision;
  /** What `take` would see, without counting. */
  peek(key: Key, nowMs: number): RateDecision;
  /** Forgets keys whose requests no longer count. */
  sweep(nowMs: number): void;
}

interface Window {
  times: Float64Array;
  oldest: number;
  count: number;
}

const WINDOW_INITIAL_SIZE = 32;

export class SlidingWindowLimiter<Key> implements RateLimiter<Key> {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #keysMax: number;
  readonly #windows = new Map<Key, Window>();

  constructor(options: { limit: number; windowSeconds: number; keysMax: number }) {
    this.#limit = options.limit;
    this.#windowMs = options.windowSeconds * 1000;
    this.#keysMax = options.keysMax;
  }

  take(key: Key, nowMs: number): RateDecision {
    const window = this.#windowOf(key);
    this.#forgetOld(window, nowMs);
    if (window.count >= this.#limit) return this.#decide(window, nowMs, false);
    if (window.count === window.times.length) enlarge(window, this.#limit);
    window.times[(window.oldest + window.count) % window.times.length] = nowMs;
    window.count++;
    return this.#decide(window, nowMs, true);
  }

  peek(key: Key, nowMs: number): RateDecision {
    const window = this.#windows.get(key) ?? { times: new Float64Array(0), oldest: 0, count: 0 };
    this.#forgetOld(window, nowMs);
    return this.#decide(window, nowMs, window.count < this.#limit);
  }

  sweep(nowMs: number): void {
    for (const [key, window] of this.#windows) {
      this.#forgetOld(window, nowMs);
      if (window.count === 0) this.#windows.delete(key);
    }
  }

  #windowOf(key: Key): Window {
    let window = this.#windows.get(key);
    if (window === undefined) {
      // The key that came first goes: keys are accounts, which are few, or strangers' addresses, which are many.
      if (this.#windows.size >= this.#keysMax) {
        for (const first of this.#windows.keys()) {
          this.#windows.delete(first);
          break;
        }
      }
      window = { times: new Float64Array(Math.min(WINDOW_INITIAL_SIZE, this.#limit)), oldest: 0, count: 0 };
      this.#windows.set(key, window);
    }
    return window;
  }

  #forgetOld(window: Window, nowMs: number): void {
    const horizonMs = nowMs - this.#windowMs;
    while (window.count > 0 && (window.times[window.oldest] ?? 0) <= horizonMs) {
      window.oldest = (window.oldest + 1) % window.times.length;
      window.count--;
    }
  }

  #decide(window: Window, nowMs: number, allowed: boolean): RateDecision {
    const oldestMs = window.count === 0 ? nowMs - this.#windowMs : (window.times[window.oldest] ?? nowMs);
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.count,
      resetSeconds: Math.ceil((oldestMs + this.#windowMs - nowMs) / 1000),
    };
  }
}

function enlarge(window: Window, limit: number): void {
  const times = new Float64Array(Math.min(window.times.length * 2, limit));
  const tail = window.times.subarray(window.oldest);
  times.set(tail);
  times.set(window.times.subarray(0, window.oldest), tail.length);
  window.times = times;
  window.oldest = 0;
}
