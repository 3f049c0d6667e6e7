/** Builds the answers that many endpoints share: accepted, refused, and JSON. */
import type { Outcome } from '../../domain/outcome.ts';
import type { Answer } from '../endpoint.ts';

/** Success of every PUT and PATCH: 202 without a body, once the data is durable. */
export function acceptedAnswer(outcome: Outcome<undefined>): Answer {
  return outcome.ok ? { status: 202, ignored: outcome.ignored } : outcome;
}

export function foundAnswer<T>(outcome: Outcome<T>, toJson: (value: T) => string): Answer {
  return outcome.ok ? { status: 200, json: toJson(outcome.value) } : outcome;
}
