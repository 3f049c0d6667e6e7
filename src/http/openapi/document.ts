/** Builds the OpenAPI 3.1 documents of the API from the route list: one for merchants' programs, and one for the marketplace's own. */
import manifest from '../../../package.json' with { type: 'json' };
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { API_PROBLEM_CODES } from '../../domain/problem.ts';
import { scopesIn } from '../../domain/setup/key-scopes.ts';
import { allowsPrefix } from '../admit.ts';
import { type AnyEndpoint, type Endpoint, needsKey } from '../endpoint.ts';
import { describeCalls, type Manner, SKU_ID_PARAMETER } from './calls.ts';
import { createCallExamples, EXAMPLE_IDS } from './examples.ts';
import { createFailureExamples } from './failure-examples.ts';
import type { JsonObject } from './failures.ts';
import { MARKETPLACE_EXAMPLES, STOREFRONT_EXAMPLES } from './marketplace-examples.ts';
import { PLAN_ID } from './plan-examples.ts';
import { REQUIREMENT_ID } from './requirement-examples.ts';

const FAILURE_TEXTS = {
  400: `The request breaks a rule. The response lists up to ${LIMITS.problems_max} problems: the format errors or, if there are none, the conflicts with your account settings.`,
  401: 'The token is missing, expired or not valid. Request a new one with `POST /token`.',
  403: 'The merchant is suspended, the scopes or the SKU prefix of the API key do not allow the call, or the signed URL was changed, has expired or was already used.',
  404: 'Not found: the SKU, file, report or node does not exist, or this part of the SKU is not set.',
  409: 'The first request with this `Idempotency-Key` is still running. Retry after the number of seconds in `Retry-After`.',
  412: 'The stored data does not match `If-Match` or `If-None-Match`. Nothing was changed.',
  422: 'This `Idempotency-Key` was used for another request.',
  429: 'Too many requests. Retry after the number of seconds in `Retry-After`.',
  500: "The server failed. The operator can find the cause in the server's log by the `X-Request-Id`.",
  503: 'The server cannot handle the request now. Retry after the number of seconds in `Retry-After`.',
};

const TAGS = {
  Token: 'Exchange your API key for a token, and check a token.',
  SKUs: 'Upload, read, list and archive the products you sell.',
  Price: 'Set and read the price of a SKU, overall and for each fulfillment node.',
  Inventory: 'Set and read the stock of a SKU at each fulfillment node.',
  Variation: 'Group SKUs that are variations of one product, such as colors.',
  Exceptions: 'Limit how a SKU ships, and set where customers return it.',
  History: 'Read who changed what on a SKU, and restore earlier values.',
  Review: 'Find out why a SKU has its status, and request a new review.',
  Files: 'Send many SKUs, prices or quantities in one file.',
  Plans: 'Try changes to many offers, apply exactly what you saw, and take it back.',
  Reports: 'Download all SKUs with status, price and stock.',
  Events: 'Follow changes to offers, files, reports and keys in order, instead of polling each.',
  Webhooks: 'Receive signed events on your own server.',
  'Account settings': 'Read your fulfillment nodes and return locations.',
  Requirements: 'See which requirements change, when, and which of your offers would fail.',
  Taxonomy: 'Find the category of a product and the attributes it needs. For the marketplace: replace the taxonomy.',
  Storefront: 'Read live offers of all merchants, by product, and follow their changes.',
  Merchants: 'Read, suspend and resume merchants.',
  Offers: 'Search the offers of all merchants, and have them reviewed again.',
  System: 'Read the review backlog.',
  Policies: 'Read and change what may be sold, and undo, postpone and cancel changes of rules.',
  Placeholders: 'Read and change the images that offers must not show.',
  Catalog: 'Read and correct products.',
  Health: 'Check that the server is up. For load balancers and monitoring.',
  Documentation: 'This document.',
};

const uuid = (description: string, example: string) => ({
  description,
  schema: { type: 'string', format: 'uuid' },
  example,
});

