/** In charge of which limiter counts the requests of accounts: one over all processes, or the exact one of one process. */
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
  processName: string,
): RequestLimiter {
  const limits = { limit: requestsPerMinute, windowSeconds: LIMITS.request_window_seconds, keysMax: ACCOUNTS_MAX };
  if (rateCounters === undefined) {
    return { limiter: new SlidingWindowLimiter<number>(limits), close: () => Promise.resolve() };
  }
  const limiter = new SharedRateLimiter({ ...limits, counters: rateCounters, processName, monotonicMs });
  return { limiter, close: () => limiter.close() };
}
