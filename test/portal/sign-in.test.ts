/** Tests sign-in and sign-out: passwords, one-time links, cookie, and limits on guessing. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { issueLink } from '../../src/access/portal/one-time-link.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { assertProblems, problemAt, requestProblem } from '../harness/api-client.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser, type SessionBody } from '../harness/portal-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS } from '../harness/variants.ts';

const WRONG = requestProblem('sign_in_wrong', 'Incorrect email or password.');
const LINK_ENDED = requestProblem(
  'one_time_link_ended',
  'This password link has expired, was already used, or does not exist. Ask for a new one.',
);
const MISSING = requestProblem('session_missing', 'You are not signed in. Sign in first.');
const ENDED = requestProblem('session_ended', 'Your session has ended. Sign in again.');

for (const { title, store, settings, skip } of VARIANTS) {
  describe(`signing in (${title})`, { skip }, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(settings, store);
    });
    after(() => server.close());

    it('a visitor has no session, and gets what the sign-in page needs', async () => {
      const visitor = new PortalBrowser(server.url);
      const answer = await visitor.get('/session');
      const { names, ...rest } = answer.body as Record<string, unknown> & { names: { carriers: string[] } };
      assert.deepEqual(rest, {
        person: null,
        csrf_token: null,
        api_url: server.url,
        limits: {
          requests_per_minute: 1_000_000,
          file_bytes_max: 1_073_741_824,
          file_unpacked_bytes_max: 8_589_934_592,
          history_days: 90,
          offers_per_change_max: 200,
          password_characters_min: 12,
        },
        storefront: true,
        sign_in_provider: null,
        demo: true,
        demo_logins: Object.values(DEMO_PEOPLE).map((email) => ({ email, password: DEMO_PASSWORD })),
      });
      assert.deepEqual(Object.keys(names), ['marketplace', 'external', 'carriers', 'review_status']);
      assert.equal(names.carriers.length, 5);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('set-cookie'), null);
      const refused = await visitor.get('/users');
      assertProblems(refused, [MISSING], 401);
      assert.equal(refused.headers.get('www-authenticate'), null);
      assert.equal(refused.headers.get('cache-control'), 'no-store');
    });

    it('a password signs in regardless of the case of the email, and signing out ends the session', async () => {
      const client = new PortalBrowser(server.url);
      const answer = await client.post('/session', { email: 'Merchant@DEMO.example', password: DEMO_PASSWORD });
      assert.equal(answer.status, 200);
      assert.match(
        String(answer.headers.get('set-cookie')),
        /^offerbook_session=[\w-]{43}; Path=\/portal; HttpOnly; SameSite=Strict$/,
      );
      const { person, csrf_token } = answer.body as SessionBody;
      const merchant = { id: 'demo', name: 'Demo merchant', suspended: false };
      assert.deepEqual(person, { email: DEMO_PEOPLE.merchant, role: 'merchant-admin', merchant });
      assert.deepEqual((await client.get('/session')).body, answer.body);
      client.csrfToken = csrf_token ?? '';
      const other = client.copy();
      const out = await client.delete('/session');
      assert.deepEqual([out.status, out.text], [202, '']);
      assert.equal(client.cookie, undefined);
      assertProblems(await other.get('/users'), [ENDED], 401);
      assert.equal(((await other.get('/session')).body as SessionBody).person, null);
    });

    it('a wrong password, an unknown email and a user without a password get the same response', async () => {
      const user = { email: 'invited@demo.example', role: 'operator', merchantId: null, createdMs: 1 } as const;
      await withSetupStore(server.place, (opened) => opened.people.addPortalUser(user, issueLink(Date.now()).stored));
      for (const email of [DEMO_PEOPLE.operator, 'nobody@demo.example', user.email]) {
        const client = new PortalBrowser(server.url);
        assertProblems(await client.post('/session', { email, password: 'wrong password' }), [WRONG]);
        assert.equal(client.cookie, undefined);
      }
      const client = new PortalBrowser(server.url);
      const long = 'x'.repeat(LIMITS.password_characters_max + 1);
      assertProblems(await client.post('/session', { email: 'a@b.example', password: long }), [
        problemAt('too_long', 'password', 'must have at most 200 characters'),
      ]);
      assertProblems(await client.post('/session', {}), [
        problemAt('required', 'email', 'is required'),
        problemAt('required', 'password', 'is required'),
      ]);
    });

    it('a link names its user, sets a password once, and signs in', async () => {
      const { token, stored } = issueLink(Date.now());
      const user = { email: 'new@demo.example', role: 'operator', merchantId: null, createdMs: 1 } as const;
      await withSetupStore(server.place, (opened) => opened.people.addPortalUser(user, stored));
      const visitor = new PortalBrowser(server.url);
      assert.deepEqual((await visitor.post('/links', { token })).body, { email: user.email, role: 'operator' });
      assertProblems(await visitor.post('/links/password', { token, password: 'x'.repeat(11) }), [
        problemAt('too_short', 'password', 'must have 12 to 200 characters'),
      ]);
      const client = await PortalBrowser.byLink(server.url, token, 'x'.repeat(12));
      assert.equal((await client.found<SessionBody>('/session')).person?.email, user.email);
      for (const answer of [
        await visitor.post('/links', { token }),
        await visitor.post('/links/password', { token, password: PERSON_PASSWORD }),
        await visitor.post('/links', { token: 'never' }),
      ]) {
        assertProblems(answer, [LINK_ENDED], 404);
      }
      await PortalBrowser.signIn(server.url, user.email, 'x'.repeat(12));
    });

    it('of two concurrent uses of a link, one succeeds', async () => {
      const { token, stored } = issueLink(Date.now());
      const user = { email: 'twice@demo.example', role: 'operator', merchantId: null, createdMs: 1 } as const;
      await withSetupStore(server.place, (opened) => opened.people.addPortalUser(user, stored));
      const passwords = [`${PERSON_PASSWORD} 1`, `${PERSON_PASSWORD} 2`];
      const answers = await Promise.all(
        passwords.map((password) => new PortalBrowser(server.url).post('/links/password', { token, password })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
      const winner = answers.findIndex(({ status }) => status === 200);
      await PortalBrowser.signIn(server.url, user.email, passwords[winner] ?? '');
    });

    it('a new password needs the current one, and ends all other sessions', async () => {
      const client = await addPerson(server, 'changes@demo.example', 'merchant-viewer');
      const elsewhere = await PortalBrowser.signIn(server.url, 'changes@demo.example', PERSON_PASSWORD);
      const before = client.copy();
      const change = (current_password: string, password: string) =>
        client.put('/password', { current_password, password });
      assertProblems(await change('not the current one', 'another password'), [
        problemAt('password_wrong', 'current_password', 'is not the current password'),
      ]);
      assertProblems(await change(PERSON_PASSWORD, PERSON_PASSWORD), [
        problemAt('not_allowed', 'password', 'must differ from the current password'),
      ]);
      const changed = await change(PERSON_PASSWORD, 'another password');
      assert.deepEqual([changed.status, changed.text], [202, '']);
      assert.notEqual(client.cookie, before.cookie);
      // The page's CSRF token keeps working.
      assert.equal((await client.delete('/sessions')).status, 202);
      for (const ended of [elsewhere, before]) assertProblems(await ended.delete('/sessions'), [ENDED], 401);
      const again = { email: 'changes@demo.example', password: PERSON_PASSWORD };
      assertProblems(await new PortalBrowser(server.url).post('/session', again), [WRONG]);
      await PortalBrowser.signIn(server.url, again.email, 'another password');
    });

    it('users can end their own other sessions, and sessions of others continue', async () => {
      const here = await addPerson(server, 'ends@demo.example', 'operator');
      const there = await PortalBrowser.signIn(server.url, 'ends@demo.example', PERSON_PASSWORD);
      const other = await PortalBrowser.operatorOf(server.url);
      assert.equal((await here.delete('/sessions')).status, 202);
      assertProblems(await there.get('/users'), [ENDED], 401);
      await here.found('/users');
      await other.found('/users');
    });
  });
}

describe('guessing', () => {
  let server: TestServer;
  before(async () => {
    // Requests set their client address in a header.
    server = await startTestServer({ TRUST_PROXY: '127.0.0.1' });
  });
  after(() => server.close());

  const guess = (email: string, from: string, password = 'wrong password') =>
    new PortalBrowser(server.url).send('POST', '/session', { email, password }, { 'x-forwarded-for': from });

  it('the password of one user from one address is limited, and then refuses the right password too', async () => {
    for (let n = 0; n < LIMITS.sign_in_failures_max; n++) {
      assert.equal((await guess(DEMO_PEOPLE.merchant, '192.0.2.1')).status, 400);
    }
    const refused = await guess(DEMO_PEOPLE.merchant, '192.0.2.1', DEMO_PASSWORD);
    assertProblems(
      refused,
      [requestProblem('too_many_failures', 'Too many failed attempts. Wait before you retry.')],
      429,
    );
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= LIMITS.sign_in_window_seconds, String(wait));
    assert.equal((await guess(DEMO_PEOPLE.merchant, '192.0.2.2', DEMO_PASSWORD)).status, 200);
    assert.equal((await guess(DEMO_PEOPLE.operator, '192.0.2.1', DEMO_PASSWORD)).status, 200);
    server.passTime(LIMITS.sign_in_window_seconds * 1000 + 1000);
    assert.equal((await guess(DEMO_PEOPLE.merchant, '192.0.2.1', DEMO_PASSWORD)).status, 200);
  });

  it('from one IPv6 network, or in parallel, is limited as well', async () => {
    const guesses = Array.from({ length: LIMITS.sign_in_failures_max + 3 }, (_, n) =>
      guess(DEMO_PEOPLE.operator, `2001:db8:1:2::${n}`),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...new Array(LIMITS.sign_in_failures_max).fill(400), 429, 429, 429]);
    assert.equal((await guess(DEMO_PEOPLE.operator, '2001:db8:1:2:ffff::1', DEMO_PASSWORD)).status, 429);
    assert.equal((await guess(DEMO_PEOPLE.operator, '2001:db8:1:3::1', DEMO_PASSWORD)).status, 200);
  });

  it('session tokens is limited by client, and existing sessions keep working', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const person = await PortalBrowser.operatorOf(server.url);
    const look = async (cookie: string | undefined, address: string) => {
      const client = new PortalBrowser(server.url);
      client.cookie = cookie;
      return client.send('GET', '/users', undefined, from(address));
    };
    const madeUp = (n: number) => `offerbook_session=${String(n).padStart(43, '0')}`;
    const max = LIMITS.session_misses_per_window_max;
    const tries = await Promise.all(Array.from({ length: max }, (_, n) => look(madeUp(n), '192.0.2.9')));
    assert.ok(tries.every(({ status }) => status === 401));
    const refused = await look(madeUp(max), '192.0.2.9');
    const text = `Too many requests: more than ${max} in 60 seconds. Retry after the number of seconds in Retry-After.`;
    assertProblems(refused, [requestProblem('rate_limited', text)], 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await look(person.cookie, '192.0.2.9')).status, 200);
    assertProblems(await look(madeUp(max), '192.0.2.10'), [ENDED], 401);
    assertProblems(await look(undefined, '192.0.2.9'), [MISSING], 401);
  });
});
