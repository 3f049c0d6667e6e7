/** GET and POST /merchant-skus/{user_defined_sku_id}/review */
import Type from 'typebox';
import { OneOf } from '../../domain/check/schema.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { CheckResult } from '../../domain/review/check.ts';
import { CHECKS } from '../../domain/review/checks.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { type ReviewReading, readReview } from '../../operations/read-review.ts';
import { requestReview } from '../../operations/request-review.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import { shownEvidence } from '../answers/shown-evidence.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

const PATH = '/merchant-skus/{user_defined_sku_id}/review';

function TextOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description });
}

const ReviewAnswer = (names: Names) =>
  Type.Object({
    status: OneOf((Object.keys(STATUSES) as Status[]).map((status) => names.status(status))),
    sub_status: Type.Array(OneOf(SUB_STATUSES)),
    next: TextOrNull(
      'Who acts next, for the status to change: `merchant` or `marketplace`; null when there is nothing to do.',
    ),
    checks: Type.Array(
      Type.Object({
        check: OneOf(CHECKS.map(({ id }) => id)),
        state: OneOf(['passed', 'failed', 'pending', 'skipped']),
        code: TextOrNull('Of a failure; never renamed.'),
        sub_status: TextOrNull('That the failure leads to.'),
        evidence: Type.Unsafe<object>({ type: 'object', description: 'What was looked at, and when.' }),
        next: TextOrNull('`merchant` or `marketplace`.'),
        remedy: TextOrNull('What is to be done, or waited for, in a sentence.'),
      }),
    ),
    shoe_group: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: LIMITS.shoe_group_listed_max,
        description:
          'Of a shoe: the SKUs of equal brand, Collection and Style, itself first, the others in order of id and as they were ' +
          `reviewed last. At most ${LIMITS.shoe_group_listed_max} are listed.`,
      }),
    ),
  });

export const reviewEndpoints: readonly MerchantEndpoint[] = [
  {
    id: 'getReview',
    method: 'GET',
    path: PATH,
    access: 'merchant',
    tag: 'Review',
    summary: 'Read why a SKU has its status',
    description: 'Every check with its state, what was looked at, who acts next and what is to be done.',
    answer: ReviewAnswer,
    failures: [400, 404],
    async handle({ services, account, value: skuId }) {
      const { context } = services;
      return foundAnswer(await readReview(context, account, skuId), (reading) => reviewJson(reading, context.names));
    },
  },
  {
    id: 'requestReview',
    method: 'POST',
    path: PATH,
    access: 'merchant',
    tag: 'Review',
    summary: 'Ask for a new look at a SKU',
    description:
      'Takes no body. Its images are fetched again and it is reviewed anew, soon after the answer; one that was fetched for ' +
      `such a call in the last ${LIMITS.image_check_pause_seconds} seconds is fetched when these are over.`,
    failures: [400, 404],
    async handle({ services, account, value: skuId }) {
      return acceptedAnswer(await requestReview(services.context, account, skuId));
    },
  },
];

function reviewJson({ status, subStatuses, checks, next, shoeGroup }: ReviewReading, names: Names): string {
  return stringifyExactJson({
    status: names.status(status),
    sub_status: subStatuses,
    next,
    checks: checks.map(checkFields),
    ...(shoeGroup === undefined ? {} : { shoe_group: shoeGroup }),
  });
}

function checkFields({ check, state, code, subStatus, evidence, next, remedy }: CheckResult) {
  return { check, state, code, sub_status: subStatus, evidence: shownEvidence(evidence), next, remedy };
}
