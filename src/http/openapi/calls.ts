/** Describes calls in an OpenAPI document: what each takes and returns, from the schemas that also check the bodies. */
import type { BodySchema } from '../../domain/check/schema.ts';
import type { TSchema } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { DRY_RUN_PARAMETER, DryRunAnswer } from '../dry-run.ts';
import type { AnyEndpoint, Transfer } from '../endpoint.ts';
import {
  errorSchemas,
  type FailureStatus,
  type FailureTexts,
  failureResponses,
  HEADERS,
  type HeaderName,
  type JsonObject,
  referToFailure,
  referToHeaders,
} from './failures.ts';
import { SpelledSchemas } from './spell-schema.ts';

/** The parts in which the documents of the API and the portal differ. */
export interface Manner {
  /** Names of security schemes that the call needs. */
  readonly security: (endpoint: AnyEndpoint) => JsonObject[];
  /** Returns a sentence for the description of the call. */
  readonly about?: (endpoint: AnyEndpoint) => string | undefined;
  readonly failures: FailureTexts;
  /** Descriptions by name. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly pathParameters: Readonly<Record<string, JsonObject>>;
  /** Whether writes of merchants accept an `Idempotency-Key`. */
  readonly hasIdempotencyKeys?: true;
  /** Examples by the id of the call. */
  readonly examples?: Readonly<Record<string, CallExample>>;
}

/** A working request to the demo server, and its response. */
export interface CallExample {
  /** Value of the first path parameter, if it differs from the default example. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Used instead of `body`: one body for each of several SKUs, by id. */
  readonly bodies?: Readonly<Record<string, unknown>>;
  readonly answer?: unknown;
  /** The response with `dry_run=true`, sent before the call itself. */
  readonly dryRun?: unknown;
}

/** Failures that every call can have, by kind of access. */
const ALWAYS: Readonly<Record<AnyEndpoint['access'], readonly FailureStatus[]>> = Object.freeze({
  open: [400, 500, 503],
  signed: [400, 403, 429, 500, 503],
  merchant: [400, 401, 403, 429, 500, 503],
  marketplace: [400, 401, 403, 429, 500, 503],
  visitor: [400, 403, 429, 500, 503],
  person: [400, 401, 403, 429, 500, 503],
  account: [400, 401, 403, 429, 500, 503],
});

/** Headers of responses that may be long enough to be compressed. */
const COMPRESSED = ['Content-Encoding', 'Vary'] as const;

export const SKU_ID_PARAMETER = Object.freeze({
  description:
    'The id that you chose for the SKU. Percent-encode it once: `a/b c` becomes `a%2Fb%20c`. Generated clients and the ' +
    'interactive docs encode it for you; give them the plain id.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.sku_id_characters_max },
});

/** The parts of a document that describe its calls. */
export function describeCalls(endpoints: readonly AnyEndpoint[], names: Names, manner: Manner) {
  const schemas = new SpelledSchemas(names, errorSchemas(manner.failures));
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? {};
    paths[endpoint.path] = path;
    path[endpoint.method.toLowerCase()] = new CallDescription(endpoint, names, schemas, manner).operation();
  }
  const tags = [...new Set(endpoints.map(({ tag }) => tag))].map((name) => {
    const description = manner.tags?.[name];
    return description === undefined ? { name } : { name, description };
  });
  const responses = usedIn(paths, 'responses', failureResponses(manner.failures));
  const headers = usedIn({ paths, responses }, 'headers', HEADERS);
  return { tags, paths, components: { schemas: schemas.all, responses, headers } };
}