const PATH_PARAMETERS = {
  user_defined_sku_id: { ...SKU_ID_PARAMETER, example: EXAMPLE_IDS.sku },
  plan_id: uuid('Plan id, from `POST /plans`.', PLAN_ID),
  file_id: uuid('File id, from `GET /files/uploadToken`.', EXAMPLE_IDS.file),
  webhook_id: uuid('Webhook id, from the response that added the webhook.', EXAMPLE_IDS.webhook),
  report_id: uuid(
    'Report id, from a call that requests a report, such as `POST /reports/ProductStatus`.',
    EXAMPLE_IDS.report,
  ),
  fulfillment_node_id: {
    description: 'Id of one of your fulfillment nodes. Percent-encode it once; generated clients do that for you.',
    schema: { type: 'string', minLength: 1 },
    example: EXAMPLE_IDS.fulfillmentNode,
  },
  node_id: {
    description: 'Id of the taxonomy node.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: EXAMPLE_IDS.taxonomyNode,
  },
  change_id: {
    description: "Change id, from the SKU's history.",
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: EXAMPLE_IDS.change,
  },
  requirement_id: {
    description: 'Id of an announced change, from `GET /requirements/upcoming`.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: REQUIREMENT_ID,
  },
  merchant_id: {
    description: 'Merchant id.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.merchant_id_characters_max },
    example: 'demo',
  },
  hash: { description: 'Hash of the image, from the list.', schema: { type: 'string', minLength: 1 } },
  product_code: {
    description: 'A UPC, EAN, GTIN-14, ISBN or ASIN, or a `code` of another response. Percent-encode it once.',
    schema: { type: 'string', minLength: 1 },
    example: '012345678905',
  },
  version: { description: 'Use `v1`. Every value returns the same list.', schema: { type: 'string' }, example: 'v1' },
};

/** Says which scopes a key needs for the call, and whether a key with a SKU prefix may make it. */
function keyText(endpoint: AnyEndpoint): string | undefined {
  if (!needsKey(endpoint)) return undefined;
  const scopes = scopesIn(endpoint.needs).map((scope) => `\`${scope}\``);
  const needed = scopes.length === 0 ? 'No scope needed.' : `Scope: ${scopes.join(', ')}.`;
  return endpoint.access === 'marketplace' || allowsPrefix(endpoint)
    ? needed
    : `${needed} Not for keys with a SKU prefix.`;
}

export type Audience = 'merchants' | 'marketplace';

export const DOCUMENT_PATHS: Readonly<Record<Audience, string>> = {
  merchants: '/openapi.json',
  marketplace: '/marketplace/openapi.json',
};

/** Calls of both documents. */
const SHARED_PATHS: readonly string[] = ['/token', '/authcheck'];

function isFor(audience: Audience, { access, path }: Endpoint): boolean {
  if (path === DOCUMENT_PATHS[audience] || SHARED_PATHS.includes(path)) return true;
  if (Object.values(DOCUMENT_PATHS).includes(path)) return false;
  return (access === 'marketplace') === (audience === 'marketplace');
}

const ABOUT: Readonly<Record<Audience, { readonly title: string; readonly description: string }>> = {
  merchants: {
    title: 'Offerbook',
    description:
      'List and maintain product offers (SKUs) on a marketplace. Request a token with `POST /token` and send it as ' +
      '`Authorization: Bearer <id_token>`. A 202 means that the data is stored durably. An error lists up to ' +
      `${LIMITS.problems_max} problems: the format errors or, if there are none, the conflicts with your account settings. ` +
      'An unsupported method gets 405 with an `Allow` header. Responses of more than 1,024 bytes are compressed if ' +
      '`Accept-Encoding` names `br` or `gzip`. ' +
      'To run the examples on a demo server, send both SKU examples first, each to its own id. Then send ' +
      'price and inventory, and the archive flag last.',
  },
  marketplace: {
    title: 'Offerbook for the marketplace',
    description:
      "Calls of the marketplace's own programs, for all merchants. Create an API key of the marketplace in the portal or with " +
      '`offerbook keys add --marketplace`, request a token with `POST /token` and send it as `Authorization: Bearer <id_token>`. ' +
      'Merchants use `/openapi.json`.',
  },
};

export function createOpenApiDocument(
  endpoints: readonly Endpoint[],
  names: Names,
  publicUrl: string,
  audience: Audience = 'merchants',
): JsonObject {
  const described = endpoints.filter((endpoint) => isFor(audience, endpoint));
  const manner: Manner = {
    security: (endpoint) => (needsKey(endpoint) ? [{ bearer: [...scopesIn(endpoint.needs)] }] : []),
    about: keyText,
    failures: {
      texts: FAILURE_TEXTS,
      codes: Object.keys(API_PROBLEM_CODES),
      examples: createFailureExamples(names),
    },
    tags: TAGS,
    pathParameters: PATH_PARAMETERS,
    hasIdempotencyKeys: true,
    examples: {
      ...createCallExamples(names, publicUrl),
      ...(audience === 'marketplace' && { ...MARKETPLACE_EXAMPLES, ...STOREFRONT_EXAMPLES }),
    },
  };
  const { components, ...calls } = describeCalls(described, names, manner);
  return {
    openapi: '3.1.0',
    info: {
      ...ABOUT[audience],
      version: manifest.version,
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: publicUrl }],
    ...calls,
    components: {
      ...components,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `id_token` from `POST /token`. A call needs the scopes that its `security` lists.',
        },
      },
    },
  };
}
