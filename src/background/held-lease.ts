/** In charge of one lease while its work is done: keeps it alive, and tells the worker when that has failed. */
import type { WorkLease, WorkStore } from '../store/port/work.ts';

/** Two renewals may fail before the lease lapses. */
const RENEWALS_PER_LEASE = 3;

export class HeldLease {
  readonly #store: Pick<WorkStore, 'renewWork'>;
  readonly #lease: WorkLease;
  readonly #lease_ms: number;
  readonly #abort = new AbortController();
  #isReleased = false;
  #renewal: NodeJS.Timeout;
  #lapse: NodeJS.Timeout;

  /** `sinceMs` by `performance.now()`, from before the lease was asked for: the store's lasts at least as long. */
  constructor(store: Pick<WorkStore, 'renewWork'>, lease: WorkLease, lease_ms: number, sinceMs: number) {
    this.#store = store;
    this.#lease = lease;
    this.#lease_ms = lease_ms;
    this.#renewal = this.#renewAfter(sinceMs);
    this.#lapse = this.#lapseAfter(sinceMs);
  }

  /** Fires when the lease is lost, or was given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  giveUp(reason: Error): void {
    if (this.#isReleased) return;
    this.release();
    this.#abort.abort(reason);
  }

  /** The work has ended; nothing is renewed from here on. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#renewal);
    clearTimeout(this.#lapse);
  }

  /** From the same moment as its end: one that was long in coming is renewed the sooner, and does not lapse before. */
  #renewAfter(sinceMs: number): NodeJS.Timeout {
    const left_ms = sinceMs + this.#lease_ms / RENEWALS_PER_LEASE - performance.now();
    return setTimeout(() => void this.#renew(), Math.max(left_ms, 0));
  }

  async #renew(): Promise<void> {
    const askedMs = performance.now();
    // A store that does not answer is asked again, until the lease lapses.
    const outcome = await this.#store.renewWork(this.#lease, this.#lease_ms).catch(() => 'unanswered' as const);
    if (this.#isReleased) return;
    if (outcome === 'lost') {
      this.giveUp(new Error('Another process has taken over.'));
      return;
    }
    if (outcome === 'unanswered') {
      this.#renewal = this.#renewAfter(performance.now());
      return;
    }
    this.#renewal = this.#renewAfter(askedMs);
    clearTimeout(this.#lapse);
    this.#lapse = this.#lapseAfter(askedMs);
  }

  #lapseAfter(sinceMs: number): NodeJS.Timeout {
    const left_ms = sinceMs + this.#lease_ms - performance.now();
    return setTimeout(() => this.giveUp(new Error('The lease could not be renewed in time.')), Math.max(left_ms, 0));
  }
}
