/** In charge of how many calls may wait for the database at once, and of telling how long they have waited. */

import { StoreOverloadedError } from '../../port/errors.ts';
import type { QueueFigures } from '../../port.ts';

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