/** Leaves out components to which nothing refers. */
function usedIn<T extends object>(described: object, kind: string, components: T): Partial<T> {
  const text = JSON.stringify(described);
  const used = Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`));
  return Object.fromEntries(used) as Partial<T>;
}

class CallDescription {
  readonly #endpoint: AnyEndpoint;
  readonly #names: Names;
  readonly #schemas: SpelledSchemas;
  readonly #manner: Manner;
  readonly #example: CallExample;
  /** Prefix for the names of this call's schemas. */
  readonly #title: string;
  readonly #isKeyed: boolean;
  /** True for a write that accepts the tag of the data it changes. */
  readonly #isConditional: boolean;

  constructor(endpoint: AnyEndpoint, names: Names, schemas: SpelledSchemas, manner: Manner) {
    this.#endpoint = endpoint;
    this.#names = names;
    this.#schemas = schemas;
    this.#manner = manner;
    this.#example = manner.examples?.[endpoint.id] ?? {};
    this.#isKeyed = manner.hasIdempotencyKeys === true && endpoint.access === 'merchant' && endpoint.method !== 'GET';
    this.#isConditional = endpoint.versioned !== undefined && endpoint.method !== 'GET';
    this.#title = `${endpoint.id.charAt(0).toUpperCase()}${endpoint.id.slice(1)}`;
  }

  operation(): JsonObject {
    const { id, summary, deprecated, tag, requestBody, transfer } = this.#endpoint;
    const description = [this.#endpoint.description, this.#manner.about?.(this.#endpoint)].filter(Boolean).join(' ');
    const { body, bodies } = this.#example;
    return {
      operationId: id,
      summary,
      ...(description === '' ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
      tags: [tag],
      security: this.#manner.security(this.#endpoint),
      parameters: this.#parameters(),
      ...(requestBody === undefined
        ? {}
        : { requestBody: { required: true, content: this.#jsonContent(requestBody, 'Body', body, bodies) } }),
      ...(transfer?.direction === 'in' ? { requestBody: { required: true, ...fileContent(transfer, body) } } : {}),
      responses: this.#responses(),
    };
  }

  #parameters(): JsonObject[] {
    const { path, query } = this.#example;
    const inPath = Array.from(this.#endpoint.path.matchAll(/\{(\w+)\}/g), ([, name = ''], index) => ({
      name,
      in: 'path',
      required: true,
      ...(this.#manner.pathParameters[name] ?? SEGMENT),
      ...(path === undefined || index > 0 ? {} : { example: path }),
    }));
    const known = { ...this.#endpoint.query, ...(this.#hasDryRun ? DRY_RUN_PARAMETER : {}) };
    const inQuery = Object.entries(known).map(([name, parameter]) => ({
      name,
      in: 'query',
      required: false,
      ...parameter,
      ...(query !== undefined && name in query ? { example: query[name] } : {}),
    }));
    return [
      ...inPath,
      ...inQuery,
      ...(this.#isConditional ? [IF_MATCH, IF_NONE_MATCH] : []),
      ...(this.#isKeyed ? [IDEMPOTENCY_KEY] : []),
    ];
  }

  #responses(): JsonObject {
    const { access, tagged = false, failures = [] } = this.#endpoint;
    const description = 'Unchanged since the response with the `ETag` in `If-None-Match`.';
    const unchanged = tagged ? { 304: { description, headers: this.#headers('ETag', 'Cache-Control', 'Vary') } } : {};
    const conditional = this.#isConditional ? ([412] as const) : [];
    const keyed = this.#isKeyed ? ([409, 422] as const) : [];
    const statuses = [...new Set([...failures, ...conditional, ...ALWAYS[access], ...keyed])].sort();
    const failed = statuses.map((status) => [status, referToFailure(status)]);
    return { ...this.#success(), ...unchanged, ...Object.fromEntries(failed) };
  }

  #success(): JsonObject {
    const { answer, transfer, requestBody, query = {}, tagged = false, versioned = false } = this.#endpoint;
    if (transfer?.direction === 'in' && answer === undefined) {
      return { 201: { description: 'Uploaded: the file is stored.', headers: this.#headers() } };
    }
    if (transfer?.direction === 'out') {
      const headers = this.#headers('Content-Disposition', 'Cache-Control', 'X-Content-Type-Options', ...COMPRESSED);
      return { 200: { ...fileContent(transfer, this.#example.answer), headers } };
    }
    const ignored = requestBody === undefined ? [] : (['X-Ignored-Fields'] as const);
    const schema = typeof answer === 'function' ? answer(this.#names) : answer;
    if (schema === undefined) {
      const tag = versioned ? (['ETag'] as const) : [];
      const stored = { description: 'Accepted: the data is stored.', headers: this.#headers(...ignored, ...tag) };
      return { 202: stored, ...(this.#hasDryRun ? { 200: this.#dryRun(ignored) } : {}) };
    }
    const more = [
      ...(tagged || versioned ? (['ETag'] as const) : []),
      ...('offset' in query ? (['Link'] as const) : []),
    ];
    return {
      200: {
        description: 'Success.',
        headers: this.#headers('Cache-Control', ...COMPRESSED, ...ignored, ...more),
        content: this.#jsonContent(schema, 'Answer', this.#example.answer),
      },
    };
  }

  get #hasDryRun(): boolean {
    return this.#endpoint.access === 'merchant' && this.#endpoint.dryRun !== undefined;
  }

  #dryRun(ignored: readonly HeaderName[]): JsonObject {
    return {
      description: 'With `dry_run=true`: the call would be accepted. Nothing is stored.',
      headers: this.#headers('Cache-Control', ...COMPRESSED, ...ignored),
      content: this.#jsonContent(DryRunAnswer(this.#names), 'DryRun', this.#example.dryRun),
    };
  }

  /**
   * Returns the headers of a success. A call without a token counts towards the rate limit only if it can return 429.
   */
  #headers(...more: readonly HeaderName[]): JsonObject {
    const { access, failures = [] } = this.#endpoint;
    const keyed = this.#isKeyed ? (['Idempotent-Replayed'] as const) : [];
    return referToHeaders(access !== 'open' || failures.includes(429), ...more, ...keyed);
  }

  #jsonContent(schema: TSchema, kind: string, example: unknown, examples: object = {}): JsonObject {
    const several = Object.entries(examples).map(([name, value]) => [name, { value }]);
    const media = {
      schema: this.#schemas.refer(schema as BodySchema, `${this.#title}${kind}`),
      ...(example === undefined ? {} : { example }),
      ...(several.length === 0 ? {} : { examples: Object.fromEntries(several) }),
    };
    return { 'application/json': media };
  }
}

