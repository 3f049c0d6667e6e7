/**
 * Tests that settings changes, sessions and the activity log wait for the write lock in the writer thread, not in the
 * caller's.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NOW_MS, newMerchant } from '../contract/subject.ts';
import type { NewSession } from '../port/people.ts';
import type { Store } from '../port.ts';
import { openForWriting } from './engine/engine.ts';
import { openSqliteStore } from './open.ts';
import { openSetupFor, openStoreFor } from './testing/open-for.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

const USER = { email: 'ann@example.com', role: 'operator', merchantId: null, createdMs: NOW_MS } as const;
const ACT = { atMs: NOW_MS, by: USER.email, act: 'addMerchant', subject: 'acme', detail: '' };
const POLICY = { kind: 'excluded_brand', brand: 'Nobrand' } as const;
const MERCHANT = newMerchant();
const link = (token: number) => ({ tokenHash: new Uint8Array([token]), endsMs: NOW_MS + 1000 });
const session = (token: number): NewSession => {
  const ends = { issuedMs: NOW_MS, signedInMs: NOW_MS, idleEndsMs: NOW_MS + 1000, endsMs: NOW_MS + 2000 };
  return { tokenHash: new Uint8Array([token]), sessionId: `session-${token}`, isByPassword: true, ...ends };
};

/** Calls that are valid after `prepare`. */
const WRITES: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'a sign-in': (store) => store.people.addSession(USER.email, 'hash', session(2), 50),
  'an extension': (store) => store.people.extendSession(session(1).tokenHash, NOW_MS + 1500),
  'an act': (store) => store.people.addAct(ACT),
  'a merchant': (store) => store.settings.addMerchant(MERCHANT, NOW_MS),
  'a user': (store) => store.people.addPortalUser({ ...USER, email: 'ben@example.com' }, link(3)),
  'the rules of the program': (store) => store.policies.holdRules('rules'),
  // Last, because the others read the session.
  'a sign-out': (store) => store.people.endSession('session-1'),
};

async function prepare(store: Store): Promise<void> {
  await store.people.addPortalUser(USER, link(1));
  await store.people.useLink(link(1).tokenHash, 'hash', session(1), NOW_MS);
}

describe('while another connection holds the write lock', () => {
  const dataDir = temporaryDir();
  let store: Store;
  before(async () => {
    store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
    await prepare(store);
  });
  after(() => store.close());

  for (const [name, write] of Object.entries(WRITES)) {
    test(`${name} waits, and the calling thread continues`, async (t) => {
      const other = openForWriting(join(dataDir, 'offerbook.db'));
      t.after(() => other.close());

      other.exec('BEGIN IMMEDIATE');
      let isDone = false;
      const done = write(store).then(() => {
        isDone = true;
      });
      const found = await store.people.readSession(session(1).tokenHash, NOW_MS);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const wasDone = isDone;
      other.exec('COMMIT');
      await done;

      assert.equal(found?.user.email, USER.email);
      assert.equal(wasDone, false);
    });
  }
});

test('a change raises the settings version once; refused changes and sessions do not', async (t) => {
  const store = await openStoreFor(t);
  await prepare(store);
  const moved = async (write: () => Promise<unknown>): Promise<number> => {
    const before = await store.settings.readSetupVersion();
    await write();
    return (await store.settings.readSetupVersion()) - before;
  };
  assert.equal(await moved(() => store.settings.addMerchant(MERCHANT, NOW_MS)), 1);
  assert.equal(await moved(() => store.settings.addMerchant(MERCHANT, NOW_MS)), 0);
  assert.equal(await moved(() => store.people.addSession(USER.email, 'hash', session(2), 50)), 0);
  // Sent in one batch; each gets its own result.
  const together = () =>
    Promise.all([store.people.addAct(ACT), store.policies.addPolicy(POLICY), store.policies.addPolicy(POLICY)]);
  assert.equal(await moved(together), 1);
});

test('the command line changes settings on its own thread, while a store is open', async (t) => {
  const dataDir = temporaryDir();
  const store = await openStoreFor(t, { dataDir });
  const setup = await openSetupFor(t, dataDir);
  assert.equal(await setup.settings.addMerchant(MERCHANT, NOW_MS), 'stored');
  assert.equal(await store.settings.addMerchant(MERCHANT, NOW_MS), 'exists');
});
