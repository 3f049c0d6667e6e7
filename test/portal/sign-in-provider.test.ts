/** Tests the sign-in with an OpenID provider: what is accepted, what is refused, and what the provider decides about users. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { LIMITS } from '../../src/domain/limits.ts';
import { type ApiAnswer, assertProblems, problemAt, requestProblem } from '../harness/api-client.ts';
import { browserSkipped, openPage } from '../harness/browser.ts';
import { OpenidProvider } from '../harness/openid-provider.ts';
import { addPerson, PortalBrowser, type SessionBody } from '../harness/portal-browser.ts';
import { isRun } from '../harness/scope.ts';
import { sharedBrowser } from '../harness/shared-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const FAILED = requestProblem(
  'provider_sign_in_failed',
  'The sign-in was not confirmed, or took too long. Start again.',
);
const UNAVAILABLE = requestProblem(
  'provider_unavailable',
  'The sign-in provider is not available. Sign in with a password, or retry later.',
);
const accountRefused = (reason: string) => requestProblem('provider_account_refused', `${reason} Ask the marketplace.`);
const OF_PROVIDER = requestProblem(
  'user_of_provider',
  'The sign-in provider manages this user: the role comes from there, and there is no password.',
);

const INITIAL = { ...new OpenidProvider() };

/** Goes to the provider as the browser does; returns the query with which it comes back. */
async function visitProvider(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '').search;
}

async function begin(client: PortalBrowser): Promise<string> {
  const answer = await client.post('/session/provider', {});
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { url: string }).url;
}

const finish = (client: PortalBrowser, query: string) => client.post('/session/provider/return', { query });

async function signIn(client: PortalBrowser): Promise<ApiAnswer> {
  return finish(client, await visitProvider(await begin(client)));
}

