/** Contract tests for the settings version, which tells a server about changes by other processes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL_RIGHTS } from '../../domain/setup/key-scopes.ts';
import type { Store } from '../port.ts';
import { patchInventory, putPrice, putSku, setArchived } from './put-parts.ts';
import type { ClearedStores } from './subject.ts';
import { documentOf, NOW_MS, newCredential, newKey, newMerchant } from './subject.ts';

export function setupVersionContract(emptied: ClearedStores): void {
  describe('settings version', () => {
    test('increases only with changes, for every open store', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      const merchant = newMerchant();
      const accountIdOf = async () => (await store.settings.readMerchant(merchant.merchantId))?.accounts.test ?? 0;
      const added = newCredential();
      const node = { id: 'n', rateKind: 'flat', methods: [], levels: [] } as const;
      const link = (byte: number) => ({ tokenHash: Uint8Array.of(byte), endsMs: NOW_MS + 1 });
      const returns = { timeToReturnDays: 3, returnShippingMethods: ['Freight'] } as const;
      const key = (keyId: string) => ({ keyId, secret: Uint8Array.of(1) });

      const changes: [name: string, change: () => Promise<unknown>][] = [
        ['addMerchant', () => store.settings.addMerchant(merchant, NOW_MS)],
        ['setSuspended', () => store.settings.setSuspended(merchant.merchantId, true)],
        ['changeMerchant', () => store.settings.changeMerchant(merchant.merchantId, returns)],
        [
          'rollCredential',
          async () => store.settings.rollCredential(await accountIdOf(), null, newCredential(), NOW_MS, 0),
        ],
        [
          'addCredential',
          async () =>
            store.settings.addCredential(await accountIdOf(), { ...added, ...ALL_RIGHTS, name: 'a' }, NOW_MS, 9),
        ],
        [
          'rollCredential',
          async () =>
            store.settings.rollCredential(await accountIdOf(), added.user, newCredential(), NOW_MS, NOW_MS + 1),
        ],
        ['addMarketplaceAccount', () => store.settings.addMarketplaceAccount('live')],
        ['revokeCredential', async () => store.settings.revokeCredential(await accountIdOf(), added.user)],
        ['putNode', async () => store.settings.putNode(await accountIdOf(), node)],
        ['addReturnLocation', async () => store.settings.addReturnLocation(await accountIdOf(), 'r')],
        [
          'addPortalUser',
          () =>
            store.people.addPortalUser(
              { email: 'a@b.example', role: 'operator', merchantId: null, createdMs: NOW_MS },
              link(1),
            ),
        ],
        ['removePlace', async () => store.settings.removePlace(await accountIdOf(), 'node', 'n')],
        ['replaceLink', () => store.people.replaceLink('a@b.example', link(2), NOW_MS)],
        ['removePortalUser', () => store.people.removePortalUser('a@b.example', null)],
        ['addFirstSigningKey', () => store.settings.addFirstSigningKey(key('a'), NOW_MS)],
        ['addSigningKey', () => store.settings.addSigningKey(key('b'), NOW_MS, NOW_MS)],
      ];
      for (const [name, change] of changes) {
        const before = await versionOf(store, otherProcess);
        await change();
        assert.ok((await versionOf(store, otherProcess)) > before, `${name} raises the version`);
      }

      const offer = newKey();
      const noChanges: [name: string, call: () => Promise<unknown>][] = [
        ['addMerchant with an existing id', () => store.settings.addMerchant(merchant, NOW_MS)],
        ['setSuspended to the current value', () => store.settings.setSuspended(merchant.merchantId, true)],
        ['setSuspended of an unknown merchant', () => store.settings.setSuspended('nobody', true)],
        ['changeMerchant to the current values', () => store.settings.changeMerchant(merchant.merchantId, returns)],
        ['changeMerchant of an unknown merchant', () => store.settings.changeMerchant('nobody', returns)],
        [
          'addReturnLocation with an existing id',
          async () => store.settings.addReturnLocation(await accountIdOf(), 'r'),
        ],
        ['addMarketplaceAccount again', () => store.settings.addMarketplaceAccount('live')],
        ['removePortalUser of an unknown user', () => store.people.removePortalUser('a@b.example', null)],
        ['addAct', () => store.people.addAct({ atMs: NOW_MS, by: 'a', act: 'b', subject: '', detail: '' })],
        ['addFirstSigningKey when a key exists', () => store.settings.addFirstSigningKey(key('c'), NOW_MS)],
        ['putSku', () => putSku(store.offers, offer, documentOf(), NOW_MS)],
        ['putPrice', () => putPrice(store.offers, offer, { price: 1, nodes: [] }, NOW_MS)],
        [
          'patchInventory',
          () => patchInventory(store.offers, offer, [{ fulfillment_node_id: 'n', quantity: 1 }], NOW_MS),
        ],
        ['setArchived', () => setArchived(store.offers, offer, true, NOW_MS)],
      ];
      for (const [name, call] of noChanges) {
        const before = await versionOf(store, otherProcess);
        await call();
        assert.equal(await versionOf(store, otherProcess), before, `${name} does not change the version`);
      }
    });

    test('changes made in two processes at once are both counted', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          (turn % 2 === 0 ? store : otherProcess).settings.addMerchant(newMerchant(), NOW_MS),
        ),
      );
      assert.equal((await store.settings.listMerchants()).length, 20);
      assert.deepEqual(await otherProcess.settings.listMerchants(), await store.settings.listMerchants());
    });
  });
}

async function versionOf(store: Store, otherProcess: Store): Promise<number> {
  const version = await store.settings.readSetupVersion();
  assert.equal(await otherProcess.settings.readSetupVersion(), version);
  return version;
}
