/** GET /openapi.json */
import { Type } from '../../../domain/check/type.ts';
import type { Endpoint, OpenEndpoint } from '../../endpoint.ts';
import { createOpenApiDocument } from '../../openapi/document.ts';
import type { Services } from '../../services.ts';

/** Describes all endpoints, including this one. The document is built once, because it is large and never changes. */
export function createOpenApiEndpoint(endpoints: readonly Endpoint[]): OpenEndpoint {
  const texts = new WeakMap<Services, string>();
  const self: OpenEndpoint = {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    tag: 'Documentation',
    summary: 'Read this OpenAPI document',
    answer: Type.Object({
      openapi: Type.String({ description: 'Version of the OpenAPI specification.' }),
      info: Type.Unsafe<object>({ type: 'object', description: 'Title and version of the API.' }),
    }),
    handle: ({ services }) => {
      const json = texts.get(services) ?? documentJson(services);
      texts.set(services, json);
      return { status: 200, json };
    },
  };
  const documentJson = ({ context, publicUrl }: Services) =>
    JSON.stringify(createOpenApiDocument([...endpoints, self], context.names, publicUrl()));
  return self;
}
