/** Limits how many calls wait for the database and how many run at once, and tells how long they have waited. */
import { StoreOverloadedError } from '../../port/errors.ts';
import type { QueueFigures } from '../../port.ts';
import { timeLeftMs } from './connection.ts';

export interface WaitingLimits {
  /** Calls that were taken and not answered yet. */
  readonly waiting_calls_max: number;
  /** Characters of text in them. */
  readonly waiting_characters_max: number;
}

export interface Waiting {
  readonly sinceMs: number;
  readonly characters: number;
}

export class WaitingCalls {
  readonly #limits: WaitingLimits;
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #characters = 0;
  readonly #whenEmpty: (() => void)[] = [];

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  /** Throws StoreOverloadedError; what it gives must be ended. */
  begin(characters: number, sinceMs = performance.now()): Waiting {
    const { waiting_calls_max, waiting_characters_max } = this.#limits;
    if (this.#waiting.size >= waiting_calls_max || this.#characters + characters > waiting_characters_max) {
      throw new StoreOverloadedError('More is waiting for the database than may wait; try again soon.');
    }
    const call = { sinceMs, characters };
    this.#waiting.add(call);
    this.#characters += characters;
    return call;
  }

  end(call: Waiting): void {
    if (!this.#waiting.delete(call)) return;
    this.#characters -= call.characters;
    if (this.#waiting.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  figures(): QueueFigures {
    const [oldest] = this.#waiting;
    return { waiting: this.#waiting.size, oldestWaitMs: oldest === undefined ? 0 : performance.now() - oldest.sinceMs };
  }

  /** Resolves when none waits. */
  async empty(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }
}

/** Who finds all places taken waits for one, in the order of arrival. */
export class PipelineOrder {
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