for (const { title, store, settings, skip } of VARIANTS_BY_SCOPE) {
  describe(`signing in with a provider (${title})`, { skip }, () => {
    let server: TestServer;
    let provider: OpenidProvider;
    before(async () => {
      provider = await new OpenidProvider().listen();
      server = await startTestServer({ ...settings, ...provider.settings }, store);
    });
    beforeEach(() => void Object.assign(provider, { ...INITIAL, url: provider.url }));
    after(async () => {
      await server.close();
      await provider.close();
    });

    const personOf = async (claims: Record<string, unknown>) => {
      provider.claims = claims;
      const client = new PortalBrowser(server.url);
      const answer = await signIn(client);
      assert.equal(answer.status, 200, answer.text);
      client.csrfToken = (answer.body as SessionBody).csrf_token ?? '';
      return { client, person: (answer.body as SessionBody).person };
    };
    const refusedWith = async (claims: Record<string, unknown>, reason: string) => {
      provider.claims = claims;
      assertProblems(await signIn(new PortalBrowser(server.url)), [accountRefused(reason)], 403);
    };

    it('names the provider, and sends the browser there with state, nonce and PKCE', async () => {
      const client = new PortalBrowser(server.url);
      const session = await client.found<{ sign_in_provider: string }>('/session');
      assert.equal(session.sign_in_provider, 'Corp ID');
      const answer = await client.post('/session/provider', {});
      assert.match(
        String(answer.headers.get('set-cookie')),
        /^offerbook_sign_in=\d{13}\.[\w-]{43}; Max-Age=600; Path=\/portal; HttpOnly; SameSite=Strict$/,
      );
      const { origin, pathname, searchParams } = new URL((answer.body as { url: string }).url);
      assert.equal(origin + pathname, `${provider.url}/authorize`);
      const { state, nonce, code_challenge, ...rest } = Object.fromEntries(searchParams);
      for (const secret of [state, nonce, code_challenge]) assert.match(secret ?? '', /^[\w-]{43}$/);
      assert.equal(new Set([state, nonce, code_challenge]).size, 3);
      assert.deepEqual(rest, {
        client_id: 'offerbook-test',
        response_type: 'code',
        redirect_uri: `${server.url}/portal/sign-in/return`,
        scope: 'openid email',
        code_challenge_method: 'S256',
      });
    });

    it('adds the user, whose role, merchant and email follow the claims', async () => {
      const operator = { email: 'ann@corp.example', role: 'operator', merchant: null, passwordless: true };
      const first = await personOf({ sub: 'ann', email: 'Ann@Corp.example', roles: ['other', 'operator'] });
      assert.deepEqual(first.person, operator);
      const merchant = { id: 'demo', name: 'Demo merchant', suspended: false };
      const admin = { email: 'ann.b@corp.example', role: 'merchant-admin', merchant, passwordless: true };
      const second = await personOf({ sub: 'ann', email: 'ann.b@corp.example', roles: 'merchant-admin:demo' });
      assert.deepEqual(second.person, admin);
      assert.deepEqual((await first.client.found<SessionBody>('/session')).person, admin, 'open sessions follow');
      const log = await (await PortalBrowser.operatorOf(server.url)).found<{ acts: Record<string, unknown>[] }>(
        '/acts',
      );
      const acts = log.acts.filter(({ act }) => act === 'signInWithProvider').map(({ at, ...act }) => act);
      assert.deepEqual(
        acts.map(({ by, subject, detail }) => [by, subject, detail]),
        [
          ['ann.b@corp.example', 'demo', 'was ann@corp.example, operator, role: merchant-admin'],
          ['ann@corp.example', '', 'new user, role: operator'],
        ],
      );
      const { client } = await personOf({ sub: 'ann', email: 'ann.b@corp.example', roles: 'merchant-admin:demo' });
      const { users } = await client.found<{ users: { email: string; of_provider: boolean }[] }>('/users');
      const flags = users.map(({ email, of_provider }) => [email, of_provider]);
      assert.deepEqual(flags, [
        ['ann.b@corp.example', true],
        ['merchant@demo.example', false],
      ]);
    });

    it('takes the role with the most rights, of one merchant', async () => {
      const roles = ['merchant-viewer:demo', 'merchant-admin:demo', 'merchant-viewer:none'];
      assert.equal((await personOf({ sub: 'b', email: 'b@corp.example', roles })).person?.role, 'merchant-admin');
      await refusedWith(
        { sub: 'b', email: 'b@corp.example', roles: ['merchant-viewer:demo', 'merchant-viewer:none'] },
        'Your account has roles of several merchants. It may have only one.',
      );
    });

    it('refuses accounts without a usable role, email or merchant', async () => {
      const ben = { sub: 'ben', email: 'ben@corp.example' };
      const wrong = [
        undefined,
        [],
        'admin',
        'operator:demo',
        'merchant-admin',
        'merchant-admin:',
        'merchant-viewer:a:b',
      ];
      for (const roles of [...wrong, { operator: true }, [['operator']]]) {
        await refusedWith({ ...ben, roles }, 'Your account has no role here.');
      }
      const roles = ['operator'];
      for (const email of [undefined, '', 'ben', 'ben@corp', `${'x'.repeat(242)}@corp.example`]) {
        await refusedWith({ ...ben, email, roles }, 'The provider sent no valid email address for your account.');
      }
      const unverified = 'The provider has not verified the email address of your account.';
      await refusedWith({ ...ben, email_verified: false, roles }, unverified);
      await refusedWith(
        { ...ben, roles: ['merchant-viewer:nobody'] },
        'Your account belongs to merchant nobody, which does not exist.',
      );
      assert.equal(
        (await personOf({ ...ben, email: `${'x'.repeat(241)}@corp.example`, roles })).person?.role,
        'operator',
      );
    });

    it('never takes over a user of another account or with a password', async () => {
      const taken = (email: string) => `${email} is the address of another user here, who must be removed first.`;
      const roles = ['operator'];
      await refusedWith({ sub: 'x', email: 'operator@demo.example', roles }, taken('operator@demo.example'));
      await personOf({ sub: 'cleo', email: 'cleo@corp.example', roles });
      await refusedWith({ sub: 'x', email: 'cleo@corp.example', roles }, taken('cleo@corp.example'));
    });

    it('users of the provider get no password and no role from admins, and can be removed', async () => {
      const { client } = await personOf({ sub: 'dan', email: 'dan@corp.example', roles: 'merchant-viewer:demo' });
      const admin = await PortalBrowser.merchantOf(server.url);
      assertProblems(await admin.post('/users/dan@corp.example/reset'), [OF_PROVIDER]);
      assertProblems(await admin.put('/users/dan@corp.example', { role: 'merchant-admin' }), [OF_PROVIDER]);
      assert.equal((await admin.delete('/users/dan@corp.example')).status, 202);
      assert.equal((await client.found<SessionBody>('/session')).person, null);
    });

    it('ends the session after 12 hours, even if it is in use', async () => {
      const { client } = await personOf({ sub: 'eve', email: 'eve@corp.example', roles: 'operator' });
      const half_ms = (LIMITS.provider_session_lifetime_seconds * 1000) / 2;
      server.passTime(half_ms);
      assert.equal((await client.found<SessionBody>('/session')).person?.email, 'eve@corp.example');
      server.passTime(half_ms);
      assert.equal((await client.found<SessionBody>('/session')).person, null);
    });

    it('refuses a response that does not belong to the sign-in of this browser', async () => {
      const client = new PortalBrowser(server.url);
      const query = await visitProvider(await begin(client));
      const other = new PortalBrowser(server.url);
      assertProblems(await finish(other, query), [FAILED]);
      await begin(other);
      assertProblems(await finish(other, query), [FAILED]);
      const code = new URLSearchParams(query).get('code');
      for (const wrong of ['', `?code=${code}`, `?code=${code}&state=wrong`, query.replace('code=', 'code=0')]) {
        assertProblems(await finish(client, wrong), [FAILED]);
      }
      const answer = await finish(client, query);
      assert.equal(answer.status, 200, answer.text);
      assertProblems(await finish(client, query), [FAILED]);
      assertProblems(await client.post('/session/provider/return', {}), [
        problemAt('required', 'query', 'is required'),
      ]);
      const long = 'x'.repeat(LIMITS.provider_response_characters_max + 1);
      assertProblems(await finish(client, long), [problemAt('too_long', 'query', 'must have at most 6000 characters')]);
    });

    it('refuses a response that comes too late, and an altered cookie', async () => {
      const window_ms = LIMITS.provider_sign_in_seconds * 1000;
      for (const [late_ms, status] of [
        [window_ms - 60_000, 200],
        [window_ms, 400],
      ] as const) {
        const client = new PortalBrowser(server.url);
        const query = await visitProvider(await begin(client));
        server.passTime(late_ms);
        assert.equal((await finish(client, query)).status, status);
      }
      const client = new PortalBrowser(server.url);
      const query = await visitProvider(await begin(client));
      client.cookie = client.cookie?.replace('=1', '=9');
      assertProblems(await finish(client, query), [FAILED]);
    });

    it('refuses ID tokens for another sign-in, program or issuer, expired ones, and forged ones', async () => {
      const past = Math.floor(Date.now() / 1000) - 600;
      const forgeries = [{ nonce: 'wrong' }, { nonce: undefined }, { aud: 'other' }, { iss: 'https://evil.example' }];
      for (const forged of [...forgeries, { exp: past }, { sub: undefined }]) {
        provider.forged = forged;
        assertProblems(await signIn(new PortalBrowser(server.url)), [FAILED]);
      }
      Object.assign(provider, { forged: {}, isForged: true });
      assertProblems(await signIn(new PortalBrowser(server.url)), [FAILED]);
    });

    it('refuses an expired code, and a person who cancels at the provider', async () => {
      provider.isExpired = true;
      assertProblems(await signIn(new PortalBrowser(server.url)), [FAILED]);
      Object.assign(provider, { isExpired: false, refusal: 'access_denied' });
      assertProblems(await signIn(new PortalBrowser(server.url)), [FAILED]);
    });

    it('refuses to begin or finish for another site', async () => {
      const client = new PortalBrowser(server.url);
      const query = await visitProvider(await begin(client));
      const elsewhere = { 'sec-fetch-site': 'cross-site' };
      for (const path of ['/session/provider', '/session/provider/return']) {
        assert.equal((await client.send('POST', path, { query }, elsewhere)).status, 403);
      }
    });
  });
}

