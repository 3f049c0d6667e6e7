/** In charge of the calls in an OpenAPI document: what each takes and answers, from the schemas that also check the bodies. */
import type { TSchema } from 'typebox';
import { ENVIRONMENTS } from '../../domain/account.ts';
import type { BodySchema } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { AnyEndpoint, Transfer } from '../endpoint.ts';
import { spellSchema } from './spell-schema.ts';

export type JsonObject = { [key: string]: unknown };

/** What the documents of the API and of the portal say differently. */
export interface Manner {
  /** Names of security schemes that the call needs. */
  readonly security: (endpoint: AnyEndpoint) => JsonObject[];
  readonly failureTexts: Readonly<Record<FailureStatus, string>>;
}

type FailureStatus = 400 | 401 | 403 | 404 | 429 | 500 | 503;

/** Failures that every call can have, by who may call it. */
const ALWAYS: Readonly<Record<AnyEndpoint['access'], readonly FailureStatus[]>> = Object.freeze({
  open: [500, 503],
  signed: [403, 429, 500, 503],
  merchant: [401, 403, 429, 500, 503],
  visitor: [403, 429, 500, 503],
  person: [401, 403, 429, 500, 503],
  account: [401, 403, 429, 500, 503],
});

export function describeCalls(
  endpoints: readonly AnyEndpoint[],
  names: Names,
  manner: Manner,
): { readonly paths: JsonObject; readonly schemas: JsonObject; readonly tags: JsonObject[] } {
  const schemas: JsonObject = { Errors: ERRORS_SCHEMA };
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operation(endpoint, names, schemas, manner);
  }
  return { paths, schemas, tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })) };
}

function operation(endpoint: AnyEndpoint, names: Names, schemas: JsonObject, manner: Manner): JsonObject {
  const { id, summary, description, tag, requestBody, transfer } = endpoint;
  const title = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    security: manner.security(endpoint),
    parameters: parameters(endpoint),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(requestBody, `${title}Body`, names, schemas) } }),
    ...(transfer?.direction === 'in' ? { requestBody: { required: true, ...fileContent(transfer) } } : {}),
    responses: responses(endpoint, title, names, schemas, manner),
  };
}

function parameters(endpoint: AnyEndpoint): JsonObject[] {
  const inPath = Array.from(endpoint.path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...(name === 'environment' ? ENVIRONMENT : VALUE),
  }));
  const inQuery = Object.entries(endpoint.query ?? {}).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    ...parameter,
  }));
  return [...inPath, ...inQuery];
}

function responses(
  endpoint: AnyEndpoint,
  title: string,
  names: Names,
  schemas: JsonObject,
  { failureTexts }: Manner,
): JsonObject {
  const { access, tagged = false, failures = [] } = endpoint;
  const unchanged = tagged
    ? { 304: { description: 'Unchanged since the answer with the `ETag` in `If-None-Match`.' } }
    : {};
  const statuses = [...new Set([...failures, ...ALWAYS[access]])].sort();
  const failed = statuses.map((status) => [status, { description: failureTexts[status], content: ERRORS_CONTENT }]);
  return { ...success(endpoint, title, names, schemas), ...unchanged, ...Object.fromEntries(failed) };
}

function success(endpoint: AnyEndpoint, title: string, names: Names, schemas: JsonObject): JsonObject {
  const { answer, transfer, tagged = false } = endpoint;
  if (transfer?.direction === 'in' && answer === undefined)
    return { 201: { description: 'Uploaded: the file is stored.' } };
  if (transfer?.direction === 'out') return { 200: fileContent(transfer) };
  const schema = typeof answer === 'function' ? answer(names) : answer;
  if (schema === undefined) {
    return { 202: { description: 'Accepted: the data is stored.', headers: IGNORED_FIELDS_HEADER } };
  }
  return {
    200: {
      description: 'Found.',
      ...(tagged ? { headers: ETAG_HEADER } : {}),
      content: jsonContent(schema, `${title}Answer`, names, schemas),
    },
  };
}

/** Bytes: generated clients pass them through, and hold no row of them to be a field. */
function fileContent({ description, types }: Transfer): JsonObject {
  const schema = { type: 'string', format: 'binary' };
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function jsonContent(schema: TSchema, name: string, names: Names, schemas: JsonObject): JsonObject {
  schemas[name] = spellSchema(schema as BodySchema, names);
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

const ENVIRONMENT = {
  description: 'Environment of the account.',
  schema: { type: 'string', enum: ENVIRONMENTS },
};

const VALUE = {
  description: 'Percent-encoded UTF-8.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.sku_id_characters_max },
};

const ERRORS_CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } };

const ERRORS_SCHEMA = {
  type: 'object',
  required: ['errors', 'details'],
  properties: {
    errors: { type: 'array', items: { type: 'string' }, description: 'One sentence per problem.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'field', 'message'],
        properties: {
          code: { type: 'string', description: 'Stable name of the cause; `docs/reference/errors.md` lists them all.' },
          field: { type: 'string', description: "JSON pointer into the body; '' where the fault is not in the body." },
          message: { type: 'string' },
        },
      },
    },
  },
};

const ETAG_HEADER = {
  ETag: { description: 'Send it back as `If-None-Match`.', schema: { type: 'string' } },
};

const IGNORED_FIELDS_HEADER = {
  'X-Ignored-Fields': {
    description: 'Percent-encoded JSON pointers of fields that were sent and are not known; they were not stored.',
    schema: { type: 'string' },
  },
};
