/**
 * In charge of slowing down whoever guesses passwords. Unlike the secrets of programs a password may be guessed, so that
 * beyond the limit none is looked at any more, the right one neither: of one user from one client after a few, of one user
 * from all clients, and from one client of all users, after more. See client-network.ts for what a client is.
 *
 * Each attempt counts as wrong while it is looked at, which takes a while: of many at once no more are looked at than of as
 * many one by one.
 */
import { LIMITS } from '../domain/limits.ts';
import { type RateDecision, SlidingWindowLimiter } from './rate-limiter.ts';

const KEYS_MAX = 10_000;

export class SignInFailures {
  readonly #both = limiter(LIMITS.sign_in_failures_max);
  readonly #ofUser = limiter(LIMITS.sign_in_failures_per_user_max);
  readonly #fromClient = limiter(LIMITS.sign_in_failures_per_client_max);

  /**
   * `look` gives undefined where the password is wrong. Whatever else comes of it, an error too, does not count.
   */
  async attempt<T>(
    client: string,
    email: string,
    nowMs: number,
    look: () => Promise<T | undefined>,
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
      const found = await look();
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
  return new SlidingWindowLimiter({ limit, windowSeconds: LIMITS.sign_in_window_seconds, keysMax: KEYS_MAX });
}

function keyOfBoth(client: string, email: string): string {
  return `${client} ${email}`;
}
