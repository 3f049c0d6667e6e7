/** Describes the failures that calls have in common: their responses, their headers and the common error format. */
import type { Problem } from '../../domain/problem.ts';

export type JsonObject = { [key: string]: unknown };

export type FailureStatus = keyof typeof RESPONSE_NAMES;

/** The texts of one OpenAPI document about failures. */
export interface FailureTexts {
  readonly texts: Readonly<Partial<Record<FailureStatus, string>>>;
  /** Every code that a problem can have. */
  readonly codes: readonly string[];
  readonly examples?: Readonly<Partial<Record<FailureStatus, readonly Problem[]>>>;
}

const RESPONSE_NAMES = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  422: 'KeyReused',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
} as const;

const RATE_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

/** Headers of a failure, in addition to the headers of every response. */
const FAILURE_HEADERS: Readonly<Partial<Record<FailureStatus, readonly HeaderName[]>>> = {
  400: ['X-Ignored-Fields'],
  401: ['WWW-Authenticate'],
  404: ['X-Ignored-Fields'],
  409: ['Retry-After'],
  412: ['ETag', 'X-Ignored-Fields'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

export function referToFailure(status: FailureStatus): JsonObject {
  return { $ref: `#/components/responses/${RESPONSE_NAMES[status]}` };
}

export function failureResponses({ texts, examples }: FailureTexts): JsonObject {
  const described = Object.entries(RESPONSE_NAMES).filter(([status]) => Number(status) in texts);
  const responses = described.map(([key, name]) => {
    const status = Number(key) as FailureStatus;
    const shown = examples?.[status]?.map((problem) => [problem.code, { value: errorsOf(problem) }]);
    const media = {
      schema: { $ref: '#/components/schemas/Errors' },
      ...(shown === undefined ? {} : { examples: Object.fromEntries(shown) }),
    };
    const headers = referToHeaders(true, ...(FAILURE_HEADERS[status] ?? []));
    return [name, { description: texts[status], headers, content: { 'application/json': media } }];
  });
  return Object.fromEntries(responses);
}

function errorsOf(problem: Problem): JsonObject {
  return { errors: [problem.message], details: [problem] };
}

export function errorSchemas({ codes }: FailureTexts): JsonObject {
  return {
    Errors: {
      type: 'object',
      description: 'All problems with the request.',
      required: ['errors', 'details'],
      properties: {
        errors: { type: 'array', items: { type: 'string' }, description: 'One message for each problem.' },
        details: {
          type: 'array',
          items: { $ref: '#/components/schemas/Problem' },
          description: 'The same problems in machine-readable form.',
        },
      },
    },
    Problem: {
      type: 'object',
      description: 'One problem with the request.',
      required: ['code', 'field', 'message'],
      properties: {
        code: { type: 'string', enum: codes, description: 'Stable error code.' },
        field: {
          type: 'string',
          description: 'JSON pointer to the field in the body. Empty if the problem concerns no field.',
        },
        message: {
          type: 'string',
          description: 'Human-readable error message. The wording may change; use `code` in programs.',
        },
      },
    },
  };
}

export type HeaderName = keyof typeof HEADERS;

/**
 * Returns references to the headers of a response, including rate limit headers if the request counts towards the limit.
 */
export function referToHeaders(isCounted: boolean, ...more: readonly HeaderName[]): JsonObject {
  const names = ['X-Request-Id', ...(isCounted ? RATE_HEADERS : []), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const text = (description: string) => ({ description, schema: { type: 'string' } });
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

export const HEADERS = Object.freeze({
  'X-Request-Id': text("Id of the request in the server's log. Include it when you contact support."),
  'RateLimit-Limit': count('Requests allowed in one window. Present when the request counts towards the limit.'),
  'RateLimit-Remaining': count('Requests left in the current window.'),
  'RateLimit-Reset': count('Seconds until the oldest counted request leaves the window.'),
  'RateLimit-Policy': text(
    'The limit in the format of the current IETF draft: `"requests";q=600;w=60` means 600 requests in 60 seconds. Dry runs have the policy `"dry-runs"`.',
  ),
  RateLimit: text(
    'What is left of the limit, in the format of the current IETF draft: `"requests";r=599;t=60` has the values of `RateLimit-Remaining` and `RateLimit-Reset`.',
  ),
  'Retry-After': count('Seconds to wait before you retry.'),
  'WWW-Authenticate': text('Always `Bearer`.'),
  'X-Ignored-Fields': text(
    'Unknown fields in the body, as percent-encoded JSON pointers separated by commas. They were not stored.',
  ),
  'Idempotent-Replayed': text(
    '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
  ),
  'Content-Encoding': text('`br` or `gzip` if the body is compressed. Absent otherwise.'),
  Vary: text('`accept-encoding` if the body is long enough to be compressed.'),
  'Cache-Control': text('Whether a cache may store the response. Absent when the default applies.'),
  ETag: text(
    'Version of the data. Send it as `If-None-Match` to calls that can return 304, or as `If-Match` to writes of the same data. ' +
      'Absent while the data is not set.',
  ),
  Link: text('URL of the next page: `<url>; rel="next"`. Absent on the last page.'),
  'Content-Disposition': text('Suggested file name.'),
  'X-Content-Type-Options': text('Always `nosniff`.'),
});
