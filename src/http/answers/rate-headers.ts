/** Writes the headers that tell a client its rate limit. */
import type { RateDecision } from '../../access/rate-limiter.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { BadAnswer } from '../endpoint.ts';

const NAMES = { limit: 'ratelimit-limit', remaining: 'ratelimit-remaining', resetSeconds: 'ratelimit-reset' } as const;

export function rateHeaders({ limit, remaining, resetSeconds }: RateDecision): Record<string, string> {
  return {
    [NAMES.limit]: String(limit),
    [NAMES.remaining]: String(remaining),
    [NAMES.resetSeconds]: String(resetSeconds),
  };
}

/** The same as alternating names and values, without an object in between, because nearly every answer has them. */
export function addRateLines(lines: string[], { limit, remaining, resetSeconds }: RateDecision): void {
  lines.push(NAMES.limit, String(limit), NAMES.remaining, String(remaining), NAMES.resetSeconds, String(resetSeconds));
}

export function rateLimitedAnswer(decision: RateDecision): BadAnswer {
  const text = `Too many requests: more than ${decision.limit} in ${LIMITS.request_window_seconds} seconds. Retry after the time in the Retry-After header.`;
  return {
    problems: [requestProblem('rate_limited', text)],
    headers: { ...rateHeaders(decision), 'retry-after': String(Math.max(1, decision.resetSeconds)) },
  };
}
