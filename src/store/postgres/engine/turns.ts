/** In charge of how much may run at once: who finds all places taken waits for one, in the order of arrival. */
import { timeLeftMs } from './time-left.ts';

export class Turns {
  readonly #running_max: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(running_max: number) {
    this.#running_max = running_max;
  }

  /** Gives false when none came in time; else it must be ended. */
  async begin(deadlineMs: number): Promise<boolean> {
    if (this.#running < this.#running_max) {
      this.#running++;
      return true;
    }
    return new Promise((resolve) => {
      const begin = () => {
        clearTimeout(deadline);
        resolve(true);
      };
      const deadline = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        resolve(false);
      }, timeLeftMs(deadlineMs));
      this.#waiting.push(begin);
    });
  }

  /** Hands the place on. */
  end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
