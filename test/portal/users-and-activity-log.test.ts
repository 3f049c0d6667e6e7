/** Tests user management by operators and merchant admins, and the activity log. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '../../src/domain/limits.ts';
import { assertProblems, problemAt, requestProblem } from '../harness/api-client.ts';
import { runHere } from '../harness/command-line.ts';
import { addPerson, PortalBrowser } from '../harness/portal-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface User {
  readonly email: string;
  readonly role: string;
  readonly merchant_id: string | null;
  readonly created: string;
  readonly last_sign_in: string | null;
  readonly of_provider: boolean;
  readonly invited_until: string | null;
}

interface Link {
  readonly email: string;
  readonly link: string;
  readonly link_ends: string;
}

interface Act {
  readonly at: string;
  readonly by: string;
  readonly act: string;
  readonly subject: string;
  readonly detail: string;
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const unknownUser = (email: string) => requestProblem('user_unknown', `No portal user "${email}".`);

for (const { title, store, settings, skip } of VARIANTS_BY_SCOPE) {
  describe(`portal users (${title})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalBrowser;
    let admin: PortalBrowser;
    before(async () => {
      server = await startTestServer(settings, store);
      operator = await PortalBrowser.operatorOf(server.url);
      admin = await PortalBrowser.merchantOf(server.url);
      assert.equal((await operator.post('/merchants', { merchant_id: 'shop', name: 'Shop' })).status, 200);
    });
    after(() => server.close());

    const usersOf = async (client: PortalBrowser, query = '') =>
      (await client.found<{ users: User[] }>(`/users${query}`)).users;
    const emailsOf = async (client: PortalBrowser, query = '') =>
      (await usersOf(client, query)).map(({ email }) => email);
    const added = async (client: PortalBrowser, body: unknown): Promise<Link> => {
      const answer = await client.post('/users', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body as Link;
    };
    const tokenOf = ({ link }: Link) => link.split('#')[1] ?? '';

    it('an admin adds users of their own merchant, who sign in with their link', async () => {
      const link = await added(admin, { email: 'Bob@Demo.Example', role: 'merchant-viewer' });
      assert.equal(link.email, 'bob@demo.example');
      assert.ok(link.link.startsWith(`${server.url}/portal/set-password#`), link.link);
      const invited = (await usersOf(admin)).find(({ email }) => email === 'bob@demo.example');
      const { created, ...rest } = invited ?? assert.fail();
      assert.match(created, ISO);
      const expected = { email: 'bob@demo.example', role: 'merchant-viewer', merchant_id: 'demo' };
      assert.deepEqual(rest, {
        ...expected,
        last_sign_in: null,
        of_provider: false,
        passkeys: 0,
        invited_until: link.link_ends,
      });
      await PortalBrowser.byLink(server.url, tokenOf(link));
      const signedIn = (await usersOf(admin)).find(({ email }) => email === 'bob@demo.example');
      assert.match(String(signedIn?.last_sign_in), ISO);
      assert.equal(signedIn?.invited_until, null);
    });

    it('an admin can neither add nor see users of other merchants', async () => {
      await added(operator, { email: 'ann@shop.example', role: 'merchant-admin', merchant: 'shop' });
      assertProblems(await admin.post('/users', { email: 'x@y.example', role: 'operator' }), [
        problemAt('not_allowed', 'role', 'must be one of merchant-admin, merchant-viewer'),
      ]);
      assertProblems(await admin.post('/users', { email: 'x@y.example', role: 'merchant-viewer', merchant: 'shop' }), [
        problemAt('not_allowed', 'merchant', 'must be your own merchant, or absent'),
      ]);
      assertProblems(await admin.post('/users', { email: 'x@y', role: 'merchant-viewer' }), [
        problemAt('bad_format', 'email', 'must be an email address such as ann@shop.example'),
      ]);
      for (const email of ['Ann@shop.example', 'operator@demo.example']) {
        assertProblems(await admin.post('/users', { email, role: 'merchant-viewer' }), [
          problemAt('not_allowed', 'email', 'cannot be added by you. Ask the marketplace'),
        ]);
      }
      assertProblems(await admin.post('/users', { email: 'merchant@demo.example', role: 'merchant-viewer' }), [
        problemAt('user_exists', 'email', 'is already a user. Reset the password to get a new link'),
      ]);
      assert.ok(!(await emailsOf(admin, '?merchant=shop')).includes('ann@shop.example'));
      for (const answer of [
        await admin.post('/users/ann%40shop.example/reset'),
        await admin.delete('/users/ann%40shop.example'),
      ]) {
        assertProblems(answer, [unknownUser('ann@shop.example')], 404);
      }
      assert.deepEqual(await emailsOf(operator, '?merchant=shop'), ['ann@shop.example']);
    });

    it('an operator adds users of all roles, and invalid input is reported', async () => {
      await added(operator, { email: 'new@market.example', role: 'operator' });
      assert.ok((await emailsOf(operator)).includes('new@market.example'));
      assertProblems(await operator.post('/users', { email: 'NEW@market.example', role: 'operator' }), [
        problemAt('user_exists', 'email', 'is already a user. Reset the password to get a new link'),
      ]);
      assertProblems(await operator.post('/users', { email: 'z@y.example', role: 'merchant-viewer' }), [
        problemAt('required', 'merchant', 'is required for role merchant-viewer'),
      ]);
      const nowhere = { email: 'z@y.example', role: 'merchant-viewer', merchant: 'nobody' };
      const unknown = requestProblem('merchant_unknown', 'No merchant "nobody".');
      assertProblems(await operator.post('/users', nowhere), [unknown], 404);
    });

    it('a reset creates a new link, which replaces the password and ends all sessions when used', async () => {
      const before = await addPerson(server, 'reset@demo.example', 'merchant-viewer');
      const first = (await admin.post('/users/Reset%40demo.example/reset')).body as Link;
      const second = (await admin.post('/users/reset%40demo.example/reset')).body as Link;
      assert.equal((await before.post('/links', { token: tokenOf(first) })).status, 404);
      await before.found('/merchant');
      await PortalBrowser.byLink(server.url, tokenOf(second), 'quite another password');
      assert.equal((await before.get('/merchant')).status, 401);
      assertProblems(await admin.post('/users/nobody%40demo.example/reset'), [unknownUser('nobody@demo.example')], 404);
      assertProblems(await admin.post('/users/%FF/reset'), [
        requestProblem('query_invalid', 'The path must be percent-encoded UTF-8 without NUL.'),
      ]);
    });

    it('a removed user is signed out immediately; users cannot remove themselves', async () => {
      const leaving = await addPerson(server, 'leaving@demo.example', 'merchant-admin');
      const removed = await admin.delete('/users/leaving%40demo.example');
      assert.deepEqual([removed.status, removed.text], [202, '']);
      assert.equal((await leaving.get('/merchant')).status, 401);
      assert.ok(!(await emailsOf(admin)).includes('leaving@demo.example'));
      assertProblems(await admin.delete('/users/Merchant%40demo.example'), [
        requestProblem('user_is_oneself', 'You cannot remove your own account. Ask another admin.'),
      ]);
    });

    it('a role change applies to open sessions, and is refused for the user who makes it, operators and other merchants', async () => {
      const viewer = await addPerson(server, 'rising@demo.example', 'merchant-viewer');
      const role = (client: PortalBrowser, email: string, to: string) =>
        client.send('PUT', `/users/${encodeURIComponent(email)}`, { role: to });
      assert.equal((await viewer.get('/users')).status, 403);
      assert.equal((await role(admin, 'Rising@demo.example', 'merchant-admin')).status, 202);
      await viewer.found('/users');
      assert.equal((await role(viewer, 'merchant@demo.example', 'merchant-viewer')).status, 202);
      assert.equal((await admin.get('/users')).status, 403);
      assert.equal((await role(operator, 'merchant@demo.example', 'merchant-admin')).status, 202);
      await admin.found('/users');
      assertProblems(await role(admin, 'merchant@demo.example', 'merchant-viewer'), [
        requestProblem('user_is_oneself', 'You cannot change the role of your own account. Ask another admin.'),
      ]);
      assertProblems(await role(admin, 'rising@demo.example', 'operator'), [
        problemAt('not_allowed', 'role', 'must be one of: merchant-admin, merchant-viewer'),
      ]);
      await addPerson(server, 'second@market.example', 'operator');
      assertProblems(await role(operator, 'second@market.example', 'merchant-viewer'), [
        problemAt('not_allowed', 'role', 'cannot be changed for operators'),
      ]);
      for (const email of ['ann@shop.example', 'second@market.example']) {
        assertProblems(await role(admin, email, 'merchant-viewer'), [unknownUser(email)], 404);
      }
    });

    it('of two admins who remove or demote each other at the same time, one stays an admin', async () => {
      for (const method of ['DELETE', 'PUT', 'DELETE', 'PUT']) {
        const emails = ['one@shop.example', 'other@shop.example'] as const;
        const admins: PortalBrowser[] = [];
        for (const email of emails) admins.push(await addPerson(server, email, 'merchant-admin', 'shop'));
        const answers = await Promise.all(
          admins.map((person, place) => {
            const body = method === 'PUT' ? { role: 'merchant-viewer' } : undefined;
            return person.send(method, `/users/${encodeURIComponent(emails[1 - place] ?? '')}`, body);
          }),
        );
        const statuses = answers.map(({ status }) => status).sort();
        // The session of the second may have ended before its request was admitted.
        assert.ok(statuses[0] === 202 && [401, 403].includes(statuses[1] ?? 0), String(statuses));
        const left = (await usersOf(operator, '?merchant=shop')).filter(({ email }) => email !== 'ann@shop.example');
        assert.equal(left.filter(({ role }) => role === 'merchant-admin').length, 1);
        for (const { email } of left) assert.equal((await operator.delete(`/users/${email}`)).status, 202);
      }
    });

    it('the activity log has changes by operators with user and target, newest first, and no refused ones', async () => {
      const acts = async (query = '') => operator.found<{ acts: Act[]; next: string | null }>(`/acts${query}`);
      await operator.post('/users', { email: 'acts@market.example', role: 'operator' });
      await operator.post('/users', { email: 'acts@market.example', role: 'operator' });
      await operator.post('/merchants/shop/suspend');
      await admin.post('/users', { email: 'unrecorded@demo.example', role: 'merchant-viewer' });
      assert.equal((await runHere(server.place, 'user', 'reset', 'acts@market.example')).exitCode, 0);
      assert.equal(
        (await runHere(server.place, 'keys', 'roll', '--merchant', 'shop', '--env', 'live', '--yes')).exitCode,
        0,
      );
      assert.equal((await runHere(server.place, 'user', 'list')).exitCode, 0);
      const { acts: newest, next } = await acts('?limit=4');
      assert.deepEqual(
        newest.map(({ at: _, ...act }) => act),
        [
          { by: 'command line', act: 'keys roll', subject: 'shop', detail: 'env: live' },
          { by: 'command line', act: 'user reset', subject: 'acts@market.example', detail: '' },
          { by: 'operator@demo.example', act: 'suspendMerchant', subject: 'shop', detail: '' },
          { by: 'operator@demo.example', act: 'addUser', subject: 'acts@market.example', detail: 'role: operator' },
        ],
      );
      assert.ok(newest.every(({ at }) => ISO.test(at)));
      const rest = await acts(`?limit=${LIMITS.list_limit_max}&after=${next}`);
      assert.equal(rest.next, null);
      assert.ok(rest.acts.some(({ act, subject }) => act === 'addMerchant' && subject === 'shop'));
      const suspended = (await acts('?act=suspendMerchant&q=SHOP')).acts;
      assert.deepEqual(
        suspended.map(({ act, subject }) => [act, subject]),
        [['suspendMerchant', 'shop']],
      );
      assert.deepEqual((await acts('?q=nothing%25like')).acts, []);
      assertProblems(await operator.get(`/acts?q=${'x'.repeat(201)}`), [
        requestProblem('query_invalid', 'q: must have at most 200 characters.'),
      ]);
      assertProblems(await operator.get('/acts?limit=0'), [
        requestProblem('query_invalid', 'limit: must be a whole number from 1 to 1000.'),
      ]);
    });
  });
}
