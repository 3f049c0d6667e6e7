/** Allocates shares of a fixed amount in order of arrival: a request that does not fit makes later ones wait. */
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
      const place = this.#waiting.indexOf(waiter);
      if (place === -1) return;
      this.#waiting.splice(place, 1);
      granted.reject(signal?.reason);
      this.#admit();
    };
    this.#waiting.push(waiter);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#admit();
    try {
      await granted.promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
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
