/** Tests what API keys may do: every call with every scope, and keys with a SKU prefix. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import {
  ALL_RIGHTS,
  type KeyRights,
  SCOPE,
  SCOPES,
  type Scope,
  scopeSet,
  scopesIn,
} from '../../src/domain/setup/key-scopes.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { type ApiAnswer, ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { askToken, changeSetup, noticed, tokenOf } from './fixtures/token-calls.ts';

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
      '/shippingexception',
      '/returnsexception',
    ].map((part) => `GET /merchant-skus/{user_defined_sku_id}${part}`),
    'GET /merchant-skus',
    'GET /events',
    ...['POST /reports/ProductStatus', 'POST /reports/Fingerprints', 'GET /reports/state/{report_id}'],
    ...['GET /fulfillment-nodes', 'GET /fulfillment-nodes/{fulfillment_node_id}'],
    ...['GET /setup/fulfillmentNodes', 'GET /setup/returnsLocations'],
    ...['GET /taxonomy/links/{version}', 'GET /taxonomy/nodes/{node_id}', 'GET /taxonomy/nodes/{node_id}/attributes'],
    'GET /taxonomy/search',
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
  ],
  webhooks: [
    ...['POST /webhooks', 'GET /webhooks', 'GET /webhooks/{webhook_id}', 'PATCH /webhooks/{webhook_id}'],
    ...['DELETE /webhooks/{webhook_id}', 'POST /webhooks/{webhook_id}/secret', 'POST /webhooks/{webhook_id}/test'],
    ...['POST /webhooks/{webhook_id}/replay', 'GET /webhooks/{webhook_id}/deliveries'],
  ],
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
const ALL_CALLS = [...new Set(Object.values(CALLS).flat())];
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

/** Adds a key of the test environment and returns a client with its token. */
async function withKey(api: ApiClient, rights: Partial<KeyRights>): Promise<ApiClient> {
  const { user, secret, stored } = issueCredential('test');
  await changeSetup(api, (store, { test }) =>
    store.settings.addCredential(test, { ...stored, ...ALL_RIGHTS, ...rights, name: 'a' }, Date.now(), 99),
  );
  return new ApiClient(api.server, api.variant, tokenOf(await askToken(api, user, secret)));
}

describeApi(
  'scopes of keys',
  ({ accepts, refuses }) => {
    accepts('SCOPE-01', 'every call with a key that has only the scopes of the call', async (api) => {
      const known = ENDPOINTS.filter(({ access }) => access === 'merchant').map(
        ({ method, path }) => `${method} ${path}`,
      );
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
      for (const call of ALL_CALLS) {
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
      for (const call of ALL_CALLS.filter((each) => !WITHOUT_OFFERS.includes(each))) {
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
      for (const scope of SCOPES) assert.ok(GUIDE.includes(`\n| \`${scope}\` | `), `the guide explains ${scope}`);
      const { paths } = (await api.get('/openapi.json')).body as {
        paths: Record<string, Record<string, { security: { bearer: Scope[] }[]; description?: string }>>;
      };
      for (const call of ALL_CALLS) {
        const [method = '', path = ''] = call.split(' ');
        const { security, description = '' } = paths[path]?.[method.toLowerCase()] ?? assert.fail(call);
        assert.deepEqual(security, [{ bearer: needsOf(call) }], call);
        const scopes = scopesIn(scopeSet(needsOf(call))).map((scope) => `\`${scope}\``);
        const needed = scopes.length === 0 ? 'No scope needed.' : `Scope: ${scopes.join(', ')}.`;
        const isForPrefix =
          WITHOUT_OFFERS.includes(call) || (call.includes('{user_defined_sku_id}') && !ON_SEVERAL.includes(call));
        const end = isForPrefix ? needed : `${needed} Not for keys with a SKU prefix.`;
        assert.ok(description.endsWith(end), `${call}: ${description}`);
      }
    });
  },
  { REQUESTS_PER_MINUTE: '100000' },
);
