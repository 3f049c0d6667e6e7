/** In charge of telling a client where it stands with its requests. */
import type { RateDecision } from '../access/rate-limiter.ts';
import { LIMITS } from '../domain/limits.ts';
import { requestProblem } from '../domain/problem.ts';
import type { BadAnswer } from './endpoint.ts';

export function rateHeaders(decision: RateDecision): Record<string, string> {
  return {
    'ratelimit-limit': String(decision.limit),
    'ratelimit-remaining': String(decision.remaining),
    'ratelimit-reset': String(decision.resetSeconds),
  };
}

export function rateLimitedAnswer(decision: RateDecision): BadAnswer {
  const text = `More than ${decision.limit} requests in ${LIMITS.request_window_seconds} seconds; wait before you go on.`;
  return {
    problems: [requestProblem('rate_limited', text)],
    headers: { ...rateHeaders(decision), 'retry-after': String(Math.max(1, decision.resetSeconds)) },
  };
}
