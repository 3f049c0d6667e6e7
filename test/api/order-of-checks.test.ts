/** Tests the order of checks: each request breaks two adjacent rules, and the earlier one is reported. */
import assert from 'node:assert/strict';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import {
  type ApiClient,
  assertProblems,
  minimalSku,
  noSuchAddress,
  problemAt,
  requestProblem,
} from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer, withSetupStore } from '../harness/own-server.ts';
import { type RawRequest, sendRaw } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { askToken, changeSetup, tokenOf } from './fixtures/token-calls.ts';

const INVALID = requestProblem('token_invalid', 'The token is not valid. Request a new one with POST /token.');
const SUSPENDED = requestProblem(
  'merchant_suspended',
  'The marketplace has suspended this merchant. Contact the marketplace.',
);
const LIMITED = requestProblem(
  'rate_limited',
  'Too many requests: more than 3 in 60 seconds. Retry after the number of seconds in Retry-After.',
);
const BAD_ID = requestProblem('sku_id_invalid', 'The SKU id in the path must not be "." or "..".');
const ENCODED = requestProblem('body_encoded', 'The body must be plain JSON without a Content-Encoding.');
const PRICE = problemAt('too_small', 'price', 'must be a number from 0.01 to 1000000000');
const NODE = problemAt(
  'fulfillment_node_unknown',
  'fulfillment_nodes[0].fulfillment_node_id',
  'must be one of your fulfillment nodes: see GET /fulfillment-nodes',
);
const unknown = (skuId: string) => requestProblem('sku_unknown', `SKU ${skuId} not found.`);
const archived = (skuId: string) =>
  requestProblem('sku_archived', `SKU ${skuId} is archived and cannot be updated. Unarchive it first.`);

