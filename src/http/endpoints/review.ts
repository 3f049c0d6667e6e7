/** GET and POST /merchant-skus/{user_defined_sku_id}/review */

import { FixesBody } from '../../domain/bodies/fixes.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { ADVICE_CODES } from '../../domain/review/advice.ts';
import type { CheckResult, Shown } from '../../domain/review/check.ts';
import { CHECKS } from '../../domain/review/checks.ts';
import { CONFIDENCES, FIX_SOURCES } from '../../domain/review/fixes/fix.ts';
import { FIX_KINDS } from '../../domain/review/fixes.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { type ReviewReading, readReview } from '../../operations/read-review.ts';
import { requestReview } from '../../operations/request-review.ts';
import { applyFixes, dryRunFixes, type OfferedFix } from '../../operations/review-fixes.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';
import { statusFields } from './get-sku.ts';

function TextOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description });
}

const CHECK = { description: 'Stable name of the check.' };
const CHECK_IDS = CHECKS.map(({ id }) => id);

/** A failed check, without its evidence. */
export const IssueAnswer = Type.Object(
  {
    check: OneOf(CHECK_IDS, CHECK),
    code: Type.String({ description: 'Stable code of the failure.' }),
    sub_status: TextOrNull('Sub-status that the failure adds.'),
    next: Type.String({ description: 'Who acts next: `merchant` or `marketplace`.' }),
    remedy: Type.String({ description: 'What to do or wait for.' }),
  },
  { title: 'Issue', description: 'A failed check of the review.' },
);

export const FixAnswer = Type.Object(
  {
    id: Type.String({
      description:
        'Send it to `POST …/review/fixes`. It is valid until the data of the SKU changes; that of a guessed category may become unknown earlier.',
    }),
    kind: OneOf(FIX_KINDS, { description: 'Stable name of the kind of fix.' }),
    confidence: OneOf(CONFIDENCES, {
      description: '`certain` fixes are safe to apply without a person. Let a person look at `likely` ones.',
    }),
    source: OneOf(FIX_SOURCES, { description: 'Where the fix comes from.' }),
    part: OneOf(['sku'], { description: 'The part of the offer that the patch changes.' }),
    patch: Type.Array(
      Type.Unsafe<object>({
        type: 'object',
        required: ['op', 'path'],
        properties: {
          op: { enum: ['add', 'replace', 'remove'], description: 'What the step does to the value at `path`.' },
          path: { type: 'string', description: 'JSON pointer into the data of the part.' },
          value: { description: 'The new value.' },
        },
      }),
      { description: 'JSON Patch (RFC 6902) for the data of the part.' },
    ),
    before: Type.Unsafe<unknown>({ description: 'The value that the last step changes; null if it is not set.' }),
    text: Type.String({ description: 'What the fix does.' }),
  },
  { title: 'Fix', description: 'A change that would resolve the failed check. Fixes are never applied by themselves.' },
);

const checkSchemas = {
  check: OneOf(CHECK_IDS, CHECK),
  state: OneOf(['passed', 'failed', 'pending', 'skipped'], { description: 'Result of the check.' }),
  code: TextOrNull('Stable code of the failure.'),
  sub_status: TextOrNull('Sub-status that the failure adds.'),
  evidence: Type.Unsafe<object>({ type: 'object', description: 'What the check examined, and when.' }),
  next: TextOrNull('Who acts next: `merchant` or `marketplace`.'),
  remedy: TextOrNull('What to do or wait for.'),
};

