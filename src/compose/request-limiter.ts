/** In charge of which limiter counts the requests of accounts: one over all processes, or the exact one of one process. */
import { randomBytes } from 'node:crypto';
import { type RateLimiter, SlidingWindowLimiter } from '../access/rate-limiter.ts';
import { SharedRateLimiter } from '../access/shared-rate-limiter.ts';
import type { Settings } from '../config/settings.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Store } from '../store/port.ts';
import type { Clock } from './clock.ts';

export interface RequestLimiter {
  readonly limiter: RateLimiter<number>;
  /** Lets other processes have what this one holds. */
  close(): Promise<void>;
}

const ACCOUNTS_MAX = 100_000;

export function createRequestLimiter(
  { requestsPerMinute }: Settings,
  { rateCounters }: Store,
  { monotonicMs }: Clock,
): RequestLimiter {
  const limits = { limit: requestsPerMinute, windowSeconds: LIMITS.request_window_seconds, keysMax: ACCOUNTS_MAX };
  if (rateCounters === undefined) {
    return { limiter: new SlidingWindowLimiter<number>(limits), close: () => Promise.resolve() };
  }
  // Every process writes the names of all others with each lease: short ones, which people need not read.
  const processName = randomBytes(6).toString('hex');
  const limiter = new SharedRateLimiter({ ...limits, counters: rateCounters, processName, monotonicMs });
  return { limiter, close: () => limiter.close() };
}
