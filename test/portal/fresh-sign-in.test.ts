/** Tests the calls that need a fresh sign-in: which they are, for how long they are allowed, and what renews the sign-in. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { PORTAL_ENDPOINTS } from '../../src/http/portal-access/portal-routes.ts';
import { assertProblems, requestProblem } from '../harness/api-client.ts';
import { browserSkipped } from '../harness/browser.ts';
import { OpenidProvider } from '../harness/openid-provider.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser, type SessionBody } from '../harness/portal-browser.ts';
import { portalInBrowser } from '../harness/portal-in-browser.ts';
import { isRun } from '../harness/scope.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const MINUTE_MS = 60_000;
const NOT_FRESH = requestProblem(
  'sign_in_not_fresh',
  'Your sign-in is too long ago for this change. Confirm that it is you, then repeat the change.',
);
const POLICY = { kind: 'excluded_brand', brand: 'Acme' };

const NEEDING = PORTAL_ENDPOINTS.filter(({ needsFreshSignIn }) => needsFreshSignIn);

function codesOf({ body }: { readonly body?: unknown }): string[] {
  return (body as { details?: { code: string }[] } | undefined)?.details?.map(({ code }) => code) ?? [];
}

describe('a fresh sign-in', () => {
  let server: TestServer;
  let provider: OpenidProvider;
  before(async () => {
    provider = await new OpenidProvider().listen();
    server = await startTestServer({ FRESH_SIGN_IN_MINUTES: '45', ...provider.settings });
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  it('is needed for the calls that give access or change the rules', () => {
    assert.deepEqual(NEEDING.map(({ id }) => id).sort(), [
      'addKey',
      'addMarketplaceKey',
      'addMerchant',
      'addPasskey',
      'addPlaceholder',
      'addPolicy',
      'addUser',
      'beginPasskey',
      'changeUserRole',
      'importTaxonomy',
      'removePasskey',
      'removePlaceholder',
      'removePolicy',
      'resetTaxonomy',
      'resetUser',
      'rollKey',
      'rollMarketplaceKey',
      'setNeedsPasskey',
    ]);
  });

  it('is at most as old as the setting, also after the token was replaced', async () => {
    const people = {
      operator: await addPerson(server, 'fresh-operator@demo.example', 'operator'),
      merchant: await addPerson(server, 'fresh-admin@demo.example', 'merchant-admin'),
    };
    const isNotFresh = async () => {
      const refused: boolean[] = [];
      for (const { method, path, access } of NEEDING) {
        const client = access === 'account' ? people.merchant : people.operator;
        const filled = path.replace('{environment}', 'test').replace(/\{\w+\}/g, 'unknown');
        // The body is invalid, so that nothing changes.
        const answer = await client.send(method, access === 'account' ? `/test${filled}` : filled, { kind: '?' });
        refused.push(codesOf(answer).includes('sign_in_not_fresh'));
        if (refused.at(-1)) assertProblems(answer, [NOT_FRESH], 403);
      }
      return new Set(refused);
    };
    server.passTime(31 * MINUTE_MS);
    for (const client of Object.values(people)) {
      const { cookie } = client;
      await client.get('/session');
      assert.notEqual(client.cookie, cookie, 'the token was replaced');
    }
    server.passTime(13 * MINUTE_MS);
    assert.deepEqual(await isNotFresh(), new Set([false]));
    server.passTime(MINUTE_MS);
    assert.deepEqual(await isNotFresh(), new Set([true]));
    assertProblems(await people.operator.post('/policies', POLICY), [NOT_FRESH], 403);
    assert.equal((await people.operator.post('/policies?preview=true', POLICY)).status, 200);
    assert.deepEqual(codesOf(await people.merchant.delete('/test/keys/unknown')), ['key_unknown']);
    const body = { current_password: PERSON_PASSWORD, password: `${PERSON_PASSWORD} 2` };
    assert.equal((await people.merchant.put('/password', body)).status, 202);
    assert.equal((await people.merchant.post('/test/keys', { name: 'ERP' })).status, 200);
    const again = await PortalBrowser.signIn(server.url, 'fresh-operator@demo.example', PERSON_PASSWORD);
    assert.equal((await again.post('/policies', POLICY)).status, 200);
    assert.equal((await again.post('/policies/remove', POLICY)).status, 200);
  });

  it('at the provider is the time at which it asked the person', async (t) => {
    const own = await startTestServer({ FRESH_SIGN_IN_MINUTES: '45', ...provider.settings });
    t.after(() => own.close());
    const seconds = Math.floor(Date.now() / 1000);
    const addedKey = async (auth_time: number | undefined, body: object) => {
      provider.claims = { sub: 'ann', email: 'ann@corp.example', roles: 'merchant-admin:demo', auth_time };
      const client = new PortalBrowser(own.url);
      const { url } = (await client.post('/session/provider', body)).body as { url: string };
      const { searchParams } = new URL(url);
      assert.equal(searchParams.get('max_age'), searchParams.get('prompt') === 'login' ? '0' : null);
      const { headers } = await fetch(url, { redirect: 'manual' });
      const query = new URL(headers.get('location') ?? '').search;
      const signedIn = (await client.post('/session/provider/return', { query })).body as SessionBody;
      client.csrfToken = signedIn.csrf_token ?? '';
      return (await client.post('/test/keys', { name: 'ERP' })).status;
    };
    assert.equal(await addedKey(seconds - 44 * 60, {}), 200);
    assert.equal(await addedKey(seconds - 46 * 60, {}), 403);
    assert.equal(await addedKey(undefined, {}), 403);
    assert.equal(await addedKey(undefined, { ask_again: true }), 200);
  });

  it('is never needed if the setting is 0', async (t) => {
    const own = await startTestServer({ FRESH_SIGN_IN_MINUTES: '0' });
    t.after(() => own.close());
    const client = await PortalBrowser.merchantOf(own.url);
    own.passTime(7 * 60 * MINUTE_MS);
    assert.equal((await client.post('/test/keys', { name: 'ERP' })).status, 200);
  });
});

describe('a fresh sign-in in a browser', { skip: browserSkipped() || !isRun('long') }, () => {
  const portal = portalInBrowser();

  it('is asked for in a dialog, which keeps what was typed', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/api-integration');
    portal.server.passTime(121 * MINUTE_MS);
    await page.getByRole('button', { name: 'Get API keys' }).click();
    const keys = page.getByRole('dialog', { name: /key/i });
    await keys.getByLabel('Name').fill('ERP');
    await keys.getByRole('button', { name: 'Create' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.getByText(`Sign in again as ${DEMO_PEOPLE.merchant}`).waitFor();
    await confirm.getByLabel(/^Password/).fill(DEMO_PASSWORD);
    await confirm.getByRole('button', { name: 'Sign in' }).click();
    await confirm.waitFor({ state: 'hidden' });
    assert.equal(await keys.getByLabel('Name').inputValue(), 'ERP');
    await keys.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Copy the secret now').waitFor();
  });
});
