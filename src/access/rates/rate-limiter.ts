/** Limits requests in one process: refuses a request if its sender has reached the limit within the last `window_seconds`. */
import type { Awaitable } from '../../domain/awaitable.ts';
import { makeRoom } from '../make-room.ts';
import { RequestWindow } from './request-window.ts';

export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  /** How many more requests would be accepted now. */
  readonly remaining: number;
  /** Time until the oldest counted request expires. */
  readonly reset_seconds: number;
  /** Whether the limit is the one for dry runs. */
  readonly isDryRun?: boolean;
}

/** Keyed by account or another subject. Times come from a monotonic clock. */
export interface RateLimiter<Key> {
  /** Counts one request, unless it is refused. */
  take(key: Key, nowMs: number): Awaitable<RateDecision>;
  /** Returns what `take` would return, without counting a request. */
  peek(key: Key, nowMs: number): RateDecision;
  /** Drops keys without counted requests. */
  sweep(nowMs: number): void;
}

export class SlidingWindowLimiter<Key> implements RateLimiter<Key> {
  readonly #limit: number;
  readonly #window_ms: number;
  readonly #keysMax: number;
  readonly #windows = new Map<Key, RequestWindow>();

  constructor(options: { limit: number; window_seconds: number; keysMax: number }) {
    this.#limit = options.limit;
    this.#window_ms = options.window_seconds * 1000;
    this.#keysMax = options.keysMax;
  }

  take(key: Key, nowMs: number): RateDecision {
    const window = this.#windowOf(key);
    window.forgetUntil(nowMs - this.#window_ms);
    if (window.count >= this.#limit) return this.#decide(window, nowMs, false);
    window.add(nowMs);
    return this.#decide(window, nowMs, true);
  }

  peek(key: Key, nowMs: number): RateDecision {
    const window = this.#windows.get(key) ?? new RequestWindow(0);
    window.forgetUntil(nowMs - this.#window_ms);
    return this.#decide(window, nowMs, window.count < this.#limit);
  }

  /** Uncounts one request: removes the newest time, even if it belongs to a later request than the caller's. */
  giveBack(key: Key): void {
    const window = this.#windows.get(key);
    window?.forgetNewest();
    // An empty window is deleted, so that it cannot cause the eviction of another key.
    if (window?.count === 0) this.#windows.delete(key);
  }

  sweep(nowMs: number): void {
    for (const [key, window] of this.#windows) {
      window.forgetUntil(nowMs - this.#window_ms);
      if (window.count === 0) this.#windows.delete(key);
    }
  }

  #windowOf(key: Key): RequestWindow {
    let window = this.#windows.get(key);
    if (window === undefined) {
      // Evicts the oldest key. Keys are accounts, which are few, or addresses of strangers, which are many.
      makeRoom(this.#windows, this.#keysMax);
      window = new RequestWindow(this.#limit);
      this.#windows.set(key, window);
    }
    return window;
  }

  #decide(window: RequestWindow, nowMs: number, allowed: boolean): RateDecision {
    const oldestMs = window.oldestMs ?? nowMs - this.#window_ms;
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - window.count,
      // The difference comes first: added to a fraction of a millisecond, the window could end a second later by rounding.
      reset_seconds: Math.ceil((this.#window_ms - (nowMs - oldestMs)) / 1000),
    };
  }
}