const BAD_BODY = { price: 0 };
const BAD_NODE = { price: 5, fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', fulfillment_node_price: 1 }] };

/** Sends the target unchanged; fetch would resolve `..`. */
const send = (api: ApiClient, request: RawRequest) =>
  sendRaw(api.server.url, { method: 'PUT', headers: { authorization: `Bearer ${api.token}` }, ...request });

async function suspend(api: ApiClient, suspended: boolean): Promise<void> {
  await withSetupStore(api.server.place, (store) => store.settings.setSuspended('demo', suspended));
  await waitUntil('the server to notice', 60_000, async () => {
    const { status } = await api.get('/authcheck');
    return (status === 403) === suspended || undefined;
  });
}

async function archivedSku(api: ApiClient, skuId: string): Promise<string> {
  const path = await api.uploadedSku({}, skuId);
  await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
  return path;
}

describeApi('order of checks', ({ accepts, refuses }) => {
  accepts('ERR-11', 'a request that passes every check', async (api) => {
    await api.accepted('PUT', `${await api.uploadedSku()}/price`, { price: 5 });
  });

  refuses('ERR-11', 'an unknown address before it checks the token', async (api) => {
    for (const authorization of ['', 'Bearer x'])
      assertProblems(
        await send(api, { target: '/nowhere', headers: { authorization }, body: '{' }),
        [noSuchAddress('PUT', '/nowhere')],
        404,
      );
  });

  refuses('ERR-11', 'a wrong method before it checks the token', async (api) => {
    const answer = await send(api, { method: 'DELETE', target: '/merchant-skus/..', headers: {} });
    const problem = requestProblem('method_not_allowed', 'This path accepts only PUT, GET, HEAD.');
    assertProblems(answer, [problem], 405);
  });

  refuses('ERR-12', 'a bad token before a suspended merchant, and that before the rate', async (api) => {
    await withOwnServer(api.variant, { REQUESTS_PER_MINUTE: '3' }, async (own) => {
      // The token call was the first of three.
      for (const status of [200, 200, 429]) assert.equal((await own.get('/authcheck')).status, status);
      assertProblems(await own.get('/authcheck'), [LIMITED], 429);
      await suspend(own, true);
      assertProblems(await own.get('/authcheck'), [SUSPENDED], 403);
      const headers = { authorization: `Bearer ${own.token}x` };
      assertProblems(await send(own, { method: 'GET', target: '/authcheck', headers }), [INVALID], 401);
      own.server.passTime(36_000_000);
      const expired = requestProblem('token_expired', 'The token has expired. Request a new one with POST /token.');
      assertProblems(await own.get('/authcheck'), [expired], 401);
    });
  });

  refuses(
    'ERR-12',
    'an exceeded rate before a missing scope, and that before the SKU prefix and the SKU id',
    async (api) => {
      await withOwnServer(api.variant, { REQUESTS_PER_MINUTE: '3' }, async (own) => {
        const { user, secret, stored } = issueCredential('test');
        const rights = { scopes: SCOPE.price, skuPrefix: 'A' };
        await changeSetup(own, (store, { test }) =>
          store.settings.addCredential(test, { ...stored, ...rights, name: 'a' }, Date.now(), 99),
        );
        const headers = { authorization: `Bearer ${tokenOf(await askToken(own, user, secret))}` };
        const text = (scope: string) => `This call needs the scope ${scope}, which the API key does not have.`;
        const missing = (scope: string) => requestProblem('scope_missing', text(scope));
        const read = { method: 'GET', target: '/merchant-skus/B', headers };
        assertProblems(await send(own, read), [missing('read')], 403);
        assertProblems(await send(own, { ...read, target: '/merchant-skus/..' }), [missing('read')], 403);
        assertProblems(await send(own, { target: '/merchant-skus/../price', headers, body: '{' }), [BAD_ID]);
        assertProblems(await send(own, read), [LIMITED], 429);
        await suspend(own, true);
        assertProblems(await send(own, read), [SUSPENDED], 403);
      });
    },
  );

  refuses('ERR-13', 'a suspended merchant and an exceeded rate before it checks the SKU id', async (api) => {
    await withOwnServer(api.variant, { REQUESTS_PER_MINUTE: '3' }, async (own) => {
      await own.get('/authcheck');
      await own.get('/authcheck');
      assertProblems(await send(own, { target: '/merchant-skus/../price', body: '{' }), [LIMITED], 429);
      await suspend(own, true);
      assertProblems(await send(own, { target: '/merchant-skus/../price', body: '{' }), [SUSPENDED], 403);
    });
  });

  refuses('ERR-14', 'an invalid SKU id before it checks the body', async (api) => {
    const target = '/merchant-skus/../price';
    const authorization = `Bearer ${api.token}`;
    assertProblems(await send(api, { target, body: '{' }), [BAD_ID]);
    assertProblems(await send(api, { target }), [BAD_ID]);
    assertProblems(await send(api, { target, headers: { authorization, 'content-encoding': 'gzip' }, body: '{' }), [
      BAD_ID,
    ]);
    assertProblems(await send(api, { target, body: ' '.repeat(1_100_000) }), [BAD_ID]);
  });

  refuses('ERR-15', 'a body that cannot be read before what it says, and that before an unknown SKU', async (api) => {
    const target = `/merchant-skus/${api.newSkuId()}/price`;
    const headers = { authorization: `Bearer ${api.token}`, 'content-encoding': 'gzip' };
    assertProblems(await send(api, { target, headers, body: '{' }), [ENCODED]);
    const tooLarge = requestProblem('body_too_large', 'The body must have at most 1048576 bytes.');
    assertProblems(await send(api, { target, body: '{'.padEnd(1_048_577) }), [tooLarge]);
    assertProblems(await send(api, { target, body: JSON.stringify(BAD_BODY) }), [PRICE]);
  });

  refuses('ERR-16', 'a bad body before it says that the SKU is archived', async (api) => {
    const path = await archivedSku(api, api.newSkuId());
    assertProblems(await api.put(`${path}/price`, BAD_BODY), [PRICE]);
    const title = problemAt('too_short', 'product_title', 'must have 5 to 500 characters');
    assertProblems(await api.put(path, { ...minimalSku(), product_title: '' }), [title]);
  });

  refuses('ERR-17', 'an unknown or archived SKU before rules that need stored data', async (api) => {
    const skuId = api.newSkuId();
    await api.refused('PUT', `/merchant-skus/${skuId}/price`, BAD_NODE, [unknown(skuId)], 404);
    const path = await archivedSku(api, skuId);
    await api.refused('PUT', `${path}/price`, BAD_NODE, [archived(skuId)]);
    await api.refused('PUT', `${path}/returnsexception`, { return_location_ids: ['nowhere'] }, [archived(skuId)]);
    const group = { relationship: 'Variation', variation_refinements: [119], children_skus: ['nowhere'] };
    await api.refused('PUT', `${path}/variation`, group, [archived(skuId)]);
    await api.accepted('PUT', `${path}/status/archive`, { is_archived: false });
    await api.refused('PUT', `${path}/price`, BAD_NODE, [NODE]);
  });

  refuses('ERR-18', 'a token request in its own order: encoding, body, fields, credentials', async (api) => {
    const token = (body: string, headers: Record<string, string> = {}) =>
      send(api, { method: 'POST', target: '/token', headers, body });
    assertProblems(await token('{', { 'content-encoding': 'gzip' }), [ENCODED]);
    const notJson = 'The body is not JSON: unexpected character at line 1, column 2.';
    assertProblems(await token('{'), [requestProblem('body_not_json', notJson)]);
    assertProblems(await token('{"user":"nobody"}'), [problemAt('required', 'pass', 'is required')]);
    const wrong = requestProblem('credentials_wrong', 'Incorrect user or secret.');
    assertProblems(await token('{"user":"nobody","pass":""}'), [wrong]);
  });
});
