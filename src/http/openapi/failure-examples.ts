/** Examples of refused requests by status, with the server's own messages. */
import { createBodyCheck } from '../../domain/bodies/body-check.ts';
import { PriceBody } from '../../domain/bodies/price.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { refusePrecondition, refuseUnknown } from '../../domain/offers/write-state.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { scopeMissing } from '../../domain/setup/key-scopes.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import { LINK_TEXTS, merchantSuspended, skuOutsidePrefix, TOKEN_TEXTS } from '../admit.ts';
import { faultProblem, overloadedAnswer } from '../answers/faults.ts';
import { rateLimitedAnswer } from '../answers/rate-headers.ts';
import { KEY_IN_USE, KEY_REUSED } from '../idempotency.ts';
import type { FailureStatus } from './failures.ts';

export function wrongPriceProblems(names: Names): readonly Problem[] {
  const outcome = createBodyCheck(PriceBody, names)({ value: { price: 0 }, problems: [] });
  return outcome.ok ? [] : outcome.problems;
}

export function createFailureExamples(names: Names): Record<FailureStatus, readonly Problem[]> {
  const limit = LIMITS.requests_per_window_max;
  return {
    400: wrongPriceProblems(names),
    401: [
      requestProblem('token_missing', TOKEN_TEXTS.token_missing),
      requestProblem('token_expired', TOKEN_TEXTS.token_expired),
    ],
    403: [
      requestProblem('link_invalid', LINK_TEXTS.link_invalid),
      merchantSuspended(),
      scopeMissing(['price']),
      skuOutsidePrefix('The API key', 'MUG-'),
    ],
    404: [...refuseUnknown('MUG-301').problems, requestProblem('file_not_found'), requestProblem('report_not_found')],
    409: [KEY_IN_USE],
    412: [...refusePrecondition('MUG-300', '', []).problems],
    422: [KEY_REUSED],
    429: [...rateLimitedAnswer({ allowed: false, limit, remaining: 0, reset_seconds: 12 }).problems],
    500: [faultProblem(undefined).problem],
    503: [...overloadedAnswer(1).problems, faultProblem(new StoreUnavailableError()).problem],
  };
}
