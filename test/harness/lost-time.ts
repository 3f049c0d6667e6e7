/**
 * Measures the time that this process lost, by how late a timer fires. Short time limits mean nothing while a process stands still, and a
 * machine with other work may stop any process for seconds.
 */
import { it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

const TICK_MS = 20;
/** Shorter delays are usual, and the limits allow for them. */
const LATE_MS_MIN = 200;
/** A health check needs neither the database nor a queue, so a server that takes longer for one stands still. */
const CHECK_MS_MAX = 250;
const CHECK_PAUSE_MS = 100;
const TRIES_MAX = 5;

/** Measures until it is disposed. With the URL of a server, the time in which it did not respond to health checks counts as well. */
export class LostTime implements Disposable {
  #lost_ms = 0;
  #tickedMs = performance.now();
  #checkedMs: number | undefined;
  #isDisposed = false;
  readonly #timer = setInterval(() => this.#tick(), TICK_MS).unref();

  constructor(url?: string) {
    if (url !== undefined) void this.#check(url);
  }

  /** Lost time so far. */
  get ms(): number {
    this.#tick();
    return this.#lost_ms + this.#late_ms();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearInterval(this.#timer);
  }

  #tick(): void {
    const nowMs = performance.now();
    const late_ms = nowMs - this.#tickedMs - TICK_MS;
    if (late_ms >= LATE_MS_MIN) this.#lost_ms += late_ms;
    this.#tickedMs = nowMs;
  }

  async #check(url: string): Promise<void> {
    while (!this.#isDisposed) {
      this.#checkedMs = performance.now();
      // A server that is gone fails the test elsewhere.
      await fetch(`${url}/healthz`).then(
        (response) => response.arrayBuffer(),
        () => {},
      );
      this.#lost_ms += this.#late_ms();
      this.#checkedMs = undefined;
      await pause(CHECK_PAUSE_MS, undefined, { ref: false });
    }
  }

  /** How late the response to the health check in flight is. */
  #late_ms(): number {
    return this.#checkedMs === undefined ? 0 : Math.max(0, performance.now() - this.#checkedMs - CHECK_MS_MAX);
  }
}

/** Runs a failed case again if this process lost time meanwhile. A case that fails each time fails. */
export function unlessTimeIsLost<Args extends readonly unknown[]>(
  run: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    for (let tries = 1; ; tries++) {
      using lost = new LostTime();
      try {
        return await run(...args);
      } catch (error) {
        if (lost.ms === 0 || tries === TRIES_MAX) throw error;
      }
    }
  };
}

/** Defines a test with short time limits, like `it`. */
export function timedIt(name: string, run: (t: TestContext) => Promise<void>): void {
  it(name, unlessTimeIsLost(run));
}
