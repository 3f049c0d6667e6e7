/** GET and POST /merchant-skus/{user_defined_sku_id}/review */
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { CheckResult } from '../../domain/review/check.ts';
import { CHECKS } from '../../domain/review/checks.ts';
import { type ReviewReading, readReview } from '../../operations/read-review.ts';
import { requestReview } from '../../operations/request-review.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import { shownEvidence } from '../answers/shown-evidence.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { statusFields } from './get-sku.ts';

const PATH = '/merchant-skus/{user_defined_sku_id}/review';

function TextOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description });
}

const ReviewAnswer = (names: Names) =>
  Type.Object({
    ...statusFields(names),
    next: TextOrNull(
      'Who must act next to change the status: `merchant` or `marketplace`. Null when no action is needed.',
    ),
    checks: Type.Array(
      Type.Object(
        {
          check: OneOf(
            CHECKS.map(({ id }) => id),
            { description: 'Stable name of the check.' },
          ),
          state: OneOf(['passed', 'failed', 'pending', 'skipped'], { description: 'Result of the check.' }),
          code: TextOrNull('Stable code of the failure.'),
          sub_status: TextOrNull('Sub-status that the failure adds.'),
          evidence: Type.Unsafe<object>({ type: 'object', description: 'What the check examined, and when.' }),
          next: TextOrNull('Who acts next: `merchant` or `marketplace`.'),
          remedy: TextOrNull('What to do or wait for.'),
        },
        { title: 'ReviewCheck', description: 'One check of the review.' },
      ),
      { description: 'All checks, in a fixed order.' },
    ),
    shoe_group: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: LIMITS.shoe_group_listed_max,
        description:
          'For a shoe: this SKU, then the other SKUs with the same brand, Collection and Style at their last review, in order ' +
          `of id. At most ${LIMITS.shoe_group_listed_max} are listed.`,
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
    description: 'Lists every check with its state, its evidence, who acts next and what to do.',
    answer: ReviewAnswer,
    failures: [404],
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
    summary: 'Request a new review of a SKU',
    description:
      "Send no body. The server downloads the SKU's images again in the background, then reviews the SKU. It downloads each image " +
      `at most once every ${LIMITS.image_check_pause_seconds} seconds.`,
    failures: [404],
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
