/**
 * Counts the requests of accounts over all processes: never more than the limit in any 60 seconds, without a query per
 * request.
 *
 * A process leases requests from a shared counter, for less than a second, and accepts them on its own. It counts its own
 * requests exactly, and knows the requests of other processes from their reports (see rate-counter.ts). So a single process is
 * as exact as SlidingWindowLimiter; several refuse early while others hold unused leases, which they return at the end of the
 * lease.
 */
import type { Awaitable } from '../../domain/awaitable.ts';
import { AccountAllowance, type AllowanceOptions } from './account-allowance.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.ts';

export interface SharedRateLimiterOptions extends Omit<AllowanceOptions, 'name'> {
  /** Unique over all processes and machines. */
  readonly processName: string;
  /** Maximum number of accounts in memory. */
  readonly keysMax: number;
}

export class SharedRateLimiter implements RateLimiter<number> {
  readonly #options: SharedRateLimiterOptions;
  readonly #allowances = new Map<number, AccountAllowance>();
  #made = 0;

  constructor(options: SharedRateLimiterOptions) {
    this.#options = options;
  }

  /** Rejects with StoreUnavailableError when the counter cannot be reached. */
  take(accountId: number, nowMs: number): Awaitable<RateDecision> {
    return (this.#allowances.get(accountId) ?? this.#add(accountId)).take(nowMs);
  }

  peek(accountId: number, nowMs: number): RateDecision {
    const { limit } = this.#options;
    return this.#allowances.get(accountId)?.peek(nowMs) ?? { allowed: true, limit, remaining: limit, reset_seconds: 0 };
  }

  sweep(nowMs: number): void {
    for (const [accountId, allowance] of this.#allowances) {
      if (allowance.isIdle(nowMs)) this.#allowances.delete(accountId);
    }
  }

  /**
   * Returns all leases, so that other processes can use them immediately. A lease that cannot be returned counts for a
   * minute.
   */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#allowances.values(), (allowance) => allowance.close()));
  }

  #add(accountId: number): AccountAllowance {
    if (this.#allowances.size >= this.#options.keysMax) {
      // Evicts the oldest account. Its requests stay in the shared counter, under the name of the evicted allowance.
      for (const [first, allowance] of this.#allowances) {
        void allowance.close();
        this.#allowances.delete(first);
        break;
      }
    }
    const name = `${this.#options.processName}.${this.#made++}`;
    const allowance = new AccountAllowance(accountId, { ...this.#options, name });
    this.#allowances.set(accountId, allowance);
    return allowance;
  }
}
