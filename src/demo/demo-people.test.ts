/** Tests that the portal users of the demo can sign in only while the demo exists. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { issueLink } from '../access/portal/one-time-link.ts';
import { Passwords } from '../access/portal/passwords.ts';
import { issueSession } from '../access/portal/portal-sessions.ts';
import { openSqliteSetupStore } from '../store/sqlite/open.ts';
import { closeDemo, DEMO_MERCHANT_ID, openDemo } from './demo-merchant.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from './demo-people.ts';

const NOW_MS = Date.parse('2026-01-31T09:30:00Z');

it('the users are created with the demo, each once, and removed with their sessions when it is closed', async (t) => {
  const store = await openSqliteSetupStore({ dataDir: await tempFolder() });
  t.after(() => store.close());
  const passwords = new Passwords();
  await openDemo(store, NOW_MS);
  const made = await store.people.listPortalUsers();
  assert.deepEqual(
    made.map(({ email, role, merchantId, invitedUntilMs }) => [email, role, merchantId, invitedUntilMs]),
    [
      [DEMO_PEOPLE.merchant, 'merchant-admin', DEMO_MERCHANT_ID, null],
      [DEMO_PEOPLE.operator, 'operator', null, null],
    ],
  );
  const hash = (await store.people.readPasswordHash(DEMO_PEOPLE.operator)) ?? '';
  assert.ok(await passwords.fits(hash, DEMO_PASSWORD));
  await openDemo(store, NOW_MS + 1);
  assert.equal(await store.people.readPasswordHash(DEMO_PEOPLE.operator), hash);
  const { stored } = issueSession(NOW_MS);
  assert.equal(await store.people.addSession(DEMO_PEOPLE.operator, hash, stored, 9), 'stored');
  assert.equal(await closeDemo(store), true);
  assert.deepEqual(await store.people.listPortalUsers(), []);
  assert.equal(await store.people.readSession(stored.tokenHash, NOW_MS), undefined);
  assert.equal(await closeDemo(store), false);
});

it('a user whose creation was interrupted gets the password, and a user with another password stays and keeps it', async (t) => {
  const store = await openSqliteSetupStore({ dataDir: await tempFolder() });
  t.after(() => store.close());
  const passwords = new Passwords();
  const user = { email: DEMO_PEOPLE.operator, role: 'operator', merchantId: null, createdMs: NOW_MS } as const;
  await store.people.addPortalUser(user, issueLink(NOW_MS).stored);
  await openDemo(store, NOW_MS);
  assert.ok(await passwords.fits(await store.people.readPasswordHash(user.email), DEMO_PASSWORD));
  const { stored } = issueLink(NOW_MS);
  await store.people.replaceLink(user.email, stored, NOW_MS);
  const own = await passwords.hash('a password of his own');
  await store.people.useLink(stored.tokenHash, own, null, NOW_MS);
  await openDemo(store, NOW_MS);
  assert.equal(await closeDemo(store), true);
  assert.deepEqual(
    (await store.people.listPortalUsers()).map(({ email }) => email),
    [DEMO_PEOPLE.operator],
  );
  assert.equal(await store.people.readPasswordHash(user.email), own);
});
