/**
 * Throttles the review while this process writes rows of bulk files: small batches with pauses leave the CPU to the rows and to
 * API calls. The review catches up afterwards.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** Rows count as recent for this long. While a file is processed, rows arrive every few milliseconds. */
const ROWS_RECENT_MS = 100;
/** A large account is still reviewed during this time, but slowly. */
const PAUSE_MS = 500;
const BATCH_OFFERS_MAX = 50;

export class YieldToFiles {
  readonly #monotonicMs: () => number;
  #untilMs = 0;

  constructor(monotonicMs = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  noteRows(): void {
    this.#untilMs = this.#monotonicMs() + ROWS_RECENT_MS;
  }

  /** Returns the size of the next batch, at most `all`. */
  batchOf(all: number): number {
    return this.#isNeeded() ? Math.min(all, BATCH_OFFERS_MAX) : all;
  }

  /**
   * Call it after a full batch. The first batch of each account runs without a pause, so that pauses do not add up over many small
   * accounts.
   */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#isNeeded()) await pause(PAUSE_MS, undefined, { signal });
  }

  #isNeeded(): boolean {
    return this.#monotonicMs() < this.#untilMs;
  }
}
