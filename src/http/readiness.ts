/** Reports whether the store responds, quickly and cheaply, for load balancers. */

/** A busy store responds within a few milliseconds. A store that takes this long cannot serve requests. */
const ANSWER_SECONDS_MAX = 2;
/** The time is counted in steps, so that a pause of this thread or of the machine counts as one step, not as silence of the store. */
const STEPS = 10;

export class Readiness {
  readonly #ping: () => Promise<void>;
  readonly #limit_ms: number;
  /** The ping in flight, shared so that readiness checks cannot load the store. */
  #asked: Promise<boolean> | undefined;

  /** `ping` resolves when the store can respond and rejects when it cannot. */
  constructor(ping: () => Promise<void>, limit_ms = ANSWER_SECONDS_MAX * 1000) {
    this.#ping = ping;
    this.#limit_ms = limit_ms;
  }

  async isReady(): Promise<boolean> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    const limit = Promise.withResolvers<boolean>();
    let steps = 0;
    const timer = setInterval(() => {
      if (++steps === STEPS) limit.resolve(false);
    }, this.#limit_ms / STEPS);
    try {
      return await Promise.race([this.#asked, limit.promise]);
    } finally {
      clearInterval(timer);
    }
  }

  async #ask(): Promise<boolean> {
    try {
      await this.#ping();
      return true;
    } catch {
      return false;
    }
  }
}
