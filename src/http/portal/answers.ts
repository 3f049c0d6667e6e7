/** In charge of the answers to changes of the setup, which the next request of the same person shall see. */

import { stringifyExactJson } from '../../domain/int64.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Answer } from '../endpoint.ts';
import type { Services } from '../services.ts';

/** 200 with what `shape` makes of the outcome, or 202 and no body where it is not given. */
export async function changedAnswer<T>(
  services: Pick<Services, 'followSetup'>,
  outcome: Outcome<T>,
  shape?: (value: T) => unknown,
): Promise<Answer> {
  if (!outcome.ok) return outcome;
  await services.followSetup();
  const { ignored } = outcome;
  if (shape === undefined) return { status: 202, ignored };
  return { status: 200, json: stringifyExactJson(shape(outcome.value)), ignored };
}