describe('a sign-in provider', () => {
  it('that is down, or has another issuer, stops no password; the sign-in works once it is back', async (t) => {
    const provider = await new OpenidProvider().listen();
    const { settings } = provider;
    const port = Number(new URL(provider.url).port);
    await provider.close();
    const server = await startTestServer(settings);
    t.after(() => server.close());
    const client = new PortalBrowser(server.url);
    assertProblems(await client.post('/session/provider', {}), [UNAVAILABLE], 503);
    await PortalBrowser.operatorOf(server.url);
    const back = await new OpenidProvider().listen(port);
    back.metadata = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
    assertProblems(await client.post('/session/provider', {}), [UNAVAILABLE], 503);
    back.metadata = {};
    const query = await visitProvider(await begin(client));
    await back.close();
    assertProblems(await finish(client, query), [UNAVAILABLE], 503);
    const again = await new OpenidProvider().listen(port);
    t.after(() => again.close());
    assert.equal((await signIn(client)).status, 200);
  });

  it('may accept the secret only in the body; a wrong secret is a fault of the server', async (t) => {
    const provider = await new OpenidProvider().listen();
    t.after(() => provider.close());
    provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    for (const [secret, status] of [
      [provider.settings.OIDC_CLIENT_SECRET, 200],
      ['wrong', 503],
      ['', 503],
    ] as const) {
      const server = await startTestServer({ ...provider.settings, OIDC_CLIENT_SECRET: secret ?? '' });
      t.after(() => server.close());
      assert.equal((await signIn(new PortalBrowser(server.url))).status, status);
    }
  });

  it('is off by default', async (t) => {
    const server = await startTestServer();
    t.after(() => server.close());
    const client = new PortalBrowser(server.url);
    assert.equal((await client.found<{ sign_in_provider: null }>('/session')).sign_in_provider, null);
    const off = requestProblem('provider_off', 'The server has no sign-in provider (OIDC_ISSUER).');
    assertProblems(await client.post('/session/provider', {}), [off], 404);
    assertProblems(await finish(client, ''), [off], 404);
  });
});

