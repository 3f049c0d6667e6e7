/** Tests passkeys: how they are added and removed, the sign-in with one, and when a password alone is not enough. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { assertProblems, problemAt, requestProblem } from '../harness/api-client.ts';
import { browserSkipped, openPage } from '../harness/browser.ts';
import { runHere } from '../harness/command-line.ts';
import { freePort } from '../harness/free-port.ts';
import { OpenidProvider } from '../harness/openid-provider.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser, type SessionBody } from '../harness/portal-browser.ts';
import { isRun } from '../harness/scope.ts';
import { sharedBrowser } from '../harness/shared-browser.ts';
import { type Forgery, SoftwarePasskey } from '../harness/software-passkey.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const WINDOW_MS = LIMITS.passkey_challenge_seconds * 1000;
const REFUSED = requestProblem(
  'passkey_refused',
  'The passkey is unknown, belongs to another user, or did not confirm this sign-in within 5 minutes. Start again.',
);
const NOT_ADDED = requestProblem('passkey_refused', 'The passkey was not confirmed, or took too long. Start again.');
const NEEDED = requestProblem(
  'passkey_required',
  'Your account needs a passkey. Add one, or sign in with it, before you continue.',
);
const USE_FIRST = requestProblem('passkey_required', 'Confirm with your passkey first.');
const LAST = requestProblem(
  'passkey_last',
  'This is your last passkey, and your account needs one. Add another one first.',
);
const FORGERIES: readonly Forgery[] = [
  { origin: 'https://evil.example' },
  { rpId: 'evil.example' },
  { challenge: 'A'.repeat(43) },
  { type: 'webauthn.other' },
  { isUnverified: true },
];

interface Listed {
  readonly passkeys: readonly { id: string; name: string; created: string; last_used: string | null }[];
  readonly needed: boolean;
}

type Options = Readonly<Record<string, unknown>> & { readonly challenge: string };

let people = 0;
const newEmail = () => `passkey-${++people}@demo.example`;

async function optionsOf(client: PortalBrowser, path: string): Promise<Options> {
  const answer = await client.post(path);
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { options: Options }).options;
}

const beginToAdd = (client: PortalBrowser) => optionsOf(client, '/passkeys/options');

/** Adds a passkey as the account page does. */
async function add(client: PortalBrowser, passkey: SoftwarePasskey, name = 'Laptop', forgery: Forgery = {}) {
  const options = await beginToAdd(client);
  return client.post('/passkeys', { name, credential: passkey.create(options, forgery) });
}

