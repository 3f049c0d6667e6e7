/** Contract tests for portal passwords and sessions, and for the activity log. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ActFilter, NewSession, OneTimeLink, PortalUser } from '../port/people.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';
import { LATER_MS, NOW_MS, newMerchant } from './subject.ts';

const SESSIONS_MAX = 3;

let lastNumber = 0;

export function portalSessionContract(store: () => Store, emptied: ClearedStores): void {
  describe('passwords', () => {
    test('are unset until a link is used, which sets one and ends all links', async () => {
      const { user, link } = await addedUser(store());
      assert.equal(await store().people.readPasswordHash(user.email), null);
      assert.equal(await store().people.readPasswordHash('nobody@shop.example'), undefined);
      assert.equal(
        await store().people.useLink(link.tokenHash, 'one', null, link.endsMs),
        undefined,
        'the link has expired',
      );
      assert.deepEqual(await store().people.useLink(link.tokenHash, 'one', null, NOW_MS), user);
      assert.equal(await store().people.readPasswordHash(user.email), 'one');
      assert.equal(await store().people.useLink(link.tokenHash, 'two', null, NOW_MS), undefined, 'it was used');
      assert.equal(await store().people.readLink(link.tokenHash, NOW_MS), undefined);
      assert.equal(await store().people.readPasswordHash(user.email), 'one');
    });

    test('change only if the old one was not changed meanwhile, and end all sessions but the new one', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const [old, others, next] = [newSession(), newSession(), newSession()];
      await store().people.addSession(user.email, 'one', old, SESSIONS_MAX);
      const other = await signedUpUser(store(), 'one');
      await store().people.addSession(other.user.email, 'one', others, SESSIONS_MAX);
      assert.equal(await store().people.changePassword(user.email, 'two', 'three', next), 'changed');
      assert.equal(await store().people.changePassword('nobody@shop.example', 'one', 'two', next), 'changed');
      assert.ok(await store().people.readSession(old.tokenHash, NOW_MS));
      assert.equal(await store().people.changePassword(user.email, 'one', 'two', next), 'stored');
      assert.equal(await store().people.readPasswordHash(user.email), 'two');
      assert.equal(await store().people.readSession(old.tokenHash, NOW_MS), undefined);
      assert.deepEqual((await store().people.readSession(next.tokenHash, NOW_MS))?.user, user);
      assert.ok(await store().people.readSession(others.tokenHash, NOW_MS));
    });

    test('one of two concurrent changes wins, and one of two uses of a link', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const changes = ['two', 'three'].map((to) => store().people.changePassword(user.email, 'one', to, newSession()));
      assert.deepEqual((await Promise.all(changes)).sort(), ['changed', 'stored']);
      const { link } = await addedUser(store());
      const uses = ['two', 'three'].map((to) => store().people.useLink(link.tokenHash, to, newSession(), NOW_MS));
      assert.equal((await Promise.all(uses)).filter((used) => used !== undefined).length, 1);
    });
  });

  describe('sessions', () => {
    test('start only if the password was not changed meanwhile, and record the time', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const session = newSession();
      assert.equal(await store().people.addSession(user.email, 'two', session, SESSIONS_MAX), 'changed');
      assert.equal(await store().people.addSession('nobody@shop.example', 'one', session, SESSIONS_MAX), 'changed');
      assert.equal(await store().people.readSession(session.tokenHash, NOW_MS), undefined);
      assert.equal(await lastSignIn(store(), user), null);
      assert.equal(await store().people.addSession(user.email, 'one', session, SESSIONS_MAX), 'stored');
      const { tokenHash, ...rest } = session;
      assert.deepEqual(await store().people.readSession(tokenHash, NOW_MS), {
        ...rest,
        ...{ user, needsPasskey: false, nextNonce: null },
      });
      assert.equal(await lastSignIn(store(), user), session.issuedMs);
    });

    test('expire when idle for too long or at their end, and not before', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const session = { ...newSession(), idleEndsMs: NOW_MS + 10, endsMs: NOW_MS + 20 };
      await store().people.addSession(user.email, 'one', session, SESSIONS_MAX);
      assert.ok(await store().people.readSession(session.tokenHash, NOW_MS + 9));
      assert.equal(await store().people.readSession(session.tokenHash, NOW_MS + 10), undefined);
      await store().people.extendSession(session.tokenHash, NOW_MS + 30);
      assert.ok(await store().people.readSession(session.tokenHash, NOW_MS + 19));
      assert.equal(await store().people.readSession(session.tokenHash, NOW_MS + 20), undefined);
    });

    test('have their token replaced once, and the old one stays valid for a while', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const session = newSession();
      await store().people.addSession(user.email, 'one', session, SESSIONS_MAX);
      const rotations = [newRotation(), newRotation()];
      const outcomes = await Promise.all(
        rotations.map((rotation) => store().people.rotateSession(session.tokenHash, rotation)),
      );
      assert.deepEqual(outcomes.toSorted(), ['overtaken', 'rotated']);
      const winner = rotations[outcomes.indexOf('rotated')] ?? assert.fail();
      const loser = rotations[outcomes.indexOf('overtaken')] ?? assert.fail();
      const old = await store().people.readSession(session.tokenHash, winner.overlapEndsMs - 1);
      assert.deepEqual(old?.nextNonce && [...old.nextNonce], [...winner.nonce]);
      assert.equal(await store().people.readSession(session.tokenHash, winner.overlapEndsMs), undefined);
      const { sessionId, signedInMs, endsMs } = session;
      const { issuedMs, idleEndsMs } = winner;
      assert.deepEqual(await store().people.readSession(winner.tokenHash, NOW_MS), {
        ...{ user, sessionId, issuedMs, signedInMs, idleEndsMs, endsMs },
        ...{ isByPassword: true, needsPasskey: false, nextNonce: null },
      });
      assert.equal(await store().people.readSession(loser.tokenHash, NOW_MS), undefined);
      assert.equal(await store().people.rotateSession(newSession().tokenHash, newRotation()), 'overtaken');
    });

    test('are ended with all their tokens: one, all but one, all', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const sessions = [newSession(), newSession(), newSession()];
      for (const session of sessions) await store().people.addSession(user.email, 'one', session, SESSIONS_MAX);
      const [first, second, third] = sessions as [NewSession, NewSession, NewSession];
      const rotation = newRotation();
      await store().people.rotateSession(first.tokenHash, rotation);
      const working = async () => {
        const tokens = [first, rotation, second, third].map(({ tokenHash }) =>
          store().people.readSession(tokenHash, NOW_MS),
        );
        return (await Promise.all(tokens)).map((found) => found !== undefined);
      };
      assert.deepEqual(await working(), [true, true, true, true]);
      await store().people.endSession(second.sessionId);
      assert.deepEqual(await working(), [true, true, false, true]);
      assert.equal(await store().people.endSessions(user.email, third.sessionId), 1, 'two tokens of one session');
      assert.deepEqual(await working(), [false, false, false, true]);
      assert.equal(await store().people.endSessions(user.email, null), 1);
      assert.deepEqual(await working(), [false, false, false, false]);
      assert.equal(await store().people.endSessions('nobody@shop.example', null), 0);
    });

    test('leave no token when they are renewed and ended at once', async () => {
      const { user } = await signedUpUser(store(), 'one');
      for (let round = 0; round < 10; round++) {
        const [session, rotation] = [newSession(), newRotation()];
        await store().people.addSession(user.email, 'one', session, SESSIONS_MAX);
        await Promise.all([
          store().people.rotateSession(session.tokenHash, rotation),
          store().people.endSessions(user.email, null),
        ]);
        assert.equal(await store().people.readSession(rotation.tokenHash, NOW_MS), undefined);
        assert.equal(await store().people.readSession(session.tokenHash, NOW_MS), undefined);
      }
    });

    test('are limited per user: the oldest end', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const sessions = Array.from({ length: SESSIONS_MAX + 1 }, (_, place) => {
        return { ...newSession(), issuedMs: NOW_MS + place };
      });
      for (const session of sessions) await store().people.addSession(user.email, 'one', session, SESSIONS_MAX);
      const found = await Promise.all(sessions.map(({ tokenHash }) => store().people.readSession(tokenHash, NOW_MS)));
      assert.deepEqual(
        found.map((session) => session?.issuedMs),
        [undefined, NOW_MS + 1, NOW_MS + 2, NOW_MS + 3],
      );
    });

    test('count once while their token is replaced', async () => {
      const { user } = await signedUpUser(store(), 'one');
      const [first, rotated, last] = [newSession(), newSession(), newSession()];
      const rotation = newRotation();
      await store().people.addSession(user.email, 'one', first, SESSIONS_MAX);
      await store().people.addSession(user.email, 'one', rotated, SESSIONS_MAX);
      assert.equal(await store().people.rotateSession(rotated.tokenHash, rotation), 'rotated');
      await store().people.addSession(user.email, 'one', last, SESSIONS_MAX);
      for (const { tokenHash } of [first, rotated, rotation, last]) {
        assert.ok(await store().people.readSession(tokenHash, NOW_MS));
      }
    });

    test("are removed with their user, and with the user's merchant", async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newMerchant();
      await own.settings.addMerchant(merchant, NOW_MS);
      const { user } = await signedUpUser(own, 'one');
      const admin = await signedUpUser(own, 'one', { role: 'merchant-admin', merchantId: merchant.merchantId });
      const sessions = [newSession(), newSession()] as const;
      await own.people.addSession(user.email, 'one', sessions[0], SESSIONS_MAX);
      await own.people.addSession(admin.user.email, 'one', sessions[1], SESSIONS_MAX);
      await own.people.replaceLink(user.email, newLink(), NOW_MS);
      assert.equal(await own.people.removePortalUser(user.email, null), 'stored');
      assert.equal(await own.people.removePortalUser(user.email, null), 'unknown');
      assert.equal(await own.people.readPortalUser(user.email), undefined);
      assert.equal(await own.people.readSession(sessions[0].tokenHash, NOW_MS), undefined);
      assert.ok(await own.people.readSession(sessions[1].tokenHash, NOW_MS));
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      assert.equal(await own.people.readSession(sessions[1].tokenHash, NOW_MS), undefined);
    });

    test('are dropped after their end, and only then', async () => {
      const own = await emptied.openOne();
      const { user } = await signedUpUser(own, 'one');
      const idle = { ...newSession(), idleEndsMs: LATER_MS };
      const over = { ...newSession(), endsMs: LATER_MS };
      const working = { ...newSession(), idleEndsMs: LATER_MS + 1 };
      for (const session of [idle, over, working])
        await own.people.addSession(user.email, 'one', session, SESSIONS_MAX);
      const version = await own.settings.readSetupVersion();
      const kept = async () => {
        const all = [idle, over, working].map(({ tokenHash }) => own.people.readSession(tokenHash, NOW_MS));
        return (await Promise.all(all)).map((session) => session !== undefined);
      };
      assert.equal(await own.people.dropEndedSessions(LATER_MS - 1), false);
      assert.deepEqual(await kept(), [true, true, true]);
      assert.equal(await own.people.dropEndedSessions(LATER_MS), false);
      assert.deepEqual(await kept(), [false, false, true]);
      assert.equal(await own.settings.readSetupVersion(), version, 'sessions do not change the settings version');
    });
  });

  describe('activity log entries', () => {
    test('are listed newest first, page by page, and dropped by age', async () => {
      const own = await emptied.openOne();
      const acts = ['one', 'two', 'three'].map((act, place) => {
        return { atMs: NOW_MS + place, by: 'ann@shop.example', act, subject: `Ä "${place}"`, detail: '' };
      });
      for (const act of acts) await own.people.addAct(act);
      const listed = await own.people.listActs(Number.MAX_SAFE_INTEGER, 2);
      assert.deepEqual(
        listed.map(({ actId: _, ...act }) => act),
        [acts[2], acts[1]],
      );
      const rest = await own.people.listActs(listed.at(-1)?.actId ?? 0, 2);
      assert.deepEqual(
        rest.map(({ act }) => act),
        ['one'],
      );
      const found = async (filter: ActFilter) => {
        return (await own.people.listActs(Number.MAX_SAFE_INTEGER, 9, filter)).map(({ act }) => act);
      };
      assert.deepEqual(await found({ act: 'two' }), ['two']);
      assert.deepEqual(await found({ act: 'tw' }), []);
      assert.deepEqual(await found({ text: 'ANN@' }), ['three', 'two', 'one']);
      assert.deepEqual(await found({ act: 'one', text: '"0"' }), ['one']);
      assert.deepEqual(await found({ text: '%' }), []);
      const count = async () => (await own.people.listActs(Number.MAX_SAFE_INTEGER, 999)).length;
      assert.equal(await own.people.dropActsBefore(NOW_MS), false);
      assert.equal(await count(), 3);
      assert.equal(await own.people.dropActsBefore(NOW_MS + 1), false);
      assert.equal(await count(), 2);
    });

    test('are dropped in steps, the oldest first', async () => {
      const own = await emptied.openOne();
      for (let made = 0; made < 201; made++) {
        await own.people.addAct({ atMs: NOW_MS + made, by: 'ann@shop.example', act: 'one', subject: '', detail: '' });
      }
      assert.equal(await own.people.dropActsBefore(LATER_MS), true, 'more may be left');
      const left = await own.people.listActs(Number.MAX_SAFE_INTEGER, 999);
      assert.deepEqual(
        left.map(({ atMs }) => atMs),
        [NOW_MS + 200],
      );
      assert.equal(await own.people.dropActsBefore(LATER_MS), false);
      assert.deepEqual(await own.people.listActs(Number.MAX_SAFE_INTEGER, 999), []);
    });
  });
}

async function addedUser(
  store: Store,
  of: Pick<PortalUser, 'role' | 'merchantId'> = { role: 'operator', merchantId: null },
): Promise<{ user: PortalUser; link: OneTimeLink }> {
  const user = { email: `person-${++lastNumber}@shop.example`, ...of, createdMs: NOW_MS };
  const link = newLink();
  assert.equal(await store.people.addPortalUser(user, link), 'stored');
  return { user, link };
}

async function signedUpUser(
  store: Store,
  passwordHash: string,
  of?: Pick<PortalUser, 'role' | 'merchantId'>,
): Promise<{ user: PortalUser }> {
  const { user, link } = await addedUser(store, of);
  await store.people.useLink(link.tokenHash, passwordHash, null, NOW_MS);
  return { user };
}

async function lastSignIn(store: Store, { email }: PortalUser): Promise<number | null | undefined> {
  return (await store.people.listPortalUsers()).find((user) => user.email === email)?.lastSignInMs;
}

function newLink(): OneTimeLink {
  return { tokenHash: newHash(), endsMs: LATER_MS };
}

function newSession(): NewSession {
  const tokenHash = newHash();
  const sessionId = `session ${++lastNumber}`;
  return {
    tokenHash,
    sessionId,
    issuedMs: NOW_MS,
    signedInMs: NOW_MS - 1,
    idleEndsMs: LATER_MS + 1000,
    endsMs: LATER_MS + 2000,
    isByPassword: true,
  };
}

function newRotation() {
  return {
    tokenHash: newHash(),
    nonce: Uint8Array.of(++lastNumber % 256, 0, 255),
    issuedMs: NOW_MS + 1,
    idleEndsMs: LATER_MS + 500,
    overlapEndsMs: NOW_MS + 100,
  };
}

function newHash(): Uint8Array {
  const number = ++lastNumber;
  return Uint8Array.from({ length: 32 }, (_, place) => (place < 4 ? number >> (8 * place) : 200 + place) % 256);
}