/** Files are opaque bytes, so that generated clients do not parse them. The example is text of the first type. */
function fileContent({ description, types }: Transfer, example: unknown): JsonObject {
  const media = types.map((type, index) => [
    type,
    { schema: { type: 'string', format: 'binary' }, ...(index === 0 && example !== undefined ? { example } : {}) },
  ]);
  return { description, content: Object.fromEntries(media) };
}

function headerParameter(name: string, description: string, rules: JsonObject = {}): JsonObject {
  return { name, in: 'header', required: false, description, schema: { type: 'string', ...rules } };
}

const IDEMPOTENCY_KEY = headerParameter(
  'Idempotency-Key',
  'A unique key that you choose for this request, such as a UUID. If you repeat the request with the same key within ' +
    `${LIMITS.idempotency_key_hours} hours, it returns the same response and writes nothing.`,
  { minLength: 1, maxLength: LIMITS.idempotency_key_characters_max, pattern: '^[!-~]+$' },
);
const IF_MATCH = headerParameter(
  'If-Match',
  'Write only if the stored data has one of these `ETag` values, separated by commas, or for `*`, if any data is stored.',
);
const IF_NONE_MATCH = headerParameter('If-None-Match', 'With `*`, write only if no data is stored yet.', {
  enum: ['*'],
});

const SEGMENT = {
  description: 'Percent-encoded UTF-8.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.sku_id_characters_max },
};
