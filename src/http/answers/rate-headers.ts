/** Writes the headers that tell a client its rate limit. */
import type { RateDecision } from '../../access/rate-limiter.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { BadAnswer } from '../endpoint.ts';

const NAMES = { limit: 'ratelimit-limit', remaining: 'ratelimit-remaining', reset_seconds: 'ratelimit-reset' } as const;

export function rateHeaders({ limit, remaining, reset_seconds }: RateDecision): Record<string, string> {
  return {
    [NAMES.limit]: String(limit),
    [NAMES.remaining]: String(remaining),
    [NAMES.reset_seconds]: String(reset_seconds),
  };
}

/**
 * Appends the same headers to `lines`, as alternating names and values. Nearly every response has these headers, so it is worth not
 * creating an object.
 */
export function addRateLines(lines: string[], { limit, remaining, reset_seconds }: RateDecision): void {
  lines.push(
    NAMES.limit,
    String(limit),
    NAMES.remaining,
    String(remaining),
    NAMES.reset_seconds,
    String(reset_seconds),
  );
}

export function rateLimitedAnswer(decision: RateDecision): BadAnswer {
  const text = `Too many requests: more than ${decision.limit} in ${LIMITS.request_window_seconds} seconds. Retry after the number of seconds in the Retry-After header.`;
  return {
    problems: [requestProblem('rate_limited', text)],
    headers: { ...rateHeaders(decision), 'retry-after': String(Math.max(1, decision.reset_seconds)) },
  };
}
