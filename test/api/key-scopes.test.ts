/** Tests what API keys may do: every call with every scope, and keys with a SKU prefix. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import {
  ALL_RIGHTS,
  type KeyRights,
  MARKETPLACE_SCOPES,
  MERCHANT_SCOPES,
  SCOPE,
  SCOPES,
  type Scope,
  scopeSet,
  scopesIn,
} from '../../src/domain/setup/key-scopes.ts';
import { needsKey } from '../../src/http/endpoint.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { type ApiAnswer, ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { askToken, changeSetup, noticed, TOKEN_REVOKED, tokenOf } from './fixtures/token-calls.ts';

const SHOP_WEBHOOKS = [
  ...['POST', 'GET'].map((method) => `${method} /storefront/webhooks`),
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /storefront/webhooks/{webhook_id}`),
  ...['POST /secret', 'POST /test', 'POST /replay', 'GET /deliveries'].map((call) =>
    call.replace(' ', ' /storefront/webhooks/{webhook_id}'),
  ),
];

/** The calls of each scope; a key needs all scopes that a call is listed under. */
const CALLS: Readonly<Record<Scope | 'none', readonly string[]>> = {
  none: ['GET /authcheck'],
  read: [
    ...[
      '',
      '/offer',
      '/price',
      '/inventory',
      '/variation',
      '/history',
      '/review',
      '/position',
      '/shippingexception',
      '/returnsexception',
    ].map((part) => `GET /merchant-skus/{user_defined_sku_id}${part}`),
    'GET /merchant-skus',
    'GET /events',
    ...[
      'POST /plans',
      'GET /plans',
      'GET /plans/{plan_id}',
      'POST /plans/{plan_id}/apply',
      'POST /plans/{plan_id}/undo',
    ],
    ...[
      'POST /reports/ProductStatus',
      'POST /reports/Fingerprints',
      'POST /reports/Offers',
      'GET /reports/state/{report_id}',
    ],
    ...['GET /fulfillment-nodes', 'GET /fulfillment-nodes/{fulfillment_node_id}'],
    ...['GET /setup/fulfillmentNodes', 'GET /setup/returnsLocations'],
    ...['GET /taxonomy/links/{version}', 'GET /taxonomy/nodes/{node_id}', 'GET /taxonomy/nodes/{node_id}/attributes'],
    ...['GET /taxonomy/nodes/{node_id}/schema', 'GET /taxonomy/search'],
    ...[
      'GET /requirements/upcoming',
      'GET /requirements/upcoming/{requirement_id}/offers',
      'GET /requirements/changes',
    ],
  ],
  listing: [
    ...['', '/v2', '/offer', '/variation', '/shippingexception', '/returnsexception', '/status/archive'].map(
      (part) => `PUT /merchant-skus/{user_defined_sku_id}${part}`,
    ),
    'POST /merchant-skus/{user_defined_sku_id}/review',
    'POST /merchant-skus/{user_defined_sku_id}/review/fixes',
    'POST /merchant-skus/{user_defined_sku_id}/history/{change_id}/restore',
  ],
  price: [
    'PUT /merchant-skus/{user_defined_sku_id}/price',
    'PUT /merchant-skus/{user_defined_sku_id}/offer',
    'POST /merchant-skus/{user_defined_sku_id}/history/{change_id}/restore',
  ],
  stock: [
    'PATCH /merchant-skus/{user_defined_sku_id}/inventory',
    'PUT /merchant-skus/{user_defined_sku_id}/offer',
    'POST /merchant-skus/{user_defined_sku_id}/history/{change_id}/restore',
  ],
  files: [
    ...['GET /files/uploadToken', 'POST /files/uploaded', 'GET /files', 'GET /files/{file_id}'],
    'POST /files/{file_id}/cancel',
    'POST /files/{file_id}/undo',
  ],
  webhooks: [
    ...['POST /webhooks', 'GET /webhooks', 'GET /webhooks/{webhook_id}', 'PATCH /webhooks/{webhook_id}'],
    ...['DELETE /webhooks/{webhook_id}', 'POST /webhooks/{webhook_id}/secret', 'POST /webhooks/{webhook_id}/test'],
    ...['POST /webhooks/{webhook_id}/replay', 'GET /webhooks/{webhook_id}/deliveries'],
  ],
  storefront: [
    ...['GET /storefront/products', 'GET /storefront/products/{product_code}', 'GET /storefront/events'],
    ...['POST /storefront/exports', 'GET /storefront/exports/{export_id}', 'GET /storefront/taxonomy/tree'],
    ...SHOP_WEBHOOKS,
  ],
  operate: [
    ...['GET /merchants', 'GET /merchants/{merchant_id}', 'POST /merchants/{merchant_id}/suspend'],
    ...['POST /merchants/{merchant_id}/resume', 'GET /offers', 'POST /offers/recheck', 'GET /review-backlog'],
    ...['GET /policies', 'POST /policies', 'POST /policies/remove', 'GET /placeholders', 'POST /placeholders'],
    ...['DELETE /placeholders/{hash}', 'GET /catalog', 'PUT /catalog', 'GET /taxonomy/tree', 'GET /taxonomy/search'],
    ...['POST /taxonomy/preview', 'POST /taxonomy/import', 'POST /taxonomy/reset', 'GET /rule-changes'],
    ...['POST /rule-changes/{change_id}/undo', 'GET /announced-changes', 'PUT /announced-changes/{change_id}/date'],
    ...['POST /announced-changes/{change_id}/cancel', 'POST /announced-changes/{change_id}/restore'],
  ]
    .map((call) => call.replace(' ', ' /marketplace'))
    .concat(SHOP_WEBHOOKS),
};
/** Calls that a key with a SKU prefix may make whatever the prefix is. */
const WITHOUT_OFFERS = [
  ...CALLS.none,
  ...CALLS.read.filter((call) => /^GET \/(?:fulfillment-nodes|setup|taxonomy|requirements\/changes)/.test(call)),
];
/** Calls on one SKU that concern others too. */
const ON_SEVERAL = [
  'PUT /merchant-skus/{user_defined_sku_id}/variation',
  'POST /merchant-skus/{user_defined_sku_id}/history/{change_id}/restore',
];
const MARKETPLACE_CALLS = [...new Set(MARKETPLACE_SCOPES.flatMap((scope) => CALLS[scope]))];
const MERCHANT_CALLS = [...new Set(MERCHANT_SCOPES.flatMap((scope) => CALLS[scope]))];
const ALL_CALLS = [...CALLS.none, ...MERCHANT_CALLS, ...MARKETPLACE_CALLS];
const ALL_OF_MARKETPLACE = scopeSet(MARKETPLACE_SCOPES);
const needsOf = (call: string) => SCOPES.filter((scope) => CALLS[scope].includes(call));

