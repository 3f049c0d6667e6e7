/** GET /healthz and GET /readyz, for supervisors and load balancers; GET /openapi.json and GET /marketplace/openapi.json */
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { requestProblem } from '../../domain/problem.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import type { Endpoint, OpenEndpoint } from '../endpoint.ts';
import { endpointsOf, type GoodAnswer } from '../endpoint.ts';
import { type Audience, createOpenApiDocument, DOCUMENT_PATHS } from '../openapi/document.ts';
import type { Services } from '../services.ts';

const HealthAnswer = Type.Object(
  { status: OneOf(['ok'], { description: 'Result of the check.' }) },
  { title: 'Health', description: 'Result of a health check that passed.' },
);
const UNREADY = 'The database is damaged, does not respond, is locked, or its disk is full.';
const OK: GoodAnswer = Object.freeze({ status: 200, json: '{"status":"ok"}', headers: NOT_KEPT });

const shared = { access: 'open', isHealthCheck: true, tag: 'Health' } as const;

export const healthEndpoints = endpointsOf(shared, {
  'GET /healthz': {
    id: 'getHealth',
    summary: 'Check that the server responds',
    description: 'Needs no token and does not count towards the rate limit. It does not check the database.',
    answer: HealthAnswer,
    handle: () => OK,
  },
  'GET /readyz': {
    id: 'getReadiness',
    summary: 'Check that the server can serve requests',
    description:
      'Needs no token and does not count towards the rate limit. Returns 503 when the database is damaged or does not ' +
      'respond, the disk is full, offers cannot be written because their table is locked, or the server is stopping. Reads ' +
      'still work when the disk is full.',
    answer: HealthAnswer,
    async handle({ services }) {
      if (await services.readiness.isReady()) return OK;
      return { problems: [requestProblem('store_unavailable', UNREADY)] };
    },
  },
});

/** Describes all endpoints, including these. */
export function createOpenApiEndpoints(endpoints: readonly Endpoint[]): readonly OpenEndpoint[] {
  const all: Endpoint[] = [...endpoints];
  const added = [
    openApiEndpoint('getOpenApi', 'merchants', all),
    openApiEndpoint('getMarketplaceOpenApi', 'marketplace', all),
  ];
  all.push(...added);
  return added;
}

/** The document is built once, because it is large and never changes. */
function openApiEndpoint(id: string, audience: Audience, endpoints: readonly Endpoint[]): OpenEndpoint {
  const texts = new WeakMap<Services, string>();
  const documentJson = ({ context, publicUrl }: Services) =>
    JSON.stringify(createOpenApiDocument(endpoints, context.names, publicUrl(), audience));
  return {
    id,
    method: 'GET',
    path: DOCUMENT_PATHS[audience],
    access: 'open',
    tag: 'Documentation',
    summary: 'Read this OpenAPI document',
    description: 'Lists all calls with their fields, limits and examples, for tools and code generators.',
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
}