describe('signing in with a provider in a browser', { skip: browserSkipped() || !isRun('usual') }, () => {
  it('returns to the wanted page, says why an account is refused, and signs in again in a new tab', async (t) => {
    const provider = await new OpenidProvider().listen();
    t.after(() => provider.close());
    const server = await startTestServer(provider.settings);
    t.after(() => server.close());
    const page = await openPage(t, await sharedBrowser());
    provider.claims = { sub: 'ann', email: 'ann@corp.example', roles: 'merchant-admin' };
    await page.goto(`${server.url}/portal/test/files`);
    await page.getByRole('button', { name: 'Sign in with Corp ID' }).click();
    await page.getByText('Your account has no role here. Ask the marketplace.').waitFor();
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    provider.claims = { sub: 'ann', email: 'ann@corp.example', roles: 'merchant-admin:demo' };
    await page.goto(`${server.url}/portal/test/files`);
    await page.getByRole('button', { name: 'Sign in with Corp ID' }).click();
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    assert.equal(page.url(), `${server.url}/portal/test/files`);
    await page.goto(`${server.url}/portal/test/account`);
    await page.getByText('You sign in with Corp ID, so you have no password here.').waitFor();
    const admin = await addPerson(server, 'boss@corp.example', 'merchant-admin');
    assert.equal((await admin.delete('/users/ann@corp.example')).status, 202);
    await page.getByRole('button', { name: 'Sign out other devices' }).click();
    const opening = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in with Corp ID in a new tab' }).click();
    const tab = await opening;
    await tab.getByRole('button', { name: 'Sign in with Corp ID' }).click();
    await tab.getByRole('button', { name: /^Account menu for/ }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});
