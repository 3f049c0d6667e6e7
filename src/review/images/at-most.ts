/** In charge of doing at most so many things at once, in order of arrival. */
export class AtMost {
  readonly #at_once_max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(at_once_max: number) {
    this.#at_once_max = at_once_max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // A place that falls free is handed on without becoming free, so that nobody slips in before those who wait.
    if (this.#running < this.#at_once_max) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