for (const { title, store, settings, skip } of VARIANTS_BY_SCOPE) {
  describe(`passkeys (${title})`, { skip }, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(settings, store);
    });
    after(() => server.close());

    const newPasskey = () => new SoftwarePasskey(server.url);
    const listOf = (client: PortalBrowser) => client.found<Listed>('/passkeys');
    const personOf = async (client: PortalBrowser) => (await client.found<SessionBody>('/session')).person;

    /** Begins as the sign-in page does. The clock moves, because a challenge must be newer than the last use of the passkey. */
    const begin = (client: PortalBrowser) => {
      server.passTime(1);
      return optionsOf(client, '/session/passkey');
    };
    const finish = (client: PortalBrowser, credential: object, email?: string) =>
      client.post('/session/passkey/response', { credential, ...(email === undefined ? {} : { email }) });
    const signIn = async (passkey: SoftwarePasskey, forgery?: Forgery, email?: string) => {
      const client = new PortalBrowser(server.url);
      const answer = await finish(client, passkey.get(await begin(client), forgery), email);
      client.csrfToken = (answer.body as SessionBody).csrf_token ?? undefined;
      return { client, answer };
    };
    const personWith = async (passkey: SoftwarePasskey, role: 'operator' | 'merchant-viewer' = 'merchant-viewer') => {
      const email = newEmail();
      const client = await addPerson(server, email, role);
      assert.equal((await add(client, passkey)).status, 202);
      return { email, client };
    };

    it('are added with a name and listed, and each signs in alone', async () => {
      const passkey = newPasskey();
      const client = await addPerson(server, newEmail(), 'merchant-viewer');
      const { challenge, user, ...options } = await beginToAdd(client);
      assert.match(challenge, /^[\w-]{43}$/);
      const { id, ...shown } = user as { id: string };
      assert.match(id, /^[\w-]{43}$/, 'it says nothing about the person');
      const email = `passkey-${people}@demo.example`;
      assert.deepEqual(shown, { name: email, displayName: email });
      const { hostname } = new URL(server.url);
      assert.deepEqual(options, {
        rp: { id: hostname, name: hostname },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
        timeout: 300_000,
      });
      assert.equal((await add(client, passkey, '  Laptop ')).status, 202);
      const [listed, ...others] = (await listOf(client)).passkeys;
      assert.deepEqual(others, []);
      assert.deepEqual([listed?.id, listed?.name, listed?.last_used], [passkey.id, 'Laptop', null]);
      assert.deepEqual(await personOf(client), { ...(await personOf(client)), email, passkeys: 1 });
      const { excludeCredentials } = await beginToAdd(client);
      assert.deepEqual(excludeCredentials, [{ type: 'public-key', id: passkey.id }]);

      const visitor = new PortalBrowser(server.url);
      const { challenge: other, ...asked } = await begin(visitor);
      assert.notEqual(other, challenge);
      assert.deepEqual(asked, { rpId: hostname, timeout: 300_000, userVerification: 'required' });
      assert.match(visitor.passkeyCookie ?? '', /^offerbook_passkey=\d{13}\.[\w-]{43}$/);
      const signedIn = await signIn(passkey);
      assert.equal(signedIn.answer.status, 200, signedIn.answer.text);
      assert.equal((await personOf(signedIn.client))?.email, email);
      assert.notEqual((await listOf(client)).passkeys[0]?.last_used, null);
    });

    it('are not added without a name, twice, beyond the limit, or by another session', async () => {
      const passkey = newPasskey();
      const { client } = await personWith(passkey);
      assertProblems(await add(client, newPasskey(), ' '), [problemAt('bad_format', 'name', 'must not be blank')]);
      const long = 'x'.repeat(LIMITS.passkey_name_characters_max + 1);
      assertProblems(await add(client, newPasskey(), long), [
        problemAt('too_long', 'name', `must have 1 to ${LIMITS.passkey_name_characters_max} characters`),
      ]);
      const exists = requestProblem('passkey_exists', 'This passkey was already added.');
      assertProblems(await add(client, passkey), [exists]);
      const other = await addPerson(server, newEmail(), 'merchant-viewer');
      assertProblems(await add(other, passkey), [exists]);
      for (let count = 1; count < LIMITS.passkeys_per_user_max; count++) {
        assert.equal((await add(client, newPasskey())).status, 202);
      }
      const full = requestProblem('passkeys_full', 'A user can have at most 10 passkeys. Remove one first.');
      assertProblems(await client.post('/passkeys/options'), [full]);

      const credential = newPasskey().create(await beginToAdd(other));
      const stranger = await addPerson(server, newEmail(), 'merchant-viewer');
      stranger.passkeyCookie = other.passkeyCookie;
      assertProblems(await stranger.post('/passkeys', { name: 'Laptop', credential }), [NOT_ADDED]);
    });

    it('are not added with a forged or late response', async () => {
      const client = await addPerson(server, newEmail(), 'merchant-viewer');
      for (const forgery of FORGERIES) {
        assertProblems(await add(client, newPasskey(), 'Laptop', forgery), [NOT_ADDED]);
      }
      for (const [late_ms, status] of [
        [WINDOW_MS - 60_000, 202],
        [WINDOW_MS, 400],
      ] as const) {
        const credential = newPasskey().create(await beginToAdd(client));
        server.passTime(late_ms);
        const answer = await client.post('/passkeys', { name: 'Laptop', credential });
        assert.equal(answer.status, status, answer.text);
      }
      assert.equal((await listOf(client)).passkeys.length, 1);
    });

    it('sign in once for each challenge, within 5 minutes, in the browser that began', async () => {
      const passkey = newPasskey();
      const { email } = await personWith(passkey);
      const client = new PortalBrowser(server.url);
      const options = await begin(client);
      const other = new PortalBrowser(server.url);
      assertProblems(await finish(other, passkey.get(options)), [REFUSED]);
      await begin(other);
      assertProblems(await finish(other, passkey.get(options)), [REFUSED]);
      const again = client.copy();
      assert.equal((await finish(client, passkey.get(options))).status, 200);
      assertProblems(await finish(again, passkey.get(options)), [REFUSED]);
      for (const [late_ms, status] of [
        [WINDOW_MS - 60_000, 200],
        [WINDOW_MS, 400],
      ] as const) {
        const late = new PortalBrowser(server.url);
        const asked = await begin(late);
        server.passTime(late_ms);
        assert.equal((await finish(late, passkey.get(asked))).status, status);
      }
      const altered = new PortalBrowser(server.url);
      const asked = await begin(altered);
      altered.passkeyCookie = altered.passkeyCookie?.replace('=1', '=9');
      assertProblems(await finish(altered, passkey.get(asked)), [REFUSED]);
      assert.equal((await signIn(passkey, {}, email.toUpperCase())).answer.status, 200);
    });

    it('are refused with a forged response, if unknown, and as another user, with the same answer', async () => {
      const passkey = newPasskey();
      await personWith(passkey);
      for (const forgery of [...FORGERIES, { isSignedByOther: true }]) {
        assertProblems((await signIn(passkey, forgery)).answer, [REFUSED]);
      }
      assertProblems((await signIn(newPasskey())).answer, [REFUSED]);
      assertProblems((await signIn(passkey, {}, DEMO_PEOPLE.merchant)).answer, [REFUSED]);
      assertProblems((await signIn(passkey, {}, 'nobody@demo.example')).answer, [REFUSED]);
      assert.equal((await signIn(passkey)).answer.status, 200);
      const client = new PortalBrowser(server.url);
      const { response, ...rest } = passkey.get(await begin(client));
      const long = 'x'.repeat(LIMITS.passkey_text_characters_max + 1);
      assertProblems(await finish(client, { ...rest, response: { ...response, signature: long } }), [
        problemAt('too_long', 'credential.response.signature', 'must have at most 3000 characters'),
      ]);
    });

    it('are refused when their counter does not grow', async () => {
      const passkey = newPasskey();
      passkey.counter = 5;
      await personWith(passkey);
      for (const [counter, status] of [
        [6, 200],
        [6, 400],
        [5, 400],
        [0, 400],
        [7, 200],
      ] as const) {
        passkey.counter = counter;
        assert.equal((await signIn(passkey)).answer.status, status, `counter ${counter}`);
      }
    });

    it('are limited like passwords, and stop no sign-in with the password', async () => {
      const passkey = newPasskey();
      const { email } = await personWith(passkey);
      for (let count = 0; count < LIMITS.sign_in_failures_max; count++) {
        assertProblems((await signIn(passkey, { isSignedByOther: true })).answer, [REFUSED]);
      }
      const { answer } = await signIn(passkey);
      const throttled = requestProblem('too_many_failures', 'Too many failed attempts. Wait before you retry.');
      assertProblems(answer, [throttled], 429);
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
      await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD);
      server.passTime(LIMITS.sign_in_window_seconds * 1000);
      assert.equal((await signIn(passkey)).answer.status, 200);
    });

    it('are removed by their owner only, and end with their user', async () => {
      const [passkey, second] = [newPasskey(), newPasskey()];
      const { email, client } = await personWith(passkey);
      assert.equal((await add(client, second)).status, 202);
      const other = await addPerson(server, newEmail(), 'merchant-viewer');
      const unknown = requestProblem('passkey_unknown', 'You have no passkey with this id.');
      assertProblems(await other.delete(`/passkeys/${passkey.id}`), [unknown], 404);
      assert.equal((await client.delete(`/passkeys/${passkey.id}`)).status, 202);
      assertProblems((await signIn(passkey)).answer, [REFUSED]);
      const operator = await PortalBrowser.operatorOf(server.url);
      assert.equal((await operator.delete(`/users/${email}`)).status, 202);
      assertProblems((await signIn(second)).answer, [REFUSED]);
    });

    it('can be made necessary after a password by a session that used one; other sessions then wait for it', async () => {
      const passkey = newPasskey();
      const { email, client } = await personWith(passkey);
      const byPassword = await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD);
      assertProblems(await byPassword.put('/passkeys', { needed: true }), [USE_FIRST], 403);
      assert.equal((await byPassword.get('/merchant')).status, 200);
      assert.equal((await client.put('/passkeys', { needed: true })).status, 202);
      assert.equal((await listOf(client)).needed, true);
      assertProblems(await client.delete(`/passkeys/${passkey.id}`), [LAST]);
      assert.equal((await client.get('/merchant')).status, 200);

      const later = await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD);
      for (const waiting of [byPassword, later]) {
        const person = (await personOf(waiting)) as Record<string, unknown>;
        assert.deepEqual([person.passkeys, person.needs_passkey, person.passkey_due], [1, true, true]);
        assertProblems(await waiting.get('/merchant'), [NEEDED], 403);
        assertProblems(await waiting.get('/test/merchant-skus'), [NEEDED], 403);
        assertProblems(await waiting.put('/passkeys', { needed: false }), [NEEDED], 403);
        assertProblems(await waiting.delete(`/passkeys/${passkey.id}`), [NEEDED], 403);
        assertProblems(await waiting.put('/password', {}), [NEEDED], 403);
        assertProblems(await waiting.post('/passkeys/options'), [USE_FIRST], 403);
      }
      server.passTime(LIMITS.session_rotation_seconds * 1000);
      assertProblems(await later.get('/merchant'), [NEEDED], 403);
      assert.equal((await later.delete('/session')).status, 202);
      const signedIn = await signIn(passkey);
      assert.equal((await signedIn.client.put('/passkeys', { needed: false })).status, 202);
      assert.equal((await signedIn.client.delete(`/passkeys/${passkey.id}`)).status, 202);
      const none = requestProblem('passkey_required', 'Add a passkey first.');
      assertProblems(await signedIn.client.put('/passkeys', { needed: true }), [none], 403);
      await (await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD)).found('/merchant');
    });

    it('are removed by the command line, after which the password is enough', async () => {
      const passkey = newPasskey();
      const { email, client } = await personWith(passkey);
      assert.equal((await client.put('/passkeys', { needed: true })).status, 202);
      const removed = await runHere(server.place, 'user', 'passkeys-remove', email.toUpperCase());
      assert.deepEqual([removed.exitCode, removed.stdout], [0, `One passkey of ${email.toUpperCase()} removed.\n`]);
      assertProblems((await signIn(passkey)).answer, [REFUSED]);
      assert.equal((await client.get('/passkeys')).status, 401, 'the session has ended');
      await (await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD)).found('/merchant');
      const unknown = await runHere(server.place, 'user', 'passkeys-remove', 'nobody@demo.example');
      assert.equal(unknown.exitCode, 1);
      assert.match(unknown.stderr, /No portal user "nobody@demo.example"/);
    });

    it('need a fresh sign-in, which a passkey is and a changed password is not', async () => {
      const passkey = newPasskey();
      const { email, client } = await personWith(passkey);
      server.passTime(121 * 60_000);
      const isRefused = async (person: PortalBrowser) => {
        const answers = [
          await person.post('/passkeys/options'),
          await person.post('/passkeys', {}),
          await person.put('/passkeys', {}),
          await person.delete('/passkeys/unknown'),
        ];
        return new Set(answers.map(({ text }) => text.includes('sign_in_not_fresh')));
      };
      assert.deepEqual(await isRefused(client), new Set([true]));
      const body = { current_password: PERSON_PASSWORD, password: `${PERSON_PASSWORD} 2` };
      assert.equal((await client.put('/password', body)).status, 202);
      assert.deepEqual(await isRefused(client), new Set([true]));
      const again = await signIn(passkey, {}, email);
      assert.deepEqual(await isRefused(again.client), new Set([false]));
    });

    it("of operators are in the activity log; others' are not", async () => {
      const [passkey, other] = [newPasskey(), newPasskey()];
      const { email, client } = await personWith(passkey, 'operator');
      const viewer = await personWith(other);
      const signedIn = await signIn(passkey);
      await signIn(other);
      assert.equal((await signedIn.client.put('/passkeys', { needed: true })).status, 202);
      assert.equal((await signedIn.client.put('/passkeys', { needed: false })).status, 202);
      assert.equal((await client.delete(`/passkeys/${passkey.id}`)).status, 202);
      const { acts } = await client.found<{ acts: Record<string, unknown>[] }>('/acts');
      const own = acts.filter(({ by }) => by === email).map(({ act, subject, detail }) => [act, subject, detail]);
      assert.deepEqual(own, [
        ['removePasskey', passkey.id, ''],
        ['setNeedsPasskey', '', 'needed: false'],
        ['setNeedsPasskey', '', 'needed: true'],
        ['signInWithPasskey', 'Laptop', ''],
        ['addPasskey', 'Laptop', ''],
      ]);
      assert.deepEqual(
        acts.filter(({ by }) => by === viewer.email),
        [],
      );
    });
  });
}

