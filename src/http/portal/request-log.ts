/** GET /{environment}/requests, PUT /{environment}/request-log: the request log of the user's merchant. */
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { RequestLogBody } from '../../domain/setup/merchant.ts';
import { hasAtMost, hasForbiddenCharacter } from '../../domain/text/text-rules.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { REQUEST_RESULTS, type RequestResult } from '../../domain/vocabulary/request-results.ts';
import { readRequestLog, setKeepBodies } from '../../operations/portal/request-log.ts';
import type { LoggedRequest } from '../../store/port/traffic.ts';
import { changedAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { limitParameter, type QueryReading, readQuery } from '../query.ts';
import { Count, OrNull, Time } from './answer-schemas.ts';

const LIMIT = { min: 1, max: LIMITS.request_log_page_max, fallback: LIMITS.request_log_page_default };
/** Time and id of the last request of a page. */
const AFTER = /^(\d{1,15})-([\w-]{1,64})$/;

const STATUSES_OF: Readonly<Record<RequestResult, { readonly statusMin: number; readonly statusMax: number }>> = {
  succeeded: { statusMin: 0, statusMax: 399 },
  failed: { statusMin: 400, statusMax: 999 },
  '4xx': { statusMin: 400, statusMax: 499 },
  '5xx': { statusMin: 500, statusMax: 599 },
};

const filter = (description: string) => ({ description, schema: Type.String() });

const ErrorAnswer = Type.Object({
  code: Type.String(),
  field: Type.String({ description: 'JSON pointer into the body; empty if the error is not in the body.' }),
  message: Type.String(),
});

const RequestAnswer = Type.Object({
  id: Type.String({ description: 'The `X-Request-Id` of the response.' }),
  at: Time('Time of the response.'),
  call: Type.String({ description: 'Method and path.' }),
  status: Whole(100, 599),
  duration_ms: Type.Number({ description: 'Milliseconds from the request to its response, in the server.' }),
  codes: Type.Array(Type.String(), { description: 'Error codes of the response.' }),
  sku: OrNull(Type.String(), 'SKU id in the path; null if the call names none.'),
  key: OrNull(Type.String(), 'User name of the API key; null for a signed URL.'),
  url: OrNull(
    Type.String(),
    'Path and query of a failed request as sent, without secrets and shortened; null if the request succeeded.',
  ),
  errors: Type.Array(ErrorAnswer, {
    description: `The first ${LIMITS.request_log_errors_max} errors of the response, without secrets and shortened.`,
  }),
  body: OrNull(
    Type.String(),
    'Body of a failed request, without secrets and shortened; null if it was not kept, or was not JSON.',
  ),
});

const RequestsAnswer = Type.Object({
  requests: Type.Array(RequestAnswer),
  next: OrNull(Type.String(), 'Value for `after`; null on the last page.'),
  recorded: Count('Requests in the log, whatever the filter.'),
  unrecorded: Count('Requests that were not recorded, because there were too many at once.'),
  keeps_bodies: Type.Boolean({ description: 'Whether bodies of failed requests are kept.' }),
  calls: Type.Array(Type.String(), { description: 'Calls in the log.' }),
  keys: Type.Array(Type.String(), { description: 'User names of the API keys in the log.' }),
  codes: Type.Array(Type.String(), { description: 'Error codes in the log.' }),
  limits: Type.Object({
    days: Count('Days that requests are kept.'),
    requests: Count('Maximum number of requests that are kept. The oldest are deleted first.'),
    body_characters: Count('Maximum length of a stored body. Longer bodies are shortened.'),
  }),
});

const shared = { access: 'account', tag: 'Request log' } as const;

export const requestLogEndpoints = endpointsOf(shared, {
  'GET /requests': {
    id: 'listRequests',
    summary: 'List the last requests to the API, newest first',
    description: 'Requests with a valid token or signed URL, and token requests that succeeded.',
    query: {
      q: filter('Only requests with this SKU id or request id.'),
      status: { description: 'Only requests with this result.', schema: OneOf(REQUEST_RESULTS) },
      call: filter('Only requests of this call, one of `calls`.'),
      code: filter('Only requests with this error code, one of `codes`.'),
      key: filter('Only requests of this API key, one of `keys`.'),
      after: filter('The `next` of the previous page.'),
      limit: limitParameter(LIMIT),
    },
    answer: RequestsAnswer,
    async handle({ services, account, query }) {
      const page = readQuery(query, (reading) => {
        const result = reading.oneOf('status', REQUEST_RESULTS);
        return {
          ...(result && STATUSES_OF[result]),
          id: readFilter(reading, 'q'),
          call: readFilter(reading, 'call'),
          code: readFilter(reading, 'code'),
          user: readFilter(reading, 'key'),
          after: readAfter(reading),
          limit: reading.wholeNumber('limit', LIMIT),
        };
      });
      if ('problems' in page) return page;
      const found = await readRequestLog(services.requestLogContext, account, page);
      const last = found.isMore ? found.requests.at(-1) : undefined;
      const answer: Static<typeof RequestsAnswer> = {
        requests: found.requests.map(requestJson),
        next: last === undefined ? null : `${last.atMs}-${last.requestId}`,
        recorded: found.recorded,
        unrecorded: found.unrecorded,
        keeps_bodies: account.logsBodies === true,
        calls: [...found.calls],
        keys: [...found.users],
        codes: [...found.codes],
        limits: {
          days: LIMITS.request_log_days,
          requests: LIMITS.request_log_requests_max,
          body_characters: LIMITS.request_log_body_characters_max,
        },
      };
      return { status: 200, json: JSON.stringify(answer) };
    },
  },
  'PUT /request-log': {
    id: 'setRequestLog',
    summary: 'Choose whether the request log keeps bodies of failed requests',
    description: 'Deletes all stored bodies. All processes apply the choice within 2 seconds.',
    requestBody: RequestLogBody,
    handle: async ({ services, account, body }) =>
      changedAnswer(services, await setKeepBodies(services.requestLogContext, account, body)),
  },
});

function readFilter(reading: QueryReading, name: string): string | undefined {
  const text = reading.filledText(name);
  const max = LIMITS.offer_search_characters_max;
  if (text === undefined || (hasAtMost(text, max) && !hasForbiddenCharacter(text))) return text;
  return reading.refuse(`${name}: must have at most ${max} characters, and no NUL character.`);
}

function readAfter(reading: QueryReading): Pick<LoggedRequest, 'atMs' | 'requestId'> | undefined {
  const text = reading.filledText('after');
  if (text === undefined) return undefined;
  const [, atMs, requestId] = AFTER.exec(text) ?? [];
  if (requestId === undefined) return reading.refuse('after: must be the `next` value of a page.');
  return { atMs: Number(atMs), requestId };
}

function requestJson(request: LoggedRequest): Static<typeof RequestAnswer> {
  const { requestId, atMs, call, status, took_us, codes, skuId, user, url, problems, body } = request;
  return {
    id: requestId,
    at: isoTime(atMs),
    call,
    status,
    duration_ms: took_us / 1000,
    codes: [...codes],
    sku: skuId,
    key: user,
    url,
    errors: [...(problems ?? [])],
    body,
  };
}
