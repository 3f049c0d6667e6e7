/** Chooses the limiters of requests and dry runs: shared over all processes on PostgreSQL, or the exact local ones. */
import { randomBytes } from 'node:crypto';
import { type RateLimiter, SlidingWindowLimiter } from '../access/rates/rate-limiter.ts';
import { SharedRateLimiter } from '../access/rates/shared-rate-limiter.ts';
import { LIMITS } from '../domain/limits.ts';
import type { RateCounterStore } from '../store/port/traffic.ts';
import type { Clock } from './process-parts.ts';

export interface RequestLimiter {
  readonly limiter: RateLimiter<number>;
  /** Returns leased requests to other processes. */
  close(): Promise<void>;
}

const ACCOUNTS_MAX = 100_000;

export function createRequestLimiter(
  requestsPerMinute: number,
  rateCounters: RateCounterStore | undefined,
  { monotonicMs }: Clock,
): RequestLimiter {
  const limits = { limit: requestsPerMinute, window_seconds: LIMITS.request_window_seconds, keysMax: ACCOUNTS_MAX };
  if (rateCounters === undefined) {
    return { limiter: new SlidingWindowLimiter<number>(limits), close: () => Promise.resolve() };
  }
  // The name is short, because every lease writes the names of all processes.
  const processName = randomBytes(6).toString('hex');
  const limiter = new SharedRateLimiter({ ...limits, counters: rateCounters, processName, monotonicMs });
  return { limiter, close: () => limiter.close() };
}

/** Returns the counters of dry runs, which are in the same table under negative account ids. */
export function dryRunCounters(counters: RateCounterStore | undefined): RateCounterStore | undefined {
  return (
    counters && {
      ...counters,
      readRateCounter: (accountId) => counters.readRateCounter(-accountId),
      swapRateCounter: (accountId, version, entries) => counters.swapRateCounter(-accountId, version, entries),
    }
  );
}
