/** GET /openapi.json */
import Type from 'typebox';
import type { Endpoint, OpenEndpoint } from '../endpoint.ts';
import { createOpenApiDocument } from '../openapi/document.ts';

/** The description of all endpoints, this one included. */
export function createOpenApiEndpoint(endpoints: readonly Endpoint[]): OpenEndpoint {
  const self: OpenEndpoint = {
    id: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    tag: 'Documentation',
    summary: 'Read this description',
    answer: Type.Object({}),
    handle: ({ services }) => {
      const document = createOpenApiDocument([...endpoints, self], services.context.names, services.publicUrl());
      return { status: 200, json: JSON.stringify(document) };
    },
  };
  return self;
}
