/** Contract tests for portal users and their one-time links. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewSession, OneTimeLink, Passkey, PortalUser } from '../port/people.ts';
import type { Store } from '../port.ts';
import { LATER_MS, NOW_MS, newMerchant } from './subject.ts';

let lastNumber = 0;

export function portalUserContract(store: () => Store): void {
  describe('portal users', () => {
    test('an added user reads back, is listed in order of email, and is found by the link', async () => {
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const operator = newUser();
      const viewer: PortalUser = { ...newUser(), role: 'merchant-viewer', merchantId: merchant.merchantId };
      const [first, second] = [newLink(), newLink()];
      assert.equal(await store().people.addPortalUser(viewer, first), 'stored');
      assert.equal(await store().people.addPortalUser(operator, second), 'stored');
      assert.deepEqual(await store().people.readPortalUser(viewer.email), viewer);
      assert.deepEqual(await store().people.readLink(first.tokenHash, NOW_MS), viewer);
      assert.deepEqual(await store().people.readLink(second.tokenHash, NOW_MS), operator);
      const emails = (await store().people.listPortalUsers()).map(({ email }) => email);
      assert.deepEqual(emails, emails.toSorted());
      assert.ok(emails.includes(viewer.email) && emails.includes(operator.email));
    });

    test('a taken email and an unknown merchant are refused, with their link', async () => {
      const user = newUser();
      await store().people.addPortalUser(user, newLink());
      const link = newLink();
      const other: PortalUser = { ...user, role: 'merchant-admin', merchantId: null };
      assert.equal(await store().people.addPortalUser(other, link), 'exists');
      const lost: PortalUser = { ...newUser(), role: 'merchant-admin', merchantId: 'nobody' };
      assert.equal(await store().people.addPortalUser(lost, link), 'merchant_unknown');
      assert.deepEqual(await store().people.readPortalUser(user.email), user);
      assert.equal(await store().people.readPortalUser(lost.email), undefined);
      assert.equal(await store().people.readLink(link.tokenHash, NOW_MS), undefined);
    });

    test('a user is changed and removed only by someone who is still an operator or an admin', async () => {
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const [one, other] = [newUser(), newUser()].map((user): PortalUser => {
        return { ...user, role: 'merchant-admin', merchantId: merchant.merchantId };
      }) as [PortalUser, PortalUser];
      for (const user of [one, other]) await store().people.addPortalUser(user, newLink());
      const { people } = store();
      assert.equal(await people.setMerchantRole(one.email, 'merchant-viewer', other.email), 'stored');
      assert.equal(await people.setMerchantRole(other.email, 'merchant-viewer', one.email), 'forbidden');
      assert.equal(await people.removePortalUser(other.email, one.email), 'forbidden');
      assert.equal(await people.removePortalUser(one.email, other.email), 'stored');
      assert.equal(await people.removePortalUser(other.email, one.email), 'forbidden');
      assert.deepEqual(await people.readPortalUser(other.email), other);
      assert.equal(await people.setMerchantRole(other.email, 'merchant-viewer', null), 'stored');
      assert.equal(await people.removePortalUser(other.email, null), 'stored');
      assert.equal(await people.removePortalUser(other.email, null), 'unknown');
    });

    test('a user of the provider is added, changed and found by its subject, with sessions but no link', async () => {
      const { people } = store();
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const [operator, local] = [newUser(), newUser()];
      await people.addPortalUser(local, newLink());
      const subject = `https://id.example ${operator.email}`;
      const act = { atMs: NOW_MS, by: operator.email, act: 'signInWithProvider', subject: '', detail: 'new user' };
      const acts = async () => {
        const listed = await people.listActs(Number.MAX_SAFE_INTEGER, 9, { text: operator.email });
        return listed.map(({ actId, ...listedAct }) => listedAct);
      };
      assert.equal(await people.readProviderUser(subject), undefined);
      assert.equal(await people.putProviderUser(subject, operator, act), 'stored');
      assert.deepEqual(await people.readProviderUser(subject), operator);
      const { email } = newUser();
      const viewer: PortalUser = { ...operator, email, role: 'merchant-viewer', merchantId: merchant.merchantId };
      assert.equal(await people.putProviderUser(subject, { ...viewer, email: local.email }, act), 'exists');
      assert.equal(await people.putProviderUser(subject, { ...viewer, merchantId: 'nobody' }, act), 'merchant_unknown');
      assert.equal(await people.putProviderUser(`${subject}-2`, operator, act), 'exists');
      assert.deepEqual(await acts(), [act], 'nothing is recorded of refused changes');
      assert.deepEqual(await people.readProviderUser(subject), operator);
      const changed = { ...act, detail: 'was an operator' };
      assert.equal(await people.putProviderUser(subject, viewer, changed), 'stored');
      assert.deepEqual(await acts(), [changed, act]);
      assert.deepEqual(await people.readProviderUser(subject), viewer);
      assert.equal(await people.readPortalUser(operator.email), undefined);
      const listed = (await people.listPortalUsers()).filter((user) => [email, local.email].includes(user.email));
      assert.deepEqual(new Set(listed.map((user) => user.providerSubject)), new Set([subject, null]));
      const ends = { idleEndsMs: LATER_MS, endsMs: LATER_MS };
      const session = {
        ...ends,
        tokenHash: newLink().tokenHash,
        sessionId: email,
        issuedMs: NOW_MS,
        signedInMs: NOW_MS,
        isByPassword: false,
      };
      assert.equal(await people.addProviderSession(`${subject}-2`, session, 1), 'changed');
      assert.equal(await people.addProviderSession(subject, session, 1), 'stored');
      assert.deepEqual((await people.readSession(session.tokenHash, NOW_MS))?.user, viewer);
      const second = { ...session, tokenHash: newLink().tokenHash, sessionId: `${email}-2`, issuedMs: NOW_MS + 1 };
      assert.equal(await people.addProviderSession(subject, second, 1), 'stored');
      assert.equal(await people.readSession(session.tokenHash, NOW_MS), undefined, 'beyond the limit');
      assert.equal(await people.replaceLink(email, newLink(), NOW_MS), 'of_provider');
      assert.equal(await people.setMerchantRole(email, 'merchant-admin', null), 'of_provider');
      assert.equal(await people.readPasswordHash(email), null);
      assert.equal(await people.removePortalUser(email, null), 'stored');
      assert.equal(await people.addProviderSession(subject, second, 1), 'changed');
    });

    test('passkeys are added to a limit, used once for each challenge, and removed', async () => {
      const { people } = store();
      const [user, other] = [newUser(), newUser()];
      for (const one of [user, other]) await people.addPortalUser(one, newLink());
      const passkey = newPasskey();
      assert.equal(await people.readOwnPasskeys('nobody@shop.example'), undefined);
      assert.equal(await people.addPasskey('nobody@shop.example', passkey, '', 2), 'user_unknown');
      assert.equal(await people.setNeedsPasskey(user.email, true), 'none');
      assert.equal(await people.addPasskey(user.email, passkey, '', 2), 'stored');
      assert.equal(await people.addPasskey(other.email, passkey, '', 2), 'exists');
      const second = { ...newPasskey(), createdMs: NOW_MS + 1 };
      assert.equal(await people.addPasskey(user.email, second, '', 2), 'stored');
      assert.equal(await people.addPasskey(user.email, newPasskey(), '', 2), 'full');
      const { userId, ...own } = (await people.readOwnPasskeys(user.email)) ?? assert.fail();
      assert.deepEqual(own, { needsPasskey: false, isOfProvider: false, passkeys: [passkey, second] });
      assert.notEqual((await people.readOwnPasskeys(other.email))?.userId, userId);
      assert.deepEqual(await people.readPasskey(passkey.credentialId), { passkey, user });

      const begin = (counter: number, challengeMs: number, usedMs: number) => {
        const use = { counter, challengeMs, usedMs };
        const act = { atMs: usedMs, by: user.email, act: 'signInWithPasskey', subject: 'key', detail: '' };
        return people.addPasskeySession(passkey.credentialId, use, newSession(), 1, act);
      };
      const listed = async () => (await people.listPortalUsers()).find(({ email }) => email === user.email);
      assert.equal((await listed())?.passkeys, 2);
      assert.equal(await begin(0, NOW_MS, NOW_MS + 5), 'refused', 'the challenge is as old as the passkey');
      assert.equal(await begin(0, NOW_MS + 1, NOW_MS + 5), 'stored');
      assert.equal(await begin(0, NOW_MS + 1, NOW_MS + 6), 'refused', 'the challenge was used');
      assert.equal(await begin(0, NOW_MS + 5, NOW_MS + 6), 'refused');
      assert.equal(await begin(3, NOW_MS + 6, NOW_MS + 7), 'stored');
      for (const counter of [3, 2, 0]) assert.equal(await begin(counter, NOW_MS + 8, NOW_MS + 9), 'refused');
      const acts = await people.listActs(Number.MAX_SAFE_INTEGER, 9, { text: user.email });
      const times = acts.map(({ atMs }) => atMs);
      assert.deepEqual(times, [NOW_MS + 7, NOW_MS + 5], 'one for each session, none for a refused one');
      const used = await people.readPasskey(passkey.credentialId);
      assert.deepEqual(used?.passkey, { ...passkey, counter: 3, lastUsedMs: NOW_MS + 7 });

      assert.equal(await people.removePasskey(other.email, passkey.credentialId, false), 'unknown');
      assert.equal(await people.removePasskey(user.email, second.credentialId, true), 'stored');
      assert.equal(await people.removePasskey(user.email, passkey.credentialId, true), 'last');
      assert.equal(await people.setNeedsPasskey(user.email, true), 'stored');
      assert.equal(await people.removePasskey(user.email, passkey.credentialId, false), 'last');
      assert.equal(await people.removePasskeys(user.email), 1);
      assert.equal((await people.readOwnPasskeys(user.email))?.needsPasskey, false);
      assert.equal(await people.removePasskeys(user.email), 0);
      assert.equal((await listed())?.passkeys, 0);
      assert.equal(await people.removePasskeys('nobody@shop.example'), undefined);
      assert.equal(await begin(9, NOW_MS + 20, NOW_MS + 21), 'refused', 'it was removed');
      await people.addPasskey(user.email, passkey, '', 2);
      await people.removePortalUser(user.email, null);
      assert.equal(await people.readPasskey(passkey.credentialId), undefined);
    });

    test('a session by password knows that a passkey was added in it, and whether one is needed', async () => {
      const { people } = store();
      const user = newUser();
      const link = newLink();
      await people.addPortalUser(user, link);
      const session = { ...newSession(), isByPassword: true };
      await people.useLink(link.tokenHash, 'hash', session, NOW_MS);
      const states = async () => {
        const { isByPassword, needsPasskey } = (await people.readSession(session.tokenHash, NOW_MS)) ?? assert.fail();
        return { isByPassword, needsPasskey };
      };
      assert.deepEqual(await states(), { isByPassword: true, needsPasskey: false });
      await people.addPasskey(user.email, newPasskey(), session.sessionId, 1);
      await people.setNeedsPasskey(user.email, true);
      assert.deepEqual(await states(), { isByPassword: false, needsPasskey: true });
    });

    test('a link works until just before it expires', async () => {
      const user = newUser();
      const link = newLink();
      await store().people.addPortalUser(user, link);
      assert.deepEqual(await store().people.readLink(link.tokenHash, link.endsMs - 1), user);
      assert.equal(await store().people.readLink(link.tokenHash, link.endsMs), undefined);
      assert.equal(await store().people.readLink(Uint8Array.of(1, 2, 3), NOW_MS), undefined);
    });

    test('a new link replaces only the links of its user', async () => {
      const [user, other] = [newUser(), newUser()];
      const [old, next, others] = [newLink(), newLink(), newLink()];
      await store().people.addPortalUser(user, old);
      await store().people.addPortalUser(other, others);
      assert.equal(await store().people.replaceLink(user.email, next, NOW_MS), 'stored');
      assert.equal(await store().people.readLink(old.tokenHash, NOW_MS), undefined);
      assert.deepEqual(await store().people.readLink(next.tokenHash, NOW_MS), user);
      assert.deepEqual(await store().people.readLink(others.tokenHash, NOW_MS), other);
      assert.equal(await store().people.replaceLink('nobody@shop.example', newLink(), NOW_MS), 'unknown');
    });
  });
}

function newUser(): PortalUser {
  return { email: `user-${++lastNumber}@shop.example`, role: 'operator', merchantId: null, createdMs: NOW_MS };
}

function newLink(): OneTimeLink {
  const number = ++lastNumber;
  return { tokenHash: Uint8Array.from({ length: 32 }, (_, place) => (number * 7 + place) % 256), endsMs: LATER_MS };
}

function newPasskey(): Passkey {
  const credentialId = `passkey-${++lastNumber}`;
  return {
    credentialId,
    name: 'Laptop',
    publicKey: Uint8Array.of(1, 0, 255),
    counter: 0,
    createdMs: NOW_MS,
    lastUsedMs: null,
  };
}

function newSession(): NewSession {
  const { tokenHash } = newLink();
  const times = { issuedMs: NOW_MS, signedInMs: NOW_MS, idleEndsMs: LATER_MS, endsMs: LATER_MS };
  return { tokenHash, sessionId: `session of user ${++lastNumber}`, ...times, isByPassword: false };
}
