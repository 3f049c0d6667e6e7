/** Contract tests for merchants, their accounts and account settings. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FulfillmentNode, Merchant, NewMerchant } from '../../domain/account.ts';
import { nodeTag, noteTag, returnSettingsTag } from '../port/part-tags.ts';
import type { Store } from '../port.ts';
import { NOW_MS, newAccountId, newMerchant } from './subject.ts';

const NODE: FulfillmentNode = {
  id: 'east 😀',
  rateKind: 'flat',
  methods: ['<carrier_2> Ground', '<carrier_4> Ground'],
  levels: ['Standard', 'Second Day'],
};

export function merchantContract(store: () => Store): void {
  describe('merchants', () => {
    test('an added merchant reads back, with one account in each environment', async () => {
      const first = newMerchant();
      const second = newMerchant();
      assert.equal(await store().settings.addMerchant(first, NOW_MS), 'stored');
      assert.equal(await store().settings.addMerchant(second, NOW_MS + 1), 'stored');
      const a = await merchantOf(store(), first);
      const b = await merchantOf(store(), second);
      assert.deepEqual(a, {
        ...described(first),
        createdMs: NOW_MS,
        suspended: false,
        unfinished: null,
        accounts: a.accounts,
      });
      assert.deepEqual(b, {
        ...described(second),
        createdMs: NOW_MS + 1,
        suspended: false,
        unfinished: null,
        accounts: b.accounts,
      });
      const accountIds = [a.accounts.test, a.accounts.live, b.accounts.test, b.accounts.live];
      assert.equal(new Set(accountIds).size, 4);
      for (const accountId of accountIds) assert.ok(Number.isSafeInteger(accountId) && accountId > 0);
    });

    test('a note on a merchant is empty at first, and replaced', async () => {
      const [one, other] = [newMerchant(), newMerchant()];
      for (const merchant of [one, other]) await store().settings.addMerchant(merchant, NOW_MS);
      const { settings } = store();
      assert.equal(await settings.readMerchantNote(one.merchantId), '');
      for (const note of ['first', 'Häuser\n😀'])
        assert.equal(await settings.setMerchantNote(one.merchantId, note), 'stored');
      assert.equal(await settings.readMerchantNote(one.merchantId), 'Häuser\n😀');
      assert.equal(await settings.readMerchantNote(other.merchantId), '');
      const currentTag = noteTag('Häuser\n😀');
      const stale = { ifMatch: [noteTag('first')] };
      assert.deepEqual(await settings.setMerchantNote(one.merchantId, 'late', stale), { currentTag });
      assert.equal(await settings.readMerchantNote(one.merchantId), 'Häuser\n😀');
      assert.equal(await settings.setMerchantNote(one.merchantId, 'next', { ifMatch: [currentTag] }), 'stored');
      assert.equal(await settings.setMerchantNote('nobody', 'x'), 'unknown');
      assert.equal(await settings.readMerchantNote('nobody'), undefined);
    });

    test('a merchant that was never added is unknown', async () => {
      assert.equal(await store().settings.readMerchant('nobody'), undefined);
      assert.equal(await store().settings.setSuspended('nobody', true), 'unknown');
      assert.equal(await store().settings.readAccount(newAccountId()), undefined);
    });

    test('a taken merchant id and a taken user name are refused, and nothing is stored', async () => {
      const first = newMerchant();
      await store().settings.addMerchant(first, NOW_MS);
      const before = [await store().settings.listMerchants(), await store().settings.readSetupVersion()];
      const other = newMerchant();
      const refused: NewMerchant[] = [
        { ...other, merchantId: first.merchantId },
        { ...other, credentials: { ...other.credentials, test: first.credentials.live } },
        { ...other, credentials: { ...other.credentials, live: first.credentials.live } },
      ];
      for (const merchant of refused) assert.equal(await store().settings.addMerchant(merchant, NOW_MS), 'exists');
      assert.deepEqual([await store().settings.listMerchants(), await store().settings.readSetupVersion()], before);
      assert.equal(await store().settings.readCredentialOfUser(other.credentials.test.user), undefined);
      assert.equal(await store().settings.addMerchant(other, NOW_MS), 'stored');
    });

    test('merchant ids are case-sensitive', async () => {
      const lower = { ...newMerchant(), merchantId: 'shop é' };
      const upper = { ...newMerchant(), merchantId: 'Shop é' };
      assert.equal(await store().settings.addMerchant(lower, NOW_MS), 'stored');
      assert.equal(await store().settings.addMerchant(upper, NOW_MS), 'stored');
      assert.equal((await merchantOf(store(), upper)).name, upper.name);
    });

    test('merchants are listed in order of id', async () => {
      await store().settings.addMerchant({ ...newMerchant(), merchantId: 'zz' }, NOW_MS);
      await store().settings.addMerchant({ ...newMerchant(), merchantId: 'aa' }, NOW_MS);
      const listed = await store().settings.listMerchants();
      const ids = listed.map((merchant) => merchant.merchantId);
      assert.deepEqual(ids, ids.toSorted());
      for (const merchant of listed)
        assert.deepEqual(await store().settings.readMerchant(merchant.merchantId), merchant);
    });

    test('return settings change for both environments of one merchant', async () => {
      const merchant = newMerchant();
      const other = newMerchant();
      for (const added of [merchant, other]) await store().settings.addMerchant(added, NOW_MS);
      const returns = { timeToReturnDays: 7, returnShippingMethods: ['Freight', '<carrier_4> Ground'] } as const;
      const { changeMerchant } = store().settings;
      assert.equal(await changeMerchant(merchant.merchantId, returns), 'stored');
      assert.equal(await changeMerchant('nobody', returns), 'unknown');
      const currentTag = returnSettingsTag(returns);
      const late = { timeToReturnDays: 9, returnShippingMethods: ['Freight'] } as const;
      const stale = { ifMatch: [returnSettingsTag(merchant)] };
      assert.deepEqual(await changeMerchant(merchant.merchantId, late, stale), { currentTag });
      assert.equal(await changeMerchant(merchant.merchantId, returns, { ifMatch: [currentTag] }), 'stored');
      for (const [of, expected] of [
        [merchant, returns],
        [other, other],
      ] as const) {
        const { accounts } = await merchantOf(store(), of);
        for (const accountId of Object.values(accounts)) {
          const account = await store().settings.readAccount(accountId);
          assert.equal(account?.timeToReturnDays, expected.timeToReturnDays);
          assert.deepEqual(account?.returnShippingMethods, expected.returnShippingMethods);
        }
      }
    });

    test('a merchant is suspended and resumed, in both environments', async () => {
      const added = newMerchant();
      await store().settings.addMerchant(added, NOW_MS);
      const merchant = await merchantOf(store(), added);
      for (const suspended of [true, false]) {
        assert.equal(await store().settings.setSuspended(merchant.merchantId, suspended), 'stored');
        assert.deepEqual(await store().settings.readMerchant(merchant.merchantId), { ...merchant, suspended });
        assert.equal((await store().settings.readAccount(merchant.accounts.test))?.suspended, suspended);
        assert.equal((await store().settings.readAccount(merchant.accounts.live))?.suspended, suspended);
      }
    });
  });

  describe('accounts', () => {
    test('an account is read with its own settings only, not those of the other environment', async () => {
      const added = newMerchant();
      await store().settings.addMerchant(added, NOW_MS);
      const { accounts } = await merchantOf(store(), added);
      const west: FulfillmentNode = { id: 'west', rateKind: 'per_pound', methods: [], levels: ['Standard'] };
      await store().settings.putNode(accounts.test, NODE);
      await store().settings.putNode(accounts.test, west);
      assert.equal(await store().settings.addReturnLocation(accounts.test, 'B'), 'stored');
      assert.equal(await store().settings.addReturnLocation(accounts.test, 'b'), 'stored');

      const common = {
        merchantId: added.merchantId,
        suspended: false,
        timeToReturnDays: added.timeToReturnDays,
        returnShippingMethods: added.returnShippingMethods,
      };
      assert.deepEqual(await store().settings.readAccount(accounts.test), {
        ...common,
        accountId: accounts.test,
        environment: 'test',
        nodes: new Map([
          [NODE.id, NODE],
          [west.id, west],
        ]),
        returnLocationIds: new Set(['B', 'b']),
      });
      assert.deepEqual(await store().settings.readAccount(accounts.live), {
        ...common,
        accountId: accounts.live,
        environment: 'live',
        nodes: new Map(),
        returnLocationIds: new Set(),
      });
    });

    test('putting a node again replaces it', async () => {
      const { accounts } = await addedMerchant(store());
      const changed: FulfillmentNode = { id: NODE.id, rateKind: 'per_pound', methods: ['Freight'], levels: [] };
      await store().settings.putNode(accounts.live, NODE);
      await store().settings.putNode(accounts.live, changed);
      assert.deepEqual((await store().settings.readAccount(accounts.live))?.nodes, new Map([[NODE.id, changed]]));
    });

    test('a node is put only if its precondition holds', async () => {
      const { accounts } = await addedMerchant(store());
      const { putNode, readAccount } = store().settings;
      const changed: FulfillmentNode = { ...NODE, rateKind: NODE.rateKind === 'flat' ? 'per_pound' : 'flat' };
      assert.deepEqual(await putNode(accounts.live, NODE, { ifMatch: '*' }), { currentTag: null });
      assert.equal(await putNode(accounts.live, NODE, { ifNoneMatch: '*' }), 'stored');
      const currentTag = nodeTag(NODE);
      for (const refused of [{ ifNoneMatch: '*' }, { ifMatch: [nodeTag(changed)] }] as const) {
        assert.deepEqual(await putNode(accounts.live, changed, refused), { currentTag });
      }
      assert.deepEqual((await readAccount(accounts.live))?.nodes.get(NODE.id), NODE);
      assert.equal(await putNode(accounts.live, changed, { ifMatch: [currentTag] }), 'stored');
    });

    test('a return location is added once', async () => {
      const { accounts } = await addedMerchant(store());
      assert.equal(await store().settings.addReturnLocation(accounts.live, 'dock'), 'stored');
      assert.equal(await store().settings.addReturnLocation(accounts.live, 'dock'), 'exists');
      assert.equal(await store().settings.addReturnLocation(accounts.test, 'dock'), 'stored');
      assert.deepEqual((await store().settings.readAccount(accounts.live))?.returnLocationIds, new Set(['dock']));
    });

    test('settings for an account that does not exist are an error', async () => {
      const unknownId = 999_999;
      await assert.rejects(store().settings.putNode(unknownId, NODE));
      await assert.rejects(store().settings.addReturnLocation(unknownId, 'dock'));
      assert.equal(await store().settings.readAccount(unknownId), undefined);
    });

    test('a merchant is renamed, which raises the settings version; an unknown merchant is not renamed', async () => {
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const version = await store().settings.readSetupVersion();
      assert.equal(await store().settings.changeMerchant(merchant.merchantId, { name: 'Näw "name"' }), 'stored');
      assert.equal((await store().settings.readMerchant(merchant.merchantId))?.name, 'Näw "name"');
      assert.ok((await store().settings.readSetupVersion()) > version);
      assert.equal(await store().settings.changeMerchant('nobody', { name: 'a' }), 'unknown');
    });
  });
}

function described({ credentials: _, ...merchant }: NewMerchant): Omit<NewMerchant, 'credentials'> {
  return merchant;
}

async function merchantOf(store: Store, { merchantId }: NewMerchant): Promise<Merchant> {
  const merchant = await store.settings.readMerchant(merchantId);
  assert.ok(merchant);
  return merchant;
}

async function addedMerchant(store: Store): Promise<Merchant> {
  const merchant = newMerchant();
  await store.settings.addMerchant(merchant, NOW_MS);
  return merchantOf(store, merchant);
}
