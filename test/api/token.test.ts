/** Tests tokens: how they are requested and sent, and when they expire. */
import assert from 'node:assert/strict';
import { assertProblems, problemAt, requestProblem, requestToken, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import {
  askToken,
  assertAuthorized,
  assertUnauthorized,
  CREDENTIALS_WRONG,
  check,
  HOURS_10_MS,
  TOKEN_EXPIRED,
  TOKEN_INVALID,
  TOKEN_MISSING,
} from './fixtures/token-calls.ts';

describeApi('token', ({ accepts, refuses }) => {
  accepts('TOKEN-01', 'user and secret of a credential set', async (api) => {
    const before = Date.now();
    const answer = await askToken(api, 'demo-test-user', 'demo-test-secret');
    const body = answer.body as Record<string, string>;
    assert.deepEqual([answer.status, Object.keys(body)], [200, ['id_token', 'token_type', 'expires_on']]);
    assert.equal(body.token_type, 'Bearer');
    assert.match(body.expires_on ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const expiresMs = Date.parse(body.expires_on ?? '');
    assert.ok(expiresMs > before + HOURS_10_MS - 1000 && expiresMs <= Date.now() + HOURS_10_MS, body.expires_on);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assertAuthorized(await check(api, `Bearer ${body.id_token}`));
  });

  refuses('TOKEN-01', 'a request without user or secret, or with values that are not strings', async (api) => {
    const required = (field: string) => problemAt('required', field, 'is required');
    await api.refused('POST', '/token', {}, [required('user'), required('pass')]);
    assertProblems(await askToken(api, 'demo-test-user', null), [required('pass')]);
    assertProblems(await askToken(api, 5, ['x']), [
      problemAt('wrong_type', 'user', 'must be a string'),
      problemAt('wrong_type', 'pass', 'must be a string'),
    ]);
    assertProblems(await askToken(api, 'x'.repeat(2001), 'x'), [
      problemAt('too_long', 'user', 'must have at most 2000 characters'),
    ]);
  });

  refuses('TOKEN-02', 'an unknown user and a wrong secret with the same text', async (api) => {
    for (const [user, pass] of [
      ['nobody', 'demo-test-secret'],
      ['demo-test-user', 'wrong'],
      ['demo-test-user', ''],
      ['', ''],
      ['DEMO-TEST-USER', 'demo-test-secret'],
      ['demo-test-user', 'demo-test-secret '],
      ['demo-test-user', 'demo-live-secret'],
    ]) {
      const answer = await askToken(api, user, pass);
      assertProblems(answer, [CREDENTIALS_WRONG]);
      assert.equal(answer.headers.has('www-authenticate'), false);
    }
  });

  accepts('TOKEN-03', 'the scheme in any letter case', async (api) => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])
      assertAuthorized(await check(api, `${scheme} ${api.token}`));
  });

  refuses('TOKEN-03', 'no token, another scheme, and a token without a scheme', async (api) => {
    for (const authorization of ['', 'Bearer', `Basic ${api.token}`, api.token, `Bearer${api.token}`, 'Bearer a b'])
      assertUnauthorized(await check(api, authorization), TOKEN_MISSING);
  });

  accepts('TOKEN-04', 'any Authorization header on the token call and ignores it', async (api) => {
    for (const authorization of ['Bearer x', 'Basic eDp5', `Bearer ${api.token}`, 'garbage'])
      assert.equal((await askToken(api, 'demo-test-user', 'demo-test-secret', { authorization })).status, 200);
  });

  refuses('TOKEN-05', 'tokens that were altered, cut or issued elsewhere', async (api) => {
    const [header = '', payload = '', signature = ''] = api.token.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const none = encode({ alg: 'none', typ: 'JWT' });
    for (const token of [
      'x',
      '..',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${header}.${encode({ ...claims, sub: '2' })}.${signature}`,
      `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${api.token}.x`,
      'x'.repeat(5000),
    ])
      assertUnauthorized(await check(api, `Bearer ${token}`), TOKEN_INVALID);
    await withOwnServer(api.variant, {}, async (other) => {
      assertUnauthorized(await check(api, `Bearer ${other.token}`), TOKEN_INVALID);
    });
  });

  accepts('TOKEN-06', 'a token for 10 hours', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      own.server.passTime(HOURS_10_MS - 30_000);
      assertAuthorized(await own.get('/authcheck'));
    });
  });

  refuses('TOKEN-06', 'a token after 10 hours, on every call; a new one works', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      assertAuthorized(await own.get('/authcheck'));
      own.server.passTime(HOURS_10_MS);
      const path = skuPath(own.newSkuId());
      for (const [method, target] of [
        ['GET', '/authcheck'],
        ['GET', path],
        ['PUT', path],
        ['PATCH', `${path}/inventory`],
      ])
        assertUnauthorized(
          await own.send(method ?? '', target ?? '', method === 'GET' ? undefined : '{}'),
          TOKEN_EXPIRED,
        );
      assertAuthorized(await check(own, `Bearer ${await requestToken(own.server.url, 'test')}`));
    });
  });

  accepts('TOKEN-07', 'the credentials of each environment for its own data', async (api) => {
    const live = await api.inEnvironment('live');
    const skuId = api.newSkuId();
    const path = await api.uploadedSku({ brand: 'Test' }, skuId);
    await live.uploadedSku({ brand: 'Live' }, skuId);
    assert.deepEqual([(await api.found(path)).brand, (await live.found(path)).brand], ['Test', 'Live']);
  });

  refuses('TOKEN-07', 'to show the data of one environment in the other', async (api) => {
    const skuId = api.newSkuId();
    const path = await api.uploadedSku({}, skuId);
    const live = await api.inEnvironment('live');
    const unknown = requestProblem('sku_unknown', `SKU ${skuId} not found.`);
    await live.refused('GET', path, undefined, [unknown], 404);
    const { sku_urls: urls } = await live.found('/merchant-skus?limit=1000');
    assert.equal((urls as string[]).includes(path.slice(1)), false);
  });

  accepts('TOKEN-13', 'a valid token at /authcheck with a JSON string', async (api) => {
    const answer = await api.get('/authcheck');
    assert.deepEqual([answer.status, answer.body], [200, 'This message is authorized.']);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  });

  refuses('TOKEN-13', 'anything else at /authcheck', async (api) => {
    assertUnauthorized(await check(api, ''), TOKEN_MISSING);
    assertUnauthorized(await check(api, 'Bearer x'), TOKEN_INVALID);
  });
});