const PUBLIC_URL = 'https://localhost';

describe('operators who need a passkey', () => {
  let server: TestServer;
  let provider: OpenidProvider;
  before(async () => {
    provider = await new OpenidProvider().listen();
    server = await startTestServer({ OPERATOR_PASSKEYS: 'required', PUBLIC_URL, ...provider.settings });
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  it('can only add one after the password, and must use it from then on', async () => {
    const operator = await PortalBrowser.operatorOf(server.url);
    const due = (await operator.found<SessionBody>('/session')).person as Record<string, unknown>;
    assert.deepEqual([due.passkeys, due.needs_passkey, due.passkey_due], [undefined, true, true]);
    for (const path of ['/merchants', '/users', '/acts']) assertProblems(await operator.get(path), [NEEDED], 403);
    assertProblems(await operator.post('/users', {}), [NEEDED], 403);
    const passkey = new SoftwarePasskey(PUBLIC_URL);
    assert.equal((await add(operator, passkey)).status, 202);
    assert.equal((await operator.get('/merchants')).status, 200);
    assertProblems(await operator.delete(`/passkeys/${passkey.id}`), [LAST]);

    const again = await PortalBrowser.operatorOf(server.url);
    assertProblems(await again.get('/merchants'), [NEEDED], 403);
    assertProblems(await again.post('/passkeys/options'), [USE_FIRST], 403);
    server.passTime(1);
    const credential = passkey.get(await optionsOf(again, '/session/passkey'));
    const confirmed = (await again.post('/session/passkey/response', { credential })).body as SessionBody;
    again.csrfToken = confirmed.csrf_token ?? '';
    assert.equal((await again.get('/merchants')).status, 200);

    const removed = await runHere(server.place, 'user', 'passkeys-remove', DEMO_PEOPLE.operator);
    assert.equal(removed.exitCode, 0, removed.stderr);
    const locked = await PortalBrowser.operatorOf(server.url);
    assert.equal((await add(locked, new SoftwarePasskey(PUBLIC_URL))).status, 202);
  });

  it("are no merchant's users and no operators of the provider, who have none", async () => {
    await (await PortalBrowser.merchantOf(server.url)).found('/merchant');
    provider.claims = { sub: 'ann', email: 'ann@corp.example', roles: 'operator' };
    const client = new PortalBrowser(server.url);
    const { url } = (await client.post('/session/provider', { ask_again: true })).body as { url: string };
    const { headers } = await fetch(url, { redirect: 'manual' });
    const query = new URL(headers.get('location') ?? '').search;
    const signedIn = (await client.post('/session/provider/return', { query })).body as SessionBody;
    client.csrfToken = signedIn.csrf_token ?? '';
    assert.equal((await client.get('/merchants')).status, 200);
    const refused = requestProblem(
      'user_of_provider',
      'You sign in with the provider, which asks for passkeys itself.',
    );
    assertProblems(await client.post('/passkeys/options'), [refused]);
  });
});

describe('passkeys in a browser', { skip: browserSkipped() || !isRun('long') }, () => {
  it('are added, used after the password, and used alone', async (t) => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const server = await startTestServer({ OPERATOR_PASSKEYS: 'required', PORT: `${port}`, PUBLIC_URL: url });
    t.after(() => server.close());
    const page = await openPage(t, await sharedBrowser());
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...({ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const),
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      },
    });
    const signInByPassword = async () => {
      await page.getByLabel('Email').fill(DEMO_PEOPLE.operator);
      await page.getByLabel(/^Password/).fill(DEMO_PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    const signOut = async () => {
      await page.getByRole('button', { name: /^Account menu for/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    await page.goto(`${url}/portal/operator/account`);
    await signInByPassword();
    await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
    await page.getByLabel('Name').fill('Laptop');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const passkeys = page.getByRole('region', { name: 'Passkeys' });
    await passkeys.getByRole('cell', { name: 'Laptop', exact: true }).waitFor();
    await passkeys.getByRole('switch').press('Space');
    await passkeys.getByRole('switch', { checked: true }).waitFor({ state: 'attached' });
    await passkeys.getByRole('button', { name: 'Remove Laptop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Laptop' });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('This is your last passkey').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await signOut();
    await signInByPassword();
    await page.getByRole('heading', { name: 'Confirm with your passkey' }).waitFor();
    await page.getByRole('button', { name: 'Use your passkey' }).click();
    await page.getByRole('button', { name: /^Account menu for/ }).waitFor();
    await signOut();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: /^Account menu for/ }).waitFor();
    server.passTime(121 * 60_000);
    await page.goto(`${url}/portal/operator/account`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    const adding = page.getByRole('dialog', { name: 'Add passkey' });
    await adding.getByLabel('Name').fill('Key');
    await adding.getByRole('button', { name: 'Add' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.getByRole('button', { name: 'Use your passkey' }).click();
    await confirm.waitFor({ state: 'hidden' });
    assert.equal(await adding.getByLabel('Name').inputValue(), 'Key');
    await adding.getByRole('button', { name: 'Add' }).click();
    await adding.getByText('This device already has a passkey for your account.').waitFor();
  });
});
