/**
 * Slows down password guessing. Unlike API secrets, passwords can be guessed, so beyond the limit no password is
 * checked, not even the right one. Limits apply to one user from one client (lowest), one user from all clients, and
 * one client for all users. client-network.ts defines a client.
 *
 * Each attempt counts as wrong while it is being checked, so that concurrent attempts do not exceed the limit.
 */
import { LIMITS } from '../../domain/limits.ts';
import { type RateDecision, SlidingWindowLimiter } from '../rates/rate-limiter.ts';

const KEYS_MAX = 10_000;

export class SignInFailures {
  readonly #both = limiter(LIMITS.sign_in_failures_max);
  readonly #ofUser = limiter(LIMITS.sign_in_failures_per_user_max);
  readonly #fromClient = limiter(LIMITS.sign_in_failures_per_client_max);

  /** `verify` returns undefined for a wrong password. No other result counts as a failure, not even an error. */
  async attempt<T>(
    client: string,
    email: string,
    nowMs: number,
    verify: () => Promise<T | undefined>,
  ): Promise<T | undefined | { readonly throttled: RateDecision }> {
    const counters = [
      [this.#both, keyOfBoth(client, email)],
      [this.#ofUser, email],
      [this.#fromClient, client],
    ] as const;
    const throttled = counters.map(([counter, key]) => counter.peek(key, nowMs)).find(({ allowed }) => !allowed);
    if (throttled !== undefined) return { throttled };
    for (const [counter, key] of counters) counter.take(key, nowMs);
    let isWrong = false;
    try {
      const found = await verify();
      isWrong = found === undefined;
      return found;
    } finally {
      if (!isWrong) for (const [counter, key] of counters) counter.giveBack(key);
    }
  }

  sweep(nowMs: number): void {
    for (const one of [this.#both, this.#ofUser, this.#fromClient]) one.sweep(nowMs);
  }
}

function limiter(limit: number): SlidingWindowLimiter<string> {
  return new SlidingWindowLimiter({ limit, window_seconds: LIMITS.sign_in_window_seconds, keysMax: KEYS_MAX });
}

function keyOfBoth(client: string, email: string): string {
  return `${client} ${email}`;
}
