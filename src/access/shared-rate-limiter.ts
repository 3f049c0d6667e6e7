/**
 * In charge of counting the requests of accounts over all processes: never more than the limit in any 60 seconds, and no
 * query for each request.
 *
 * A process leases requests from a counter that all share, for less than a second, and lets them through by itself. Its
 * own requests it counts exactly; of others it knows what they told (see rate-counter.ts). So one process alone is as
 * exact as SlidingWindowLimiter; several refuse early for what others lease and do not use, which they return when its
 * time is over.
 */
import type { Awaitable } from '../domain/awaitable.ts';
import { AccountAllowance, type AllowanceOptions } from './account-allowance.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.ts';

export interface SharedRateLimiterOptions extends Omit<AllowanceOptions, 'name'> {
  /** Of no other process, on this machine or another. */
  readonly processName: string;
  /** Accounts that are remembered at once. */
  readonly keysMax: number;
}

export class SharedRateLimiter implements RateLimiter<number> {
  readonly #options: SharedRateLimiterOptions;
  readonly #allowances = new Map<number, AccountAllowance>();
  #made = 0;

  constructor(options: SharedRateLimiterOptions) {
    this.#options = options;
  }

  /** Rejects with StoreUnavailableError where the counter cannot be asked. */
  take(accountId: number, nowMs: number): Awaitable<RateDecision> {
    return (this.#allowances.get(accountId) ?? this.#add(accountId)).take(nowMs);
  }

  peek(accountId: number, nowMs: number): RateDecision {
    const { limit } = this.#options;
    return this.#allowances.get(accountId)?.peek(nowMs) ?? { allowed: true, limit, remaining: limit, resetSeconds: 0 };
  }

  sweep(nowMs: number): void {
    for (const [accountId, allowance] of this.#allowances) {
      if (allowance.isIdle(nowMs)) this.#allowances.delete(accountId);
    }
  }

  /** Returns what is leased, so that others have it at once. What cannot be returned counts for a minute. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#allowances.values(), (allowance) => allowance.close()));
  }

  #add(accountId: number): AccountAllowance {
    if (this.#allowances.size >= this.#options.keysMax) {
      // The account that came first goes. What it used stays in the counter, under the name that it had.
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
