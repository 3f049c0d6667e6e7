/** Renews a lease while its work runs, and aborts the work if the lease is lost. */
import type { WorkLease, WorkStore } from '../store/port/work.ts';

/** Two renewals may fail before the lease expires. */
const RENEWALS_PER_LEASE = 3;

export class HeldLease {
  readonly #store: Pick<WorkStore, 'renewWork'>;
  readonly #lease: WorkLease;
  readonly #lease_ms: number;
  readonly #abort = new AbortController();
  #isReleased = false;
  #renewal: NodeJS.Timeout;
  #expiry: NodeJS.Timeout;

  /** `sinceMs`: `performance.now()` from before the request, so that the database's lease ends no earlier than this one. */
  constructor(store: Pick<WorkStore, 'renewWork'>, lease: WorkLease, lease_ms: number, sinceMs: number) {
    this.#store = store;
    this.#lease = lease;
    this.#lease_ms = lease_ms;
    this.#renewal = this.#renewAfter(sinceMs);
    this.#expiry = this.#expireAfter(sinceMs);
  }

  /** Aborted when the lease is lost or given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  giveUp(reason: Error): void {
    if (this.#isReleased) return;
    this.release();
    this.#abort.abort(reason);
  }

  /** Ends renewal after the work has finished. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#renewal);
    clearTimeout(this.#expiry);
  }

  /** Counts from the request and not from its response, so that a lease with a slow response is renewed before it expires. */
  #renewAfter(sinceMs: number): NodeJS.Timeout {
    const left_ms = sinceMs + this.#lease_ms / RENEWALS_PER_LEASE - performance.now();
    return setTimeout(() => void this.#renew(), Math.max(left_ms, 0));
  }

  async #renew(): Promise<void> {
    const askedMs = performance.now();
    // If the database does not respond, retry until the lease expires.
    const outcome = await this.#store.renewWork(this.#lease, this.#lease_ms).catch(() => 'unanswered' as const);
    if (this.#isReleased) return;
    if (outcome === 'lost') {
      this.giveUp(new Error('Another process has taken over the work.'));
      return;
    }
    if (outcome === 'unanswered') {
      this.#renewal = this.#renewAfter(performance.now());
      return;
    }
    this.#renewal = this.#renewAfter(askedMs);
    clearTimeout(this.#expiry);
    this.#expiry = this.#expireAfter(askedMs);
  }

  #expireAfter(sinceMs: number): NodeJS.Timeout {
    const left_ms = sinceMs + this.#lease_ms - performance.now();
    return setTimeout(() => this.giveUp(new Error('The lease could not be renewed in time.')), Math.max(left_ms, 0));
  }
}
