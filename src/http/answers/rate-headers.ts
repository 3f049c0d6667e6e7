/** Writes the headers that tell a client its rate limit. */
import type { RateDecision } from '../../access/rates/rate-limiter.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { BadAnswer } from '../endpoint.ts';

const NAMES = {
  limit: 'ratelimit-limit',
  remaining: 'ratelimit-remaining',
  reset_seconds: 'ratelimit-reset',
  policy: 'ratelimit-policy',
  state: 'ratelimit',
} as const;

export function rateHeaders(decision: RateDecision): Record<string, string> {
  const lines: string[] = [];
  addRateLines(lines, decision);
  const headers: Record<string, string> = {};
  for (let index = 0; index < lines.length; index += 2) headers[lines[index] ?? ''] = lines[index + 1] ?? '';
  return headers;
}

/**
 * Appends the headers to `lines`, as alternating names and values: three of an older draft, and the two of
 * draft-ietf-httpapi-ratelimit-headers-11. Nearly every response has these headers, so it is worth not creating an object.
 */
export function addRateLines(lines: string[], { limit, remaining, reset_seconds, isDryRun }: RateDecision): void {
  const policy = isDryRun ? '"dry-runs"' : '"requests"';
  lines.push(
    NAMES.limit,
    String(limit),
    NAMES.remaining,
    String(remaining),
    NAMES.reset_seconds,
    String(reset_seconds),
    NAMES.policy,
    `${policy};q=${limit};w=${LIMITS.request_window_seconds}`,
    NAMES.state,
    `${policy};r=${remaining};t=${reset_seconds}`,
  );
}

export function rateLimitedAnswer(decision: RateDecision): BadAnswer {
  const text = `Too many requests: more than ${decision.limit} in ${LIMITS.request_window_seconds} seconds. Retry after the number of seconds in Retry-After.`;
  return {
    problems: [requestProblem('rate_limited', text)],
    headers: { ...rateHeaders(decision), 'retry-after': String(Math.max(1, decision.reset_seconds)) },
  };
}
