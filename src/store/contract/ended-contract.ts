/** Contract tests for cleanup: it drops expired links, credential sets and signing keys, and keeps all that are still valid. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClearedStores } from './subject.ts';
import { LATER_MS, NOW_MS, newCredential, newMerchant } from './subject.ts';

export function endedContract(emptied: ClearedStores): void {
  describe('expired data', () => {
    test('is dropped when it expires, not before, and nothing else is', async () => {
      const store = await emptied.openOne();
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const accountId = (await store.settings.readMerchant(merchant.merchantId))?.accounts.test ?? 0;
      await store.settings.rollCredential(accountId, null, newCredential(), NOW_MS, LATER_MS);
      const key = (keyId: string) => ({ keyId, secret: Uint8Array.of(1) });
      await store.settings.addFirstSigningKey(key('old'), NOW_MS);
      await store.settings.addSigningKey(key('new'), NOW_MS, LATER_MS);
      for (const [email, endsMs] of [['a@b.example', LATER_MS] as const, ['b@b.example', LATER_MS + 1] as const]) {
        const user = { email, role: 'operator', merchantId: null, createdMs: NOW_MS } as const;
        await store.people.addPortalUser(user, { tokenHash: Buffer.from(email), endsMs });
      }

      const before = await store.settings.readSetupVersion();
      assert.equal(await store.settings.dropEnded(LATER_MS - 1), 0);
      assert.equal(await store.settings.readSetupVersion(), before, 'nothing was changed');

      assert.equal(await store.settings.dropEnded(LATER_MS), 3, 'a key, a credential set and a link');
      assert.ok((await store.settings.readSetupVersion()) > before);
      assert.equal(await store.settings.readCredentialOfUser(merchant.credentials.test.user), undefined);
      assert.equal((await store.settings.listCredentials(accountId, NOW_MS)).length, 1);
      assert.notEqual(await store.settings.readCredentialOfUser(merchant.credentials.live.user), undefined);
      assert.deepEqual(
        (await store.settings.listSigningKeys()).map(({ keyId }) => keyId),
        ['new'],
      );
      assert.equal(await store.people.readLink(Buffer.from('a@b.example'), NOW_MS), undefined);
      assert.notEqual(await store.people.readLink(Buffer.from('b@b.example'), NOW_MS), undefined);
      assert.equal((await store.people.listPortalUsers()).length, 2, 'the users stay');
      assert.equal(await store.settings.dropEnded(LATER_MS), 0);
    });
  });
}
