/** Contract tests for accounts' credential sets and for signing keys. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Credential, NewCredential } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ALL_RIGHTS, SCOPE } from '../../domain/setup/key-scopes.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';
import { LATER_MS, NOW_MS, newCredential, newMerchant } from './subject.ts';

export function keyContract(store: () => Store, emptied: ClearedStores): void {
  describe('credentials', () => {
    test('each environment has its own set, found by user and by number', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      for (const environment of ['test', 'live'] as const) {
        const credential = await ofUser(store(), credentials[environment]);
        assert.deepEqual(credential, {
          ...credentials[environment],
          credentialId: credential.credentialId,
          accountId: merchant.accounts[environment],
          createdMs: NOW_MS,
          endsMs: null,
          lastUsedMs: null,
          name: '',
          ...ALL_RIGHTS,
          planLimits: null,
        });
        assert.deepEqual(await store().settings.readCredential(credential.credentialId), credential);
      }
    });

    test('an unknown user or number has none; user names are case-sensitive', async () => {
      const { credentials } = await addedMerchant(store());
      assert.equal(await store().settings.readCredentialOfUser(credentials.test.user.toUpperCase()), undefined);
      assert.equal(await store().settings.readCredential(999_999), undefined);
    });

    test('a roll without overlap removes the old set immediately', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const old = await ofUser(store(), credentials.live);
      const next = newCredential();
      await store().settings.rollCredential(merchant.accounts.live, null, next, LATER_MS, LATER_MS);
      assert.equal(await store().settings.readCredentialOfUser(old.user), undefined);
      assert.equal(await store().settings.readCredential(old.credentialId), undefined);
      const credential = await ofUser(store(), next);
      assert.deepEqual(credential, {
        ...next,
        credentialId: credential.credentialId,
        accountId: merchant.accounts.live,
        createdMs: LATER_MS,
        endsMs: null,
        lastUsedMs: null,
        name: '',
        ...ALL_RIGHTS,
        planLimits: null,
      });
    });

    test('a roll leaves the other environment and other merchants unchanged', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const other = await addedMerchant(store());
      const before = [await ofUser(store(), credentials.test), await ofUser(store(), other.credentials.live)];
      await store().settings.rollCredential(merchant.accounts.live, null, newCredential(), LATER_MS, 0);
      assert.deepEqual(
        [await ofUser(store(), credentials.test), await ofUser(store(), other.credentials.live)],
        before,
      );
    });

    test('after a roll with overlap the old set has an expiry time', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const old = await ofUser(store(), credentials.test);
      const next = newCredential();
      await store().settings.rollCredential(merchant.accounts.test, null, next, NOW_MS, LATER_MS);
      assert.deepEqual(await ofUser(store(), credentials.test), { ...old, endsMs: LATER_MS });
      assert.deepEqual(await store().settings.readCredential(old.credentialId), { ...old, endsMs: LATER_MS });
      assert.equal((await ofUser(store(), next)).endsMs, null);
      const listed = async (nowMs: number) =>
        (await store().settings.listCredentials(merchant.accounts.test, nowMs)).map(({ user, endsMs }) => [
          user,
          endsMs,
        ]);
      assert.deepEqual(await listed(NOW_MS), [
        [credentials.test.user, LATER_MS],
        [next.user, null],
      ]);
      assert.deepEqual(await listed(LATER_MS), [[next.user, null]], 'expired sets are not listed');
    });

    test('a second roll changes no earlier overlap unless it ends all sets immediately, and drops what has ended', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const [second, third, fourth, fifth] = [newCredential(), newCredential(), newCredential(), newCredential()];
      const endsOf = async (credential: NewCredential) =>
        (await store().settings.readCredentialOfUser(credential.user))?.endsMs ?? undefined;
      const roll = (next: NewCredential, nowMs: number, endsMs: number) =>
        store().settings.rollCredential(merchant.accounts.live, null, next, nowMs, endsMs);

      await roll(second, NOW_MS, NOW_MS + 100);
      await roll(third, NOW_MS + 1, NOW_MS + 200);
      assert.deepEqual([await endsOf(credentials.live), await endsOf(second)], [NOW_MS + 100, NOW_MS + 200]);
      await roll(fourth, NOW_MS + 100, NOW_MS + 150);
      assert.equal(await store().settings.readCredentialOfUser(credentials.live.user), undefined);
      assert.deepEqual([await endsOf(second), await endsOf(third)], [NOW_MS + 200, NOW_MS + 150]);
      await roll(fifth, NOW_MS + 101, NOW_MS + 101);
      for (const gone of [second, third, fourth]) {
        assert.equal(await store().settings.readCredentialOfUser(gone.user), undefined);
      }
      assert.equal((await ofUser(store(), fifth)).endsMs, null);
    });

    test('sets are added up to a limit, rolled and revoked one by one', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const accountId = merchant.accounts.live;
      const { settings } = store();
      const [shop, next, late] = [newCredential(), newCredential(), newCredential()];
      const listed = async (nowMs: number) =>
        (await settings.listCredentials(accountId, nowMs)).map(({ user, name, endsMs }) => [user, name, endsMs]);

      assert.equal(
        await settings.addCredential(accountId, { ...shop, ...ALL_RIGHTS, name: 'shop' }, NOW_MS, 2),
        'stored',
      );
      assert.equal(
        await settings.addCredential(accountId, { ...late, ...ALL_RIGHTS, name: 'late' }, NOW_MS, 2),
        'full',
      );
      assert.equal(await settings.rollCredential(accountId, shop.user, next, NOW_MS, LATER_MS), 'stored');
      const rolled = [
        [credentials.live.user, '', null],
        [shop.user, 'shop', LATER_MS],
        [next.user, 'shop', null],
      ];
      assert.deepEqual(await listed(NOW_MS), rolled);
      assert.equal(await settings.rollCredential(accountId, shop.user, late, NOW_MS, NOW_MS), 'ending');
      assert.equal(await settings.rollCredential(accountId, shop.user, late, LATER_MS, LATER_MS), 'unknown');
      assert.equal(await settings.rollCredential(merchant.accounts.test, next.user, late, NOW_MS, 0), 'unknown');
      assert.equal(await settings.revokeCredential(merchant.accounts.test, next.user), 'unknown');
      assert.deepEqual(await listed(NOW_MS), rolled);
      assert.equal(await settings.revokeCredential(accountId, credentials.live.user), 'stored');
      assert.equal(await settings.revokeCredential(accountId, credentials.live.user), 'unknown');
      assert.deepEqual(await listed(LATER_MS), [[next.user, 'shop', null]]);
    });

    test('scopes and SKU prefix stay when the set is rolled; a roll of all sets adds one with all rights', async () => {
      const { merchant } = await addedMerchant(store());
      const accountId = merchant.accounts.live;
      const { settings } = store();
      const rightsOf = async (nowMs: number) =>
        (await settings.listCredentials(accountId, nowMs)).map(({ scopes, skuPrefix }) => [scopes, skuPrefix]);
      const all = [ALL_RIGHTS.scopes, ''];
      const some = [SCOPE.price | SCOPE.webhooks, 'Ä "\'_%'] as const;
      const one = [SCOPE.read, ''] as const;
      const [first, second, next, last] = [newCredential(), newCredential(), newCredential(), newCredential()];
      await settings.addCredential(accountId, { ...first, name: 'a', scopes: some[0], skuPrefix: some[1] }, NOW_MS, 9);
      await settings.addCredential(accountId, { ...second, name: 'b', scopes: one[0], skuPrefix: one[1] }, NOW_MS, 9);
      assert.deepEqual(await rightsOf(NOW_MS), [all, some, one]);
      assert.equal(await settings.rollCredential(accountId, first.user, next, NOW_MS, LATER_MS), 'stored');
      assert.deepEqual(await rightsOf(NOW_MS), [all, some, one, some]);
      const { credentialId, scopes, skuPrefix } = await ofUser(store(), next);
      assert.deepEqual([scopes, skuPrefix], some);
      assert.deepEqual(await settings.readCredential(credentialId), await ofUser(store(), next));
      assert.equal(await settings.rollCredential(accountId, null, last, LATER_MS, LATER_MS), 'stored');
      assert.deepEqual(await rightsOf(LATER_MS), [all]);
    });

    test('at most 20 replaced sets of an account keep working', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      let { user } = credentials.live;
      const roll = async (overlapEndsMs: number) => {
        const next = newCredential();
        const rolled = await store().settings.rollCredential(merchant.accounts.live, user, next, NOW_MS, overlapEndsMs);
        if (rolled === 'stored') user = next.user;
        return rolled;
      };
      for (let count = 0; count < LIMITS.credentials_per_account_max; count++) {
        assert.equal(await roll(LATER_MS), 'stored');
      }
      assert.equal(await roll(LATER_MS), 'full');
      assert.equal(await roll(NOW_MS), 'stored');
      await store().settings.revokeCredential(merchant.accounts.live, credentials.live.user);
      assert.equal(await roll(LATER_MS), 'stored');
    });

    test('the marketplace has an account in each environment, which is no merchant and has its own sets', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      const { settings } = store;
      const { merchant } = await addedMerchant(store);
      for (const environment of ['test', 'live'] as const) {
        assert.equal(await settings.readMarketplaceAccount(environment), undefined);
        const added = await Promise.all(
          [store, otherProcess, store].map((each) => each.settings.addMarketplaceAccount(environment)),
        );
        const accountId = added[0] ?? assert.fail();
        assert.deepEqual(new Set([...added, await settings.readMarketplaceAccount(environment)]), new Set([accountId]));
        assert.deepEqual(await settings.readAccount(accountId), {
          accountId,
          merchantId: '',
          environment,
          suspended: false,
          timeToReturnDays: 0,
          returnShippingMethods: [],
          nodes: new Map(),
          returnLocationIds: new Set(),
        });
        const rights = { scopes: SCOPE.storefront | SCOPE.operate, skuPrefix: '', planLimits: null, name: 'shop' };
        const [key, next] = [newCredential(), newCredential()];
        assert.equal(await settings.addCredential(accountId, { ...key, ...rights }, NOW_MS, 1), 'stored');
        assert.equal(await settings.rollCredential(accountId, key.user, next, NOW_MS, NOW_MS), 'stored');
        const { credentialId } = await ofUser(store, next);
        assert.deepEqual(await settings.listCredentials(accountId, NOW_MS), [
          { ...next, ...rights, credentialId, accountId, createdMs: NOW_MS, endsMs: null, lastUsedMs: null },
        ]);
        assert.equal(await settings.revokeCredential(merchant.accounts[environment], next.user), 'unknown');
        assert.equal(await settings.revokeCredential(accountId, next.user), 'stored');
      }
      assert.deepEqual(await settings.listMerchants(), [merchant]);
      await store.review.beginSweeps({});
      const swept = (await store.review.listSweeps()).map(({ accountId }) => accountId);
      assert.deepEqual(swept.toSorted(), Object.values(merchant.accounts).toSorted());
    });

    test('the number of a set is never used again', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const numbers = [(await ofUser(store(), credentials.live)).credentialId];
      for (let roll = 0; roll < 5; roll++) {
        const next = newCredential();
        await store().settings.rollCredential(merchant.accounts.live, null, next, NOW_MS, NOW_MS);
        numbers.push((await ofUser(store(), next)).credentialId);
      }
      assert.equal(new Set(numbers).size, numbers.length);
    });

    test('a failed roll changes nothing', async () => {
      const { merchant, credentials } = await addedMerchant(store());
      const other = await addedMerchant(store());
      const before = [await ofUser(store(), credentials.live), await store().settings.readSetupVersion()];
      await assert.rejects(
        store().settings.rollCredential(merchant.accounts.live, null, other.credentials.live, LATER_MS, 0),
      );
      await assert.rejects(store().settings.rollCredential(999_999, null, newCredential(), LATER_MS, 0));
      assert.deepEqual([await ofUser(store(), credentials.live), await store().settings.readSetupVersion()], before);
    });
  });

  describe('signing keys', () => {
    test('do not exist at first, are kept until they expire, and are listed newest first', async () => {
      const store = await emptied.openOne();
      const key = (keyId: string) => ({ keyId, secret: Uint8Array.of(1, 0, 255, keyId.length) });
      assert.deepEqual(await store.settings.listSigningKeys(), []);

      await store.settings.addFirstSigningKey(key('one'), NOW_MS);
      await store.settings.addFirstSigningKey(key('beaten'), NOW_MS);
      const one = { ...key('one'), createdMs: NOW_MS, endsMs: null };
      assert.deepEqual(await store.settings.listSigningKeys(), [one]);

      // Keys added in the same millisecond are listed in the order of the calls.
      await store.settings.addSigningKey(key('a-two'), NOW_MS, NOW_MS + 100);
      await store.settings.addSigningKey(key('three'), NOW_MS, NOW_MS + 200);
      assert.deepEqual(await store.settings.listSigningKeys(), [
        { ...key('three'), createdMs: NOW_MS, endsMs: null },
        { ...key('a-two'), createdMs: NOW_MS, endsMs: NOW_MS + 200 },
        { ...one, endsMs: NOW_MS + 100 },
      ]);

      await store.settings.addSigningKey(key('four'), NOW_MS + 100, NOW_MS + 300);
      assert.deepEqual(await store.settings.listSigningKeys(), [
        { ...key('four'), createdMs: NOW_MS + 100, endsMs: null },
        { ...key('three'), createdMs: NOW_MS, endsMs: NOW_MS + 300 },
        { ...key('a-two'), createdMs: NOW_MS, endsMs: NOW_MS + 200 },
      ]);

      await store.settings.addSigningKey(key('five'), NOW_MS + 101, NOW_MS + 101);
      assert.deepEqual(await store.settings.listSigningKeys(), [
        { ...key('five'), createdMs: NOW_MS + 101, endsMs: null },
      ]);
    });

    test('processes that start together end with the same first key', async () => {
      const stores = await emptied.openTwo();
      await Promise.all(
        stores.map((store, number) =>
          store.settings.addFirstSigningKey({ keyId: `key-${number}`, secret: Uint8Array.of(number) }, NOW_MS),
        ),
      );
      const [first, second] = await Promise.all(stores.map((store) => store.settings.listSigningKeys()));
      assert.equal(first?.length, 1);
      assert.deepEqual(second, first);
    });
  });
}

async function addedMerchant(store: Store) {
  const added = newMerchant();
  await store.settings.addMerchant(added, NOW_MS);
  const merchant = await store.settings.readMerchant(added.merchantId);
  assert.ok(merchant);
  return { merchant, credentials: added.credentials };
}

async function ofUser(store: Store, { user }: { user: string }): Promise<Credential> {
  const credential = await store.settings.readCredentialOfUser(user);
  assert.ok(credential);
  return credential;
}
