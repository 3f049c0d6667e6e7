/** Tests session expiry, token rotation, revocation and CSRF protection. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { databaseName, readSettings } from '../../src/config/settings.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { assertProblems, requestProblem } from '../harness/api-client.ts';
import { runHere } from '../harness/command-line.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser, type SessionBody } from '../harness/portal-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';

const ENDED = requestProblem('session_ended', 'Your session has ended. Sign in again.');
const CSRF_INVALID = requestProblem(
  'csrf_invalid',
  'The X-CSRF-Token header is missing or wrong, or the request came from another site. Reload the page.',
);
const TOKEN_OF_ANOTHER = requestProblem(
  'csrf_invalid',
  'The X-CSRF-Token header belongs to another session. Reload the page.',
);
const ROTATION_MS = LIMITS.session_rotation_seconds * 1000;
const OVERLAP_MS = LIMITS.session_overlap_seconds * 1000;
const IDLE_MS = LIMITS.session_idle_seconds * 1000;
const LIFETIME_MS = LIMITS.session_lifetime_seconds * 1000;

let people = 0;
const newEmail = () => `session-${++people}@demo.example`;

for (const { title, store, settings, skip } of STORE_VARIANTS) {
  describe(`sessions (${title})`, { skip }, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(settings, store);
    });
    after(() => server.close());

    it('expire after a time without use, and each use extends them', async () => {
      const client = await addPerson(server, newEmail(), 'merchant-viewer');
      server.passTime(IDLE_MS - 60_000);
      await client.found('/merchant');
      server.passTime(IDLE_MS - 60_000);
      await client.found('/merchant');
      server.passTime(IDLE_MS + 1000);
      assertProblems(await client.get('/merchant'), [ENDED], 401);
    });

    it('expire after a fixed lifetime, even if used', async () => {
      const client = await addPerson(server, newEmail(), 'merchant-viewer');
      for (let passed = 0; passed + IDLE_MS / 2 < LIFETIME_MS; passed += IDLE_MS / 2) {
        await client.found('/merchant');
        server.passTime(IDLE_MS / 2);
      }
      await client.found('/merchant');
      server.passTime(IDLE_MS / 2);
      assertProblems(await client.get('/merchant'), [ENDED], 401);
    });

    it('get a new token after half an hour; the old token works for one more minute and returns the same new one', async () => {
      const client = await addPerson(server, newEmail(), 'merchant-admin');
      const old = client.copy();
      server.passTime(ROTATION_MS - 30_000);
      await client.found('/merchant');
      assert.equal(client.cookie, old.cookie);
      server.passTime(30_000);
      const tabs = [client.copy(), client.copy(), client.copy()];
      await Promise.all(tabs.map((tab) => tab.found('/merchant')));
      const moved = tabs.filter(({ cookie }) => cookie !== old.cookie);
      assert.ok(moved.length > 0);
      assert.equal(new Set(moved.map(({ cookie }) => cookie)).size, 1, 'there is one new token');
      const lateTab = old.copy();
      assert.equal((await lateTab.put('/password', {})).status, 400, 'the CSRF token stays');
      assert.equal(lateTab.cookie, moved[0]?.cookie);
      server.passTime(OVERLAP_MS);
      assertProblems(await old.get('/merchant'), [ENDED], 401);
      await lateTab.found('/merchant');
    });

    it('are ended by the command line, and when their user is removed', async () => {
      const email = newEmail();
      const first = await addPerson(server, email, 'operator');
      await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD);
      const end = await runHere(server.place, 'user', 'sessions-end', email.toUpperCase(), '--json');
      assert.deepEqual(end, { exitCode: 0, stdout: '{"sessions":2}\n', stderr: '' });
      assertProblems(await first.get('/users'), [ENDED], 401);
      const again = await PortalBrowser.signIn(server.url, email, PERSON_PASSWORD);
      assert.equal((await runHere(server.place, 'user', 'remove', email, '--yes')).exitCode, 0);
      assertProblems(await again.get('/users'), [ENDED], 401);
      const gone = await runHere(server.place, 'user', 'sessions-end', email);
      assert.deepEqual(gone, {
        exitCode: 1,
        stdout: '',
        stderr: `Database: ${databaseName(readSettings(server.place))}\nofferbook: No portal user ${JSON.stringify(email)}.\n`,
      });
    });

    it('are deleted after they ended', async () => {
      const email = newEmail();
      await addPerson(server, email, 'operator');
      await withSetupStore(server.place, async (opened) => {
        await opened.people.dropEndedSessions(Date.now() + 100 * LIFETIME_MS);
        assert.equal(await opened.people.endSessions(email, null), 0);
      });
    });
  });
}

describe('changes', () => {
  let server: TestServer;
  let client: PortalBrowser;
  before(async () => {
    server = await startTestServer();
    client = await addPerson(server, newEmail(), 'merchant-admin');
  });
  after(() => server.close());

  it('need the CSRF token of the session', async () => {
    const other = await addPerson(server, newEmail(), 'merchant-admin');
    for (const csrfToken of [undefined, '', 'wrong', other.csrfToken, `${client.csrfToken}x`]) {
      const tab = client.copy();
      tab.csrfToken = csrfToken;
      assertProblems(await tab.delete('/sessions'), [CSRF_INVALID], 403);
    }
    await client.found('/merchant');
    assert.equal((await client.delete('/sessions')).status, 202);
  });

  it('and reads are refused with the CSRF token of another session, as sent by a page of a previous user', async () => {
    const viewer = await addPerson(server, newEmail(), 'merchant-viewer');
    const operator = await addPerson(server, newEmail(), 'operator');
    for (const csrfToken of ['', 'wrong', operator.csrfToken]) {
      const tab = viewer.copy();
      tab.csrfToken = csrfToken;
      for (const path of ['/merchant', '/test/offers', '/users']) {
        assertProblems(await tab.get(path), [TOKEN_OF_ANOTHER], 403);
      }
      const { person } = await tab.found<SessionBody>('/session');
      assert.equal(person?.role, 'merchant-viewer', 'the page may ask who it is now');
    }
    const link = viewer.copy();
    link.csrfToken = undefined;
    await link.found('/merchant');
  });

  it('from pages of other sites are refused, including sign-in', async () => {
    const own = new URL(server.url);
    const good = [
      {},
      { origin: server.url },
      { 'sec-fetch-site': 'same-origin', origin: server.url },
      { 'sec-fetch-site': 'none' },
    ];
    const bad = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://${own.hostname}:1` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: server.url },
    ];
    const calls = [
      ['DELETE', '/sessions', undefined, 202],
      ['POST', '/session', {}, 400],
      ['POST', '/links/password', { token: 'never', password: PERSON_PASSWORD }, 404],
    ] as const;
    for (const [method, path, body, status] of calls) {
      for (const headers of good) assert.equal((await client.send(method, path, body, headers)).status, status);
      for (const headers of bad) assertProblems(await client.send(method, path, body, headers), [CSRF_INVALID], 403);
    }
    assert.equal((await client.send('GET', '/merchant', undefined, { origin: 'https://evil.example' })).status, 200);
  });
});

describe('below a path, behind a proxy that speaks https', () => {
  it('the cookie is secure and limited to the path of the portal; the public origin is accepted', async (t) => {
    const server = await startTestServer({ PUBLIC_URL: 'https://localhost/market' });
    t.after(() => server.close());
    const client = new PortalBrowser(server.url);
    const body = { email: 'operator@demo.example', password: 'demo-password' };
    const answer = await client.send('POST', '/session', body, { origin: 'https://localhost' });
    assert.equal(answer.status, 200);
    assert.match(
      String(answer.headers.get('set-cookie')),
      /^offerbook_session=[\w-]{43}; Path=\/market\/portal; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.equal((answer.body as { api_url: string }).api_url, 'https://localhost/market');
  });
});

describe('a person', () => {
  it('has one request limit per minute over all browsers', async (t) => {
    const server = await startTestServer();
    t.after(() => server.close());
    const email = newEmail();
    const client = await addPerson(server, email, 'merchant-viewer');
    const [limit, colleague] = [LIMITS.portal_requests_per_window_max, await addPerson(server, newEmail(), 'operator')];
    const answers = await Promise.all(Array.from({ length: limit }, () => client.get('/merchant')));
    assert.ok(answers.every(({ status }) => status === 200));
    const refused = await client.get('/merchant');
    const text = `Too many requests: more than ${limit} in 60 seconds. Retry after the number of seconds in Retry-After.`;
    assertProblems(refused, [requestProblem('rate_limited', text)], 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await colleague.found('/users');
    server.passTime(61_000);
    await client.found('/merchant');
  });
});
