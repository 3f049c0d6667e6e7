/** In charge of the OpenAPI 3.1 document: made from the route list and the schemas that also check the bodies. */
import type { TSchema } from 'typebox';
import type { BodySchema } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { Endpoint, Transfer } from '../endpoint.ts';
import { spellSchema } from './spell-schema.ts';

export type JsonObject = { [key: string]: unknown };

const FAILURE_TEXTS = Object.freeze({
  400: 'The request breaks a rule; every problem is listed.',
  401: 'The token is missing, expired or not valid.',
  403: 'The merchant is suspended; of a signed address also: it was changed, has expired or was used.',
  404: 'What the address names is not there, or this part of it was never uploaded.',
  429: 'Too many requests; `Retry-After` says when to go on.',
  503: 'The store cannot take the request now.',
});

export function createOpenApiDocument(endpoints: readonly Endpoint[], names: Names, publicUrl: string): JsonObject {
  const schemas: JsonObject = { Errors: ERRORS_SCHEMA };
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = operation(endpoint, names, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Offerbook',
      version: '1',
      description:
        'List and maintain product offers (SKUs) on a marketplace. Ask for a token with `POST /token`, then send it ' +
        'as `Authorization: Bearer <id_token>`. A 202 means that the data is stored durably. An error names every ' +
        'problem of the request at once.',
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'The `id_token` of `POST /token`.' } },
    },
  };
}

function operation(endpoint: Endpoint, names: Names, schemas: JsonObject): JsonObject {
  const { id, summary, description, tag, access, requestBody, transfer } = endpoint;
  const title = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    security: access === 'merchant' ? [{ bearer: [] }] : [],
    parameters: parameters(endpoint),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(requestBody, `${title}Body`, names, schemas) } }),
    ...(transfer?.direction === 'in' ? { requestBody: { required: true, ...fileContent(transfer) } } : {}),
    responses: responses(endpoint, title, names, schemas),
  };
}

function parameters(endpoint: Endpoint): JsonObject[] {
  const inPath = Array.from(endpoint.path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Percent-encoded UTF-8.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.sku_id_characters_max },
  }));
  const inQuery = Object.entries(endpoint.query ?? {}).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    ...parameter,
  }));
  return [...inPath, ...inQuery];
}

function responses(endpoint: Endpoint, title: string, names: Names, schemas: JsonObject): JsonObject {
  const { access, tagged = false, failures = [] } = endpoint;
  const unchanged = tagged
    ? { 304: { description: 'Unchanged since the answer with the `ETag` in `If-None-Match`.' } }
    : {};
  const always = {
    open: [429, 503],
    signed: [403, 429, 503],
    merchant: [401, 403, 429, 503],
  } as const;
  const statuses = [...new Set([...failures, ...always[access]])].sort();
  const failed = statuses.map((status) => [status, { description: FAILURE_TEXTS[status], content: ERRORS_CONTENT }]);
  return { ...success(endpoint, title, names, schemas), ...unchanged, ...Object.fromEntries(failed) };
}

function success(endpoint: Endpoint, title: string, names: Names, schemas: JsonObject): JsonObject {
  const { answer, transfer, tagged = false } = endpoint;
  if (transfer?.direction === 'in') return { 201: { description: 'Uploaded: the file is stored.' } };
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
          code: { type: 'string', description: 'Stable name of the cause; `docs/errors.md` lists them all.' },
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