const GUIDE = readFileSync(new URL('../../docs/guides/api-keys.md', import.meta.url), 'utf8');

const FILLED: Readonly<Record<string, string>> = { user_defined_sku_id: 'ACME-1', version: 'v1' };

/** Sends a call with ids that do not exist and an empty body, so that it changes no offer. */
function send(api: ApiClient, call: string, skuId = 'ACME-1'): Promise<ApiAnswer> {
  const [method = '', path = ''] = call.split(' ');
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name === 'user_defined_sku_id' ? encodeURIComponent(skuId) : (FILLED[name] ?? '7'),
  );
  return api.send(method, target, ['GET', 'DELETE'].includes(method) ? undefined : {});
}

const scopeMissing = (text: string) =>
  requestProblem('scope_missing', `This call needs the ${text}, which the API key does not have.`);
const outside = (prefix: string, subject = 'The API key') =>
  requestProblem('sku_outside_prefix', `${subject} can only use SKU ids that begin with ${JSON.stringify(prefix)}.`);
const several = (prefix: string) => outside(prefix, 'This call concerns several SKUs, but the API key');

function namesOf(scopes: readonly Scope[]): string {
  if (scopes.length === 1) return `scope ${scopes[0]}`;
  return `scopes ${scopes.slice(0, -1).join(', ')} and ${scopes.at(-1)}`;
}

