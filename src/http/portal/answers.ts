/** Handles calls that change settings, after making sure that the same user's next request sees the change. */

import { stringifyExactJson } from '../../domain/int64.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { refusedAnswer } from '../answers/answers.ts';
import type { Answer } from '../endpoint.ts';
import type { Services } from '../services.ts';

/** Returns 200 with the result of `shape`, or 202 without a body if there is no `shape`. */
export async function changedAnswer<T>(
  services: Pick<Services, 'followSetup'>,
  outcome: Outcome<T>,
  shape?: (value: T) => unknown,
): Promise<Answer> {
  if (!outcome.ok) return refusedAnswer(outcome);
  await services.followSetup();
  const { ignored } = outcome;
  if (shape === undefined) return { status: 202, ignored };
  return { status: 200, json: stringifyExactJson(shape(outcome.value)), ignored };
}
