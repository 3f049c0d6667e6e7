/**
 * Counts wrong secrets by user and client, and by client over all users. Beyond either limit, wrong secrets are
 * throttled while the right one still works, so that a stranger cannot lock a merchant out. client-network.ts defines a
 * client.
 */
import { LIMITS } from '../../domain/limits.ts';
import { clientNetwork } from '../client-network.ts';
import { type RateDecision, SlidingWindowLimiter } from '../rates/rate-limiter.ts';

const KEYS_MAX = 10_000;
/** Longer than any real user name. A stranger may send up to 2,000 characters. */
const USER_CHARACTERS_MAX = 100;

export interface ThrottledSecret extends RateDecision {
  readonly by: 'user' | 'client';
}

export class TokenFailures {
  readonly #both = limiter(LIMITS.token_failures_per_window_max);
  readonly #fromClient = limiter(LIMITS.token_failures_per_client_max);

  /** Counts one failure, unless the limit is reached. */
  take(address: string, user: string, nowMs: number): ThrottledSecret | undefined {
    const client = clientNetwork(address);
    const fromClient = this.#fromClient.peek(client, nowMs);
    if (!fromClient.allowed) return { ...fromClient, by: 'client' };
    const both = this.#both.take(`${client} ${user.slice(0, USER_CHARACTERS_MAX)}`, nowMs);
    if (!both.allowed) return { ...both, by: 'user' };
    this.#fromClient.take(client, nowMs);
    return undefined;
  }

  sweep(nowMs: number): void {
    for (const one of [this.#both, this.#fromClient]) one.sweep(nowMs);
  }
}

function limiter(limit: number): SlidingWindowLimiter<string> {
  return new SlidingWindowLimiter({ limit, window_seconds: LIMITS.request_window_seconds, keysMax: KEYS_MAX });
}