function assertAdmitted(answer: ApiAnswer, what: string): void {
  assert.ok(![401, 403, 405, 429, 500].includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
}

const pathOf = (call: string) => call.slice(call.indexOf(' ') + 1);

type DescribedPaths = Record<string, Record<string, { security: { bearer: Scope[] }[]; description?: string }>>;

async function describedCalls(api: ApiClient, document: string): Promise<DescribedPaths> {
  return ((await api.get(document)).body as { paths: DescribedPaths }).paths;
}

/** Adds a key of the test environment, of the demo merchant or the marketplace, and returns a client with its token. */
async function withKey(api: ApiClient, rights: Partial<KeyRights>): Promise<ApiClient> {
  const { user, secret, stored } = issueCredential('test');
  await changeSetup(api, async ({ settings }, { test }) => {
    const isOfMarketplace = ((rights.scopes ?? 0) & ALL_OF_MARKETPLACE) !== 0;
    const account = isOfMarketplace ? await settings.addMarketplaceAccount('test') : test;
    await settings.addCredential(account, { ...stored, ...ALL_RIGHTS, ...rights, name: 'a' }, Date.now(), 99);
  });
  return new ApiClient(api.server, api.variant, tokenOf(await askToken(api, user, secret)));
}

describeApi(
  'scopes of keys',
  ({ accepts, refuses }) => {
    accepts('SCOPE-01', 'every call with a key that has only the scopes of the call', async (api) => {
      const known = ENDPOINTS.filter(needsKey).map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(known.toSorted(), ALL_CALLS.toSorted());
      const keys = new Map<number, ApiClient>();
      for (const call of ALL_CALLS) {
        // A key needs at least one scope.
        const scopes = scopeSet(needsOf(call)) || SCOPE.webhooks;
        const key = keys.get(scopes) ?? (await withKey(api, { scopes }));
        keys.set(scopes, key);
        assertAdmitted(await send(key, call), call);
      }
    });

    refuses('SCOPE-01', 'every call with a key that has all other scopes, or lacks one of them', async (api) => {
      const without = new Map<number, ApiClient>();
      for (const call of MERCHANT_CALLS) {
        const needs = needsOf(call);
        for (const missing of new Set([needs, ...needs.map((scope) => [scope])])) {
          if (missing.length === 0) continue;
          const scopes = ALL_RIGHTS.scopes & ~scopeSet(missing);
          const key = without.get(scopes) ?? (await withKey(api, { scopes }));
          without.set(scopes, key);
          assertProblems(await send(key, call), [scopeMissing(namesOf(missing))], 403);
        }
      }
    });

    refuses('SCOPE-01', 'a HEAD request, a dry run and a request with an Idempotency-Key alike', async (api) => {
      const path = await api.uploadedSku();
      const key = await withKey(api, { scopes: SCOPE.stock });
      const head = await key.send('HEAD', path);
      assert.deepEqual([head.status, head.text], [403, '']);
      const price = [scopeMissing('scope price')];
      await key.refused('PUT', `${path}/price?dry_run=true`, { price: 5 }, price, 403);
      const once = { 'idempotency-key': 'a-price' };
      assert.equal((await api.send('PUT', `${path}/price`, { price: 5 }, once)).status, 202);
      assertProblems(await key.send('PUT', `${path}/price`, { price: 5 }, once), price, 403);
      assert.deepEqual((await api.foundNow(`${path}/price`)).price, 5);
    });

    accepts('SCOPE-02', 'calls on the SKUs of a key with a prefix, and calls that concern no offers', async (api) => {
      const skuPrefix = 'ACME-';
      const key = await withKey(api, { skuPrefix });
      const onOwn = ALL_CALLS.filter((call) => call.includes('{user_defined_sku_id}') && !ON_SEVERAL.includes(call));
      for (const call of [...onOwn, ...WITHOUT_OFFERS]) assertAdmitted(await send(key, call), call);
      for (const skuId of ['ACME-', 'ACME-ä/ö']) {
        await key.accepted('PUT', `/merchant-skus/${encodeURIComponent(skuId)}`, minimalSku());
      }
      const headers = { authorization: `Bearer ${key.token}` };
      const target = '/merchant-skus/%41CME%2D/inventory';
      assert.equal((await sendRaw(api.server.url, { target, headers })).status, 200);
    });

    refuses('SCOPE-02', 'calls on other SKUs, and calls that concern several', async (api) => {
      const skuPrefix = 'ACME-';
      const key = await withKey(api, { skuPrefix });
      for (const call of MERCHANT_CALLS.filter((each) => !WITHOUT_OFFERS.includes(each))) {
        const isOnOne = call.includes('{user_defined_sku_id}') && !ON_SEVERAL.includes(call);
        const problem = isOnOne ? outside(skuPrefix) : several(skuPrefix);
        for (const skuId of ['ACME', 'acme-1', 'x ACME-1'])
          assertProblems(await send(key, call, skuId), [problem], 403);
        if (!isOnOne) assertProblems(await send(key, call), [problem], 403);
      }
      await key.refused('GET', '/merchant-skus?sku=ACME-1', undefined, [several(skuPrefix)], 403);
      const headers = { authorization: `Bearer ${key.token}` };
      const invalid = await sendRaw(api.server.url, { target: '/merchant-skus/..', headers });
      assertProblems(invalid, [requestProblem('sku_id_invalid', 'The SKU id in the path must not be "." or "..".')]);
    });

    refuses('SCOPE-03', 'the same calls once the key is rolled, and every call once it is revoked', async (api) => {
      const [first, next] = [issueCredential('test'), issueCredential('test')];
      const rights = { scopes: SCOPE.read, skuPrefix: 'ACME-' };
      await changeSetup(api, async (store, { test }) => {
        await store.settings.addCredential(test, { ...first.stored, ...rights, name: 'a' }, Date.now(), 99);
        await store.settings.rollCredential(test, first.user, next.stored, Date.now(), Date.now() + 600_000);
      });
      for (const { user, secret } of [first, next]) {
        const key = new ApiClient(api.server, api.variant, tokenOf(await askToken(api, user, secret)));
        await key.refused('PUT', '/merchant-skus/ACME-1', {}, [scopeMissing('scope listing')], 403);
        await key.refused('GET', '/merchant-skus/OTHER', undefined, [outside('ACME-')], 403);
        assert.equal((await key.get('/authcheck')).status, 200);
        await changeSetup(api, (store, { test }) => store.settings.revokeCredential(test, user));
        await noticed(key, 401);
        assert.equal((await key.get('/merchant-skus/ACME-1')).status, 401);
      }
    });

    accepts('SCOPE-04', 'more refused requests than the limit, because they do not count', async (api) => {
      await withOwnServer(api.variant, { REQUESTS_PER_MINUTE: '3' }, async (own) => {
        // Its token is the second request of three.
        const key = await withKey(own, { scopes: SCOPE.price, skuPrefix: 'A' });
        for (let n = 0; n < 3; n++) {
          const answer = await key.get('/merchant-skus');
          assertProblems(answer, [scopeMissing('scope read')], 403);
          assert.equal(answer.headers.get('ratelimit-remaining'), '1');
          await key.refused('PUT', '/merchant-skus/B/price', {}, [outside('A')], 403);
        }
        assert.equal((await own.get('/authcheck')).status, 200);
        const limited =
          'Too many requests: more than 3 in 60 seconds. Retry after the number of seconds in Retry-After.';
        await key.refused('GET', '/merchant-skus', undefined, [requestProblem('rate_limited', limited)], 429);
      });
    });

    accepts('SCOPE-05', 'scopes in the OpenAPI document, for every call with a token', async (api) => {
      for (const scope of MERCHANT_SCOPES)
        assert.ok(GUIDE.includes(`\n| \`${scope}\` | `), `the guide explains ${scope}`);
      const merchants = await describedCalls(api, '/openapi.json');
      const marketplace = await describedCalls(api, '/marketplace/openapi.json');
      for (const call of ALL_CALLS) {
        const paths = MARKETPLACE_CALLS.includes(call) ? marketplace : merchants;
        const [method = '', path = ''] = call.split(' ');
        const { security, description = '' } = paths[path]?.[method.toLowerCase()] ?? assert.fail(call);
        assert.deepEqual(security, [{ bearer: needsOf(call) }], call);
        const scopes = scopesIn(scopeSet(needsOf(call))).map((scope) => `\`${scope}\``);
        const needed = scopes.length === 0 ? 'No scope needed.' : `Scope: ${scopes.join(', ')}.`;
        const isForPrefix =
          MARKETPLACE_CALLS.includes(call) ||
          WITHOUT_OFFERS.includes(call) ||
          (call.includes('{user_defined_sku_id}') && !ON_SEVERAL.includes(call));
        const end = isForPrefix ? needed : `${needed} Not for keys with a SKU prefix.`;
        assert.ok(description.endsWith(end), `${call}: ${description}`);
      }
      for (const call of MARKETPLACE_CALLS) assert.ok(!(pathOf(call) in merchants), call);
      const both = ['/token', '/authcheck', '/marketplace/openapi.json'];
      assert.deepEqual(
        Object.keys(marketplace).toSorted(),
        [...new Set([...both, ...MARKETPLACE_CALLS.map(pathOf)])].toSorted(),
      );
    });

    refuses('SCOPE-06', "merchants' keys on calls of the marketplace, and the reverse", async (api) => {
      const merchant = await withKey(api, {});
      for (const scope of MARKETPLACE_SCOPES) {
        const other = await withKey(api, { scopes: ALL_OF_MARKETPLACE & ~SCOPE[scope] });
        for (const call of CALLS[scope]) {
          assertProblems(await send(merchant, call), [scopeMissing(namesOf(needsOf(call)))], 403);
          assertProblems(await send(other, call), [scopeMissing(`scope ${scope}`)], 403);
        }
      }
      const marketplace = await withKey(api, { scopes: ALL_OF_MARKETPLACE });
      for (const call of MERCHANT_CALLS) {
        assertProblems(await send(marketplace, call), [scopeMissing(namesOf(needsOf(call)))], 403);
      }
      assert.equal((await marketplace.get('/authcheck')).status, 200);
    });

    accepts('SCOPE-07', 'requests of the marketplace up to their own limit, in each environment', async (api) => {
      const settings = { REQUESTS_PER_MINUTE: '3', MARKETPLACE_REQUESTS_PER_MINUTE: '4' };
      await withOwnServer(api.variant, settings, async (own) => {
        // The tokens of the two keys count too.
        const [one, other] = [
          await withKey(own, { scopes: SCOPE.operate }),
          await withKey(own, { scopes: SCOPE.operate }),
        ];
        assert.equal((await one.get('/marketplace/merchants')).headers.get('ratelimit-remaining'), '1');
        assert.equal((await other.get('/authcheck')).headers.get('ratelimit-limit'), '4');
        const limited =
          'Too many requests: more than 4 in 60 seconds. Retry after the number of seconds in Retry-After.';
        await one.refused('GET', '/authcheck', undefined, [requestProblem('rate_limited', limited)], 429);
        assert.equal((await own.get('/authcheck')).headers.get('ratelimit-limit'), '3');
      });
    });

    refuses('SCOPE-08', 'every call with a key of the marketplace once it is rolled or revoked', async (api) => {
      const [first, next] = [issueCredential('test'), issueCredential('test')];
      let account = 0;
      await changeSetup(api, async ({ settings }) => {
        account = await settings.addMarketplaceAccount('test');
        const rights = { scopes: SCOPE.operate, skuPrefix: '', name: 'a' };
        await settings.addCredential(account, { ...first.stored, ...rights }, Date.now(), 99);
      });
      const old = new ApiClient(api.server, api.variant, tokenOf(await askToken(api, first.user, first.secret)));
      assert.equal((await old.get('/marketplace/merchants')).status, 200);
      await changeSetup(api, ({ settings }) =>
        settings.rollCredential(account, first.user, next.stored, Date.now(), Date.now()),
      );
      await noticed(old, 401);
      const key = new ApiClient(api.server, api.variant, tokenOf(await askToken(api, next.user, next.secret)));
      assert.equal((await key.get('/marketplace/merchants')).status, 200);
      await changeSetup(api, ({ settings }) => settings.revokeCredential(account, next.user));
      await noticed(key, 401);
      await key.refused('GET', '/marketplace/merchants', undefined, [TOKEN_REVOKED], 401);
    });
  },
  { REQUESTS_PER_MINUTE: '100000' },
);
