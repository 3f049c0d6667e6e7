/** Reads the OpenAPI document of a server, for tests that compare it with what the server does. */

export interface Media {
  readonly schema: ShownSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ShownSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly format?: string;
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly items?: ShownSchema;
  readonly anyOf?: readonly ShownSchema[];
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description: string;
    readonly example?: string | number;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ShownSchema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

export interface DescribedCall {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** `of` is `marketplace/` for the document of the marketplace's programs. */
export async function readOpenApi(url: string, of: '' | 'marketplace/' = ''): Promise<OpenApi> {
  return (await (await fetch(`${url}/${of}openapi.json`)).json()) as OpenApi;
}

export function describedCalls({ paths }: OpenApi): DescribedCall[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Returns the documented response of this status; undefined if it is not documented. */
export function responseOf(document: OpenApi, { responses }: Operation, status: number): Response | undefined {
  const response = responses[String(status)];
  if (response === undefined || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.replace('#/components/responses/', '')];
}

/** Returns the part of the document with every reference replaced by its shared schema. */
export function withoutReferences<T>(document: OpenApi, part: T): T {
  const text = JSON.stringify(part, (_key, value: unknown) => {
    const $ref = (value as ShownSchema | null)?.$ref;
    return $ref?.startsWith(SCHEMAS) ? document.components.schemas[$ref.slice(SCHEMAS.length)] : value;
  });
  return JSON.parse(text) as T;
}

const SCHEMAS = '#/components/schemas/';
