/** Allocates shares of a fixed amount in order of arrival: a request that does not fit makes later ones wait. */
import { addAbortListener } from 'node:events';

export type Release = () => void;

interface Waiter {
  readonly amount: number;
  readonly grant: () => void;
}

export class Shares {
  readonly #waiting: Waiter[] = [];
  #free: number;

  constructor(total: number) {
    this.#free = total;
  }

  /**
   * Resolves to a function that returns the share. Rejects with the signal's reason while it waits. An amount above the
   * total would wait forever, so callers must refuse it first.
   */
  async take(amount: number, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const granted = Promise.withResolvers<void>();
    const waiter: Waiter = { amount, grant: granted.resolve };
    const giveUp = () => {
      const index = this.#waiting.indexOf(waiter);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      granted.reject(signal?.reason);
      this.#admit();
    };
    this.#waiting.push(waiter);
    using _aborting = signal && addAbortListener(signal, giveUp);
    this.#admit();
    await granted.promise;
    return () => {
      this.#free += amount;
      this.#admit();
    };
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && next.amount <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.amount;
      next.grant();
    }
  }
}
