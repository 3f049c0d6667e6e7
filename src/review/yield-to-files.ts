/**
 * In charge of the review's manners: while rows of bulk files are written in this process, it reviews a few offers now and then
 * and leaves the processor to them and to single calls. It catches up when they are through.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** Rows come every few milliseconds while a file is under way. */
const UNDER_WAY_MS = 100;
/** A large account goes on being reviewed, slowly. */
const PAUSE_MS = 500;
const BATCH_OFFERS_MAX = 50;

export class YieldToFiles {
  readonly #monotonicMs: () => number;
  #untilMs = 0;

  constructor(monotonicMs = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  noteRows(): void {
    this.#untilMs = this.#monotonicMs() + UNDER_WAY_MS;
  }

  /** How many of at most `all` offers are to be reviewed next. */
  batchOf(all: number): number {
    return this.#isNeeded() ? Math.min(all, BATCH_OFFERS_MAX) : all;
  }

  /** Behind a full batch of an account; the first of each comes at once, so that many small ones do not wait for each other. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#isNeeded()) await pause(PAUSE_MS, undefined, { signal });
  }

  #isNeeded(): boolean {
    return this.#monotonicMs() < this.#untilMs;
  }
}
