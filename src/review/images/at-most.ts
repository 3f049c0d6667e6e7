/**
 * In charge of doing at most so many things at once, in order of arrival, on threads that nobody can stop. What outlasts its
 * time is left alone: its place goes to the next, as long as few linger so; when it ends after all, it makes room again.
 */
export interface AtMostLimits {
  readonly at_once_max: number;
  /** Those that linger counted. */
  readonly threads_max: number;
  readonly work_ms_max: number;
}

export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

export class AtMost {
  readonly #limits: AtMostLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #lingering = 0;

  constructor(limits: AtMostLimits) {
    this.#limits = limits;
  }

  /** Rejects with the signal's reason while it waits for a place, and with OutOfTimeError where the work outlasts its time. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    const running = work();
    const ended = Promise.withResolvers<never>();
    let isLingering = false;
    const timer = setTimeout(() => {
      isLingering = true;
      this.#running -= 1;
      this.#lingering += 1;
      this.#admit();
      ended.reject(new OutOfTimeError(`It took more than ${this.#limits.work_ms_max} ms.`));
    }, this.#limits.work_ms_max);
    const leave = () => {
      clearTimeout(timer);
      if (isLingering) this.#lingering -= 1;
      else this.#running -= 1;
      this.#admit();
    };
    running.then(leave, leave);
    return Promise.race([running, ended.promise]);
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const entered = Promise.withResolvers<void>();
    const giveUp = () => {
      const place = this.#waiting.indexOf(entered.resolve);
      if (place === -1) return;
      this.#waiting.splice(place, 1);
      entered.reject(signal?.reason);
    };
    this.#waiting.push(entered.resolve);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#admit();
    try {
      await entered.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #admit(): void {
    const { at_once_max, threads_max } = this.#limits;
    while (this.#running < at_once_max && this.#running + this.#lingering < threads_max) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      next();
    }
  }
}
