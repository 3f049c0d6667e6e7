/** In charge of saying whether the store answers, in time and at little cost, for whoever sends requests here. */

/** A store that is busy answers in a few milliseconds; one that takes this long is of no use to a request. */
const ANSWER_SECONDS_MAX = 2;

export class Readiness {
  readonly #ping: () => Promise<void>;
  readonly #limitMs: number;
  /** Under way; shared, so that nobody can load the store by asking whether it is well. */
  #asked: Promise<boolean> | undefined;

  /** `ping` resolves when the store can answer and rejects when it cannot. */
  constructor(ping: () => Promise<void>, limitMs = ANSWER_SECONDS_MAX * 1000) {
    this.#ping = ping;
    this.#limitMs = limitMs;
  }

  async isReady(): Promise<boolean> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    const limit = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => limit.resolve(false), this.#limitMs);
    try {
      return await Promise.race([this.#asked, limit.promise]);
    } finally {
      clearTimeout(timer);
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
