/** Repeats a step: at once while there is work, after a sleep when there was none, with exponential backoff while the database fails. */

interface PollingLoopOptions {
  /** Returns whether there was work. Rejects if the database fails. */
  readonly step: () => Promise<boolean>;
  readonly onFailure: (error: unknown) => void;
  /** How long to sleep when there was no work, unless woken. */
  readonly poll_ms: number;
}

/** Backoff while the database fails: 100 ms, doubling up to 5 s, so work resumes within 5 s. */
const PAUSE_MS_FIRST = 100;
const PAUSE_MS_MAX = 5_000;

export class PollingLoop {
  readonly #options: PollingLoopOptions;
  readonly #ended: Promise<void>;
  #isStopping = false;
  #isWoken = false;
  #endSleep: (() => void) | undefined;

  constructor(options: PollingLoopOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Announces work: ends the sleep. During a step it skips the next sleep, because the step may have started too early to see the work. */
  wake(): void {
    this.#isWoken = true;
    this.#endSleep?.();
  }

  /** Starts no further step. Resolves after the step in progress. */
  stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { step, onFailure, poll_ms } = this.#options;
    let failures = 0;
    // Let the owner's constructor return before the first step.
    await Promise.resolve();
    while (!this.#isStopping) {
      // The step may miss work that is announced from now on.
      this.#isWoken = false;
      try {
        const worked = await step();
        failures = 0;
        if (!worked && !this.#isWoken) await this.#sleep(withJitter(poll_ms));
      } catch (error) {
        onFailure(error);
        await this.#pause(withJitter(Math.min(PAUSE_MS_FIRST * 2 ** failures++, PAUSE_MS_MAX)));
      }
    }
  }

  /** Only a stop ends the backoff early; a wake does not, because it would send more calls to a failing database. */
  async #pause(pause_ms: number): Promise<void> {
    const endMs = performance.now() + pause_ms;
    for (let left_ms = pause_ms; left_ms > 0 && !this.#isStopping; left_ms = endMs - performance.now()) {
      await this.#sleep(left_ms);
    }
  }

  /** Sleeps until the next `wake`, or for `sleep_ms`. */
  #sleep(sleep_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#endSleep = undefined;
        resolve();
      };
      const timer = setTimeout(end, sleep_ms);
      this.#endSleep = end;
    });
  }
}

/** Adds jitter (50 to 100 %), so that processes which started together do not poll together. */
function withJitter(wait_ms: number): number {
  return wait_ms * (0.5 + Math.random() / 2);
}
