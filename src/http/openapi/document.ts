/** In charge of the OpenAPI 3.1 document of the API: made from the route list. */
import type { Names } from '../../domain/names.ts';
import type { Endpoint } from '../endpoint.ts';
import { describeCalls, type JsonObject, type Manner } from './calls.ts';

const MANNER: Manner = {
  security: ({ access }) => (access === 'merchant' ? [{ bearer: [] }] : []),
  failureTexts: {
    400: 'The request breaks a rule; every problem is listed.',
    401: 'The token is missing, expired or not valid.',
    403: 'The merchant is suspended; of a signed address also: it was changed, has expired or was used.',
    404: 'What the address names is not there, or this part of it was never uploaded.',
    429: 'Too many requests; `Retry-After` says when to go on.',
    500: 'Offerbook failed; its log knows the cause by the `X-Request-Id`.',
    503: 'The store cannot take the request now.',
  },
};

export function createOpenApiDocument(endpoints: readonly Endpoint[], names: Names, publicUrl: string): JsonObject {
  const { paths, schemas, tags } = describeCalls(endpoints, names, MANNER);
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
    tags,
    paths,
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'The `id_token` of `POST /token`.' } },
    },
  };
}
