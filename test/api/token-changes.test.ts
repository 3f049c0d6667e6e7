/** Tests what revokes a token early, while the server runs: another credential set, a suspension. */
import assert from 'node:assert/strict';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { ApiClient, assertProblems, requestProblem, requestToken } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer, withSetupStore } from '../harness/own-server.ts';
import {
  askToken,
  assertAuthorized,
  assertUnauthorized,
  CREDENTIALS_WRONG,
  changeSetup,
  check,
  noticed,
  TOKEN_REVOKED,
  tokenOf,
} from './fixtures/token-calls.ts';

const SUSPENDED = requestProblem(
  'merchant_suspended',
  'The marketplace has suspended this merchant. Contact the marketplace.',
);

describeApi('token changes', ({ accepts, refuses }) => {
  refuses('TOKEN-08', 'the old secret and its tokens once the credential set is replaced', async (api) => {
    const live = await api.inEnvironment('live');
    assertAuthorized(await live.get('/authcheck'));
    const next = issueCredential('live');
    await changeSetup(api, (store, { live: accountId }) =>
      store.settings.rollCredential(accountId, null, next.stored, Date.now(), Date.now()),
    );
    await noticed(live, 401);
    assertUnauthorized(await live.get('/authcheck'), TOKEN_REVOKED);
    assertProblems(await askToken(api, 'demo-live-user', 'demo-live-secret'), [CREDENTIALS_WRONG]);
    assertAuthorized(await check(api, `Bearer ${tokenOf(await askToken(api, next.user, next.secret))}`));
    assertAuthorized(await api.get('/authcheck'));
  });

  accepts('TOKEN-08', 'both sets during the requested overlap, then only the new one', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      assertAuthorized(await own.get('/authcheck'));
      const next = issueCredential('test');
      const overlap_ms = 3_600_000;
      await changeSetup(own, (store, { test: accountId }) =>
        store.settings.rollCredential(accountId, null, next.stored, Date.now(), Date.now() + overlap_ms),
      );
      const newToken = tokenOf(await askToken(own, next.user, next.secret));
      own.server.passTime(overlap_ms - 60_000);
      const lateToken = tokenOf(await askToken(own, 'demo-test-user', 'demo-test-secret'));
      for (const token of [own.token, lateToken, newToken]) assertAuthorized(await check(own, `Bearer ${token}`));
      own.server.passTime(60_000);
      await noticed(own, 401);
      for (const token of [own.token, lateToken])
        assertUnauthorized(await check(own, `Bearer ${token}`), TOKEN_REVOKED);
      assertProblems(await askToken(own, 'demo-test-user', 'demo-test-secret'), [CREDENTIALS_WRONG]);
      assertAuthorized(await check(own, `Bearer ${newToken}`));
    });
  });

  refuses('TOKEN-10', 'a suspended merchant with 403 on everything except the token call', async (api) => {
    await changeSetup(api, (store) => store.settings.setSuspended('demo', true));
    await noticed(api, 403);
    const late = new ApiClient(api.server, api.variant, await requestToken(api.server.url, 'test'));
    for (const target of ['/authcheck', '/merchant-skus', '/merchant-skus/..%2F', '/fulfillment-nodes'])
      assertProblems(await late.get(target), [SUSPENDED], 403);
    assertProblems(await late.put('/merchant-skus/x', '{'), [SUSPENDED], 403);
    await changeSetup(api, (store) => store.settings.setSuspended('demo', false));
    await noticed(api, 200);
    assertAuthorized(await late.get('/authcheck'));
  });

  accepts('TOKEN-12', 'the demo secrets, stored only as hashes', async (api) => {
    await withSetupStore(api.server.place, async (store) => {
      const { user, secret } = DEMO_CREDENTIALS.test;
      const credential = await store.settings.readCredentialOfUser(user);
      assert.ok(credential);
      assert.deepEqual([credential.salt.length, credential.secretHash.length], [16, 32]);
      assert.ok(!JSON.stringify(credential).includes(secret));
    });
  });
});
