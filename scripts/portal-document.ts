/** Builds the OpenAPI 3.1 document of the portal's calls, from which the types of its pages are generated. */
import { ENVIRONMENTS } from '../src/domain/account.ts';
import { LIMITS } from '../src/domain/limits.ts';
import type { Names } from '../src/domain/names.ts';
import { API_PROBLEM_CODES, PORTAL_PROBLEM_CODES } from '../src/domain/problem.ts';
import { describeCalls, type Manner, SKU_ID_PARAMETER } from '../src/http/openapi/calls.ts';
import type { JsonObject } from '../src/http/openapi/failures.ts';
import { PORTAL_CALLS_PATH, type PortalCallEndpoint } from '../src/http/portal-access/portal-addresses.ts';

const MANNER: Manner = {
  security: ({ access, method }) => {
    if (access === 'visitor') return [];
    return method === 'GET' ? [{ session: [] }] : [{ session: [], csrf: [] }];
  },
  failures: {
    texts: {
      400: `The request breaks a rule. The response lists up to ${LIMITS.problems_max} problems: the format errors or, if there are none, the conflicts with stored data.`,
      401: 'Not signed in, or the session has ended.',
      403: 'The role does not allow the call, the `X-CSRF-Token` is wrong, or the merchant is suspended.',
      404: 'Not found.',
      412: 'The stored data does not match `If-Match` or `If-None-Match`.',
      429: 'Too many requests. Retry after the number of seconds in `Retry-After`.',
      500: "The server failed. The operator can find the cause in the server's log by the `X-Request-Id`.",
      503: 'The server cannot handle the request now. Retry after the number of seconds in `Retry-After`.',
    },
    codes: Object.keys({ ...API_PROBLEM_CODES, ...PORTAL_PROBLEM_CODES }),
  },
  pathParameters: {
    environment: {
      description: 'Environment: live or test.',
      schema: { type: 'string', enum: ENVIRONMENTS },
    },
    user_defined_sku_id: SKU_ID_PARAMETER,
  },
};

export function createPortalDocument(
  calls: readonly PortalCallEndpoint[],
  names: Names,
  publicUrl: string,
): JsonObject {
  const relative = calls.map((endpoint) => ({ ...endpoint, path: endpoint.path.slice(PORTAL_CALLS_PATH.length) }));
  const { paths, components, tags } = describeCalls(relative, names, MANNER);
  return {
    openapi: '3.1.0',
    info: { title: 'Offerbook portal', version: '1', description: 'The API that the portal uses.' },
    servers: [{ url: `${publicUrl}${PORTAL_CALLS_PATH}` }],
    tags,
    paths,
    components: {
      ...components,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'offerbook_session' },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The `csrf_token` from `GET /session`.',
        },
      },
    },
  };
}
