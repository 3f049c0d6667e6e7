/**
 * In charge of slowing down whoever guesses passwords. Unlike the secrets of programs a password may be guessed, so that
 * beyond the limit none is looked at any more, the right one neither: of one user from one address after a few, of one user
 * from all addresses, and from one address of all users, after more.
 */
import { LIMITS } from '../domain/limits.ts';
import { type RateDecision, SlidingWindowLimiter } from './rate-limiter.ts';

const KEYS_MAX = 10_000;

export class SignInFailures {
  readonly #both = limiter(LIMITS.sign_in_failures_max);
  readonly #ofUser = limiter(LIMITS.sign_in_failures_per_user_max);
  readonly #fromAddress = limiter(LIMITS.sign_in_failures_per_address_max);

  /** The limit that is met; undefined while none is. */
  throttled(address: string, email: string, nowMs: number): RateDecision | undefined {
    const decisions = [
      this.#both.peek(keyOfBoth(address, email), nowMs),
      this.#ofUser.peek(email, nowMs),
      this.#fromAddress.peek(address, nowMs),
    ];
    return decisions.find(({ allowed }) => !allowed);
  }

  note(address: string, email: string, nowMs: number): void {
    this.#both.take(keyOfBoth(address, email), nowMs);
    this.#ofUser.take(email, nowMs);
    this.#fromAddress.take(address, nowMs);
  }

  sweep(nowMs: number): void {
    for (const one of [this.#both, this.#ofUser, this.#fromAddress]) one.sweep(nowMs);
  }
}

function limiter(limit: number): SlidingWindowLimiter<string> {
  return new SlidingWindowLimiter({ limit, windowSeconds: LIMITS.sign_in_window_seconds, keysMax: KEYS_MAX });
}

function keyOfBoth(address: string, email: string): string {
  return `${address} ${email}`;
}
