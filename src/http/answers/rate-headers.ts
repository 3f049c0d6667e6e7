/** In charge of telling a client where it stands with its requests. */
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

/** The same as names and values in turn, without an object in between: nearly every answer has them. */
export function addRateLines(lines: string[], { limit, remaining, resetSeconds }: RateDecision): void {
  lines.push(NAMES.limit, String(limit), NAMES.remaining, String(remaining), NAMES.resetSeconds, String(resetSeconds));
}

export function rateLimitedAnswer(decision: RateDecision): BadAnswer {
  const text = `More than ${decision.limit} requests in ${LIMITS.request_window_seconds} seconds; wait before you go on.`;
  return {
    problems: [requestProblem('rate_limited', text)],
    headers: { ...rateHeaders(decision), 'retry-after': String(Math.max(1, decision.resetSeconds)) },
  };
}