const ReviewAnswer = (names: Names) =>
  Type.Object({
    ...statusFields(names),
    next: TextOrNull(
      'Who must act next to change the status: `merchant` or `marketplace`. Null when no action is needed.',
    ),
    checks: Type.Array(
      Type.Object(
        {
          ...checkSchemas,
          fixes: Type.Optional(Type.Array(FixAnswer, { description: 'Set for a failed check that has fixes.' })),
        },
        { title: 'ReviewCheck', description: 'One check of the review.' },
      ),
      {
        description: 'All checks, in a fixed order.',
      },
    ),
    upcoming: Type.Array(
      Type.Object(
        {
          change_id: Type.Integer({ description: 'Id of the announced change, as in `GET /requirements/upcoming`.' }),
          enforced_from: Type.String({ format: 'date-time', description: 'When the change applies.' }),
          ...checkSchemas,
        },
        { title: 'UpcomingCheck', description: 'A check that will fail.' },
      ),
      { description: 'Checks that will fail under announced changes, in order of their dates.' },
    ),
    advice: Type.Array(
      Type.Object({
        code: OneOf(ADVICE_CODES, { description: 'Stable code of the advice.' }),
        field: Type.String({
          description: 'Pointer into the data of the SKU; empty for the other parts of the offer.',
        }),
        text: Type.String({ description: 'What would improve the offer.' }),
      }),
      { description: 'How to improve the offer. Advice never changes the status.' },
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

const shared = { access: 'merchant', needs: SCOPE.read, tag: 'Review' } as const;

export const reviewEndpoints = endpointsOf(shared, {
  'GET /merchant-skus/{user_defined_sku_id}/review': {
    id: 'getReview',
    summary: 'Read why a SKU has its status',
    description:
      'Lists every check with its state, its evidence, who acts next and what to do, and gives advice, which never changes the status.',
    answer: ReviewAnswer,
    failures: [404],
    async handle({ services, account, skuId }) {
      const { context } = services;
      return foundAnswer(await readReview(context, account, skuId), (reading) => reviewJson(reading, context.names));
    },
  },
  'POST /merchant-skus/{user_defined_sku_id}/review': {
    id: 'requestReview',
    needs: SCOPE.listing,
    summary: 'Request a new review of a SKU',
    description:
      "Send no body. The server downloads the SKU's images again in the background, then reviews the SKU. It downloads each image " +
      `at most once every ${LIMITS.image_check_pause_seconds} seconds.`,
    failures: [404],
    async handle({ services, account, skuId }) {
      return acceptedAnswer(await requestReview(services.context, account, skuId));
    },
  },
  'POST /merchant-skus/{user_defined_sku_id}/review/fixes': {
    id: 'applyFixes',
    needs: SCOPE.listing,
    summary: 'Apply fixes of the review to a SKU',
    description:
      'Changes the data of the SKU as the fixes say, in one write like an upload of the SKU: the history names its author, and it can be ' +
      'restored. All fixes are applied, or none. If the SKU has changed since the fixes were read, the call is refused with 412.',
    requestBody: FixesBody,
    failures: [404],
    versioned: true,
    dryRun: (call) => writeDryRun(call, dryRunFixes),
    handle: (call) => writeAnswer(call, applyFixes),
  },
});

function reviewJson(reading: ReviewReading, names: Names): string {
  const { status, subStatuses, checks, next, advice, shoeGroup, upcoming, fixes } = reading;
  return stringifyExactJson({
    status: names.status(status),
    sub_status: subStatuses,
    next,
    checks: checks.map((check) => {
      const own = fixes.filter((fix) => fix.check === check.check);
      return { ...checkFields(check), ...(own.length === 0 ? {} : { fixes: own.map((fix) => fixFields(fix, names)) }) };
    }),
    upcoming: upcoming.flatMap(({ change: { announcedId, enforcedFromMs }, failures }) => {
      const change = { change_id: announcedId, enforced_from: isoTime(enforcedFromMs) };
      return failures.map((check) => ({ ...change, ...checkFields(check) }));
    }),
    advice,
    ...(shoeGroup === undefined ? {} : { shoe_group: shoeGroup }),
  });
}

export function fixFields({ id, kind, confidence, source, patch, before, text }: OfferedFix, names: Names) {
  const spelled = patch.map((step) => {
    const [, field = '', ...rest] = step.path.split('/');
    return { ...step, path: ['', names.field(field), ...rest].join('/') };
  });
  return { id, kind, confidence, source, part: 'sku', patch: spelled, before, text } as const;
}

function checkFields({ check, state, code, subStatus, evidence, next, remedy }: CheckResult) {
  return { check, state, code, sub_status: subStatus, evidence: shownEvidence(evidence), next, remedy };
}

export function issueFields({ check, code, subStatus, next, remedy }: CheckResult) {
  return { check, code, sub_status: subStatus, next, remedy };
}

const TIME = /_at_ms$/;

/** `checked_at_ms: 0` becomes `checked_at: "1970-01-01T00:00:00.000Z"`, at any depth; null stays null. */
export function shownEvidence(evidence: Shown): Shown {
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) =>
      TIME.test(name) && (typeof value === 'number' || value === null)
        ? [name.slice(0, -'_ms'.length), value === null ? null : isoTime(value)]
        : [name, shownValue(value)],
    ),
  );
}

function shownValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownValue);
  return isPlainObject(value) ? shownEvidence(value) : value;
}

/** Raw JSON, which holds large numbers, is not a plain object. */
function isPlainObject(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
