/** In charge of the OpenAPI 3.1 document of the portal's calls, from which the types of its pages are made. */
import type { Names } from '../../domain/names.ts';
import { PORTAL_CALLS_PATH, type PortalCallEndpoint } from '../portal-access/portal-addresses.ts';
import { describeCalls, type JsonObject, type Manner } from './calls.ts';

const MANNER: Manner = {
  security: ({ access, method }) => {
    if (access === 'visitor') return [];
    return method === 'GET' ? [{ session: [] }] : [{ session: [], csrf: [] }];
  },
  failureTexts: {
    400: 'The request breaks a rule; every problem is listed.',
    401: 'Nobody has signed in, or the session has ended.',
    403: 'The role does not allow it, the `X-CSRF-Token` is wrong, or the merchant is suspended.',
    404: 'What the address names is not there.',
    429: 'Too many requests; `Retry-After` says when to go on.',
    500: 'Offerbook failed; its log knows the cause by the `X-Request-Id`.',
    503: 'The store cannot take the request now.',
  },
};

export function createPortalDocument(
  calls: readonly PortalCallEndpoint[],
  names: Names,
  publicUrl: string,
): JsonObject {
  const relative = calls.map((endpoint) => ({ ...endpoint, path: endpoint.path.slice(PORTAL_CALLS_PATH.length) }));
  const { paths, schemas, tags } = describeCalls(relative, names, MANNER);
  return {
    openapi: '3.1.0',
    info: { title: 'Offerbook portal', version: '1', description: 'What the pages of the portal call.' },
    servers: [{ url: `${publicUrl}${PORTAL_CALLS_PATH}` }],
    tags,
    paths,
    components: {
      schemas,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'offerbook_session' },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The `csrf_token` of `GET /session`.',
        },
      },
    },
  };
}
