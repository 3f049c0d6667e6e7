/** Contract tests for the operator's policies: they are stored, servers notice changes, and all offers are re-reviewed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Policy } from '../../domain/review/policies.ts';
import { SWEEP_KIND } from '../port/review.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';
import { NOW_MS, newMerchant, newRecord } from './subject.ts';

const EXCLUDED_BRAND: Policy = { kind: 'excluded_brand', brand: 'Ää "Brand"' };
const EXCLUDED_CATEGORY: Policy = { kind: 'excluded_category', nodeId: 9_223_372_036_854_775_807n };
const EXCLUDED_CODE: Policy = { kind: 'excluded_code', code: 'asin:B000000001' };
const RESTRICTED: Policy = granted('b', 'a');

function granted(...merchantIds: string[]) {
  return { kind: 'restricted_brand', brand: 'Acme & Co', merchantIds } as const;
}

export function policyContract(emptied: ClearedStores): void {
  describe('policies', () => {
    test('policies of every kind are listed in order, in every open store, and after a restart', async (t) => {
      const [store, other] = await emptied.openTwo();
      assert.deepEqual(await store.policies.listPolicies(), []);
      for (const policy of [RESTRICTED, EXCLUDED_CODE, EXCLUDED_CATEGORY, EXCLUDED_BRAND]) {
        assert.equal(await store.policies.addPolicy(policy), 'stored');
      }
      const second: Policy = { kind: 'excluded_brand', brand: 'Zed' };
      assert.equal(await store.policies.addPolicy(second), 'stored');
      // Brands are ordered by their keys, which are upper case.
      const all = [second, EXCLUDED_BRAND, EXCLUDED_CATEGORY, EXCLUDED_CODE, granted('a', 'b')];
      assert.deepEqual(await other.policies.listPolicies(), all);
      assert.deepEqual(await (await emptied.reopen(t)).policies.listPolicies(), all);
    });

    test('are not added twice, brands in any spelling', async () => {
      const store = await emptied.openOne();
      for (const policy of [EXCLUDED_BRAND, EXCLUDED_CATEGORY, EXCLUDED_CODE, RESTRICTED])
        await store.policies.addPolicy(policy);
      const before = await store.policies.listPolicies();
      for (const policy of before) assert.equal(await store.policies.addPolicy(policy), 'exists');
      assert.equal(await store.policies.addPolicy({ kind: 'excluded_brand', brand: 'ÄÄ  BRAND' }), 'exists');
      assert.deepEqual(await store.policies.listPolicies(), before);
      assert.equal(
        await store.policies.addPolicy({ kind: 'excluded_brand', brand: 'Acme & Co' }),
        'stored',
        'it is of another kind',
      );
    });

    test('can be removed; removing a missing policy returns unknown', async () => {
      const store = await emptied.openOne();
      for (const policy of [EXCLUDED_BRAND, EXCLUDED_CATEGORY, EXCLUDED_CODE]) {
        assert.equal(await store.policies.removePolicy(policy), 'unknown');
        await store.policies.addPolicy(policy);
      }
      assert.equal(await store.policies.removePolicy({ kind: 'excluded_brand', brand: 'ää-brand' }), 'stored');
      assert.deepEqual(await store.policies.listPolicies(), [EXCLUDED_CATEGORY, EXCLUDED_CODE]);
      assert.equal(await store.policies.removePolicy(EXCLUDED_CATEGORY), 'stored');
      assert.equal(await store.policies.removePolicy(EXCLUDED_CODE), 'stored');
      assert.equal(await store.policies.removePolicy(EXCLUDED_CODE), 'unknown');
      assert.deepEqual(await store.policies.listPolicies(), []);
    });

    test('grants of a restricted brand are added and removed one by one, and the restriction stays', async () => {
      const store = await emptied.openOne();
      assert.equal(await store.policies.removePolicy(granted('a')), 'unknown');
      assert.equal(await store.policies.addPolicy(granted()), 'stored');
      assert.equal(await store.policies.addPolicy(granted()), 'exists');
      assert.equal(await store.policies.addPolicy(granted('b', 'é')), 'stored');
      assert.equal(await store.policies.addPolicy({ ...granted('a', 'b'), brand: 'ACME CO' }), 'stored');
      assert.equal(await store.policies.addPolicy(granted('b')), 'exists');
      assert.equal(await store.policies.removePolicy(granted('c')), 'unknown');
      assert.equal(await store.policies.removePolicy(granted('a', 'c')), 'stored');
      assert.equal(await store.policies.removePolicy(granted('b', 'é')), 'stored');
      assert.deepEqual(await store.policies.listPolicies(), [granted()], 'no merchant may sell it');
      assert.equal(await store.policies.removePolicy(granted('b')), 'unknown');
      await store.policies.addPolicy(granted('a'));
      assert.equal(await store.policies.removePolicy(granted()), 'stored');
      assert.deepEqual(await store.policies.listPolicies(), [], 'everybody may');
    });

    test('concurrent grants of two processes are all kept', async () => {
      const both = await emptied.openTwo();
      const merchantIds = Array.from({ length: 20 }, (_, place) => `merchant-${place}`);
      await Promise.all(
        merchantIds.map((merchantId, turn) => both[turn % 2 === 0 ? 0 : 1].policies.addPolicy(granted(merchantId))),
      );
      assert.deepEqual(await both[0].policies.listPolicies(), [granted(...merchantIds.sort())]);
    });
  });

  describe('grants of a removed merchant', () => {
    test('are removed with it, and those of others stay', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const [merchant, other] = [newMerchant(), newMerchant()];
      await store.settings.addMerchant(merchant, NOW_MS);
      await store.settings.addMerchant(other, NOW_MS);
      const both = granted(merchant.merchantId, other.merchantId);
      await store.policies.addPolicy(both);
      await store.policies.addPolicy({ ...granted(merchant.merchantId), brand: 'Its own' });
      await store.policies.addPolicy({ ...granted(other.merchantId), brand: 'Not its' });
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      assert.deepEqual(await store.policies.listPolicies(), [
        granted(other.merchantId),
        { ...granted(), brand: 'Its own' },
        { ...granted(other.merchantId), brand: 'Not its' },
      ]);
    });

    test('stay when its import is undone', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newRecord();
      await store.policies.addPolicy(granted(merchant.merchantId));
      assert.ok(typeof (await moves.beginImport(merchant)) === 'object');
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      assert.deepEqual(await store.policies.listPolicies(), [granted(merchant.merchantId)]);
    });
  });

  describe('placeholders', () => {
    test('are added once, listed in order, and removed', async () => {
      const store = await emptied.openOne();
      const sample = { kind: 'watermark', width: 2, height: 1, pixels: 'AP8=' } as const;
      assert.deepEqual(await store.policies.listPlaceholders(), []);
      assert.equal(await store.policies.removePlaceholder('ff00'), 'unknown');
      assert.equal(await store.policies.addPlaceholder({ hash: 'ff00', note: 'grey box "é"', sample: null }), 'stored');
      assert.equal(await store.policies.addPlaceholder({ hash: '0a', note: '', sample }), 'stored');
      assert.equal(await store.policies.addPlaceholder({ hash: 'ff00', note: 'another', sample: null }), 'exists');
      const notes = [
        { hash: '0a', note: '', sample },
        { hash: 'ff00', note: 'grey box "é"', sample: null },
      ];
      assert.deepEqual(await store.policies.listPlaceholders(), notes);
      assert.equal(await store.policies.removePlaceholder('0a'), 'stored');
      assert.equal(await store.policies.removePlaceholder('0a'), 'unknown');
      assert.deepEqual(await store.policies.listPlaceholders(), notes.slice(1));
    });
  });

  describe('rules of the program', () => {
    test('rules that were stored last apply in every open store', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      assert.equal(await store.policies.readRules(), undefined);
      assert.deepEqual(await store.policies.holdRules('a'), { isActive: false, holds: 0 });
      await store.policies.noteRules('a');
      assert.equal(await otherProcess.policies.readRules(), 'a');
      await otherProcess.policies.noteRules('b');
      assert.equal(await store.policies.readRules(), 'b');
      await store.policies.noteRules('a');
      assert.equal(await otherProcess.policies.readRules(), 'a');
    });

    test('are held by the processes that use them, which others can see; holding does not change the settings version', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      await store.policies.noteRules('a');
      const version = await store.settings.readSetupVersion();
      assert.deepEqual(await store.policies.holdRules('a'), { isActive: true, holds: 1 });
      assert.deepEqual(await otherProcess.policies.holdRules('b'), { isActive: false, holds: 1 });
      assert.deepEqual(await otherProcess.policies.holdRules('a'), { isActive: true, holds: 2 });
      assert.deepEqual(await store.policies.holdRules('b'), { isActive: false, holds: 2 });
      assert.equal(await store.settings.readSetupVersion(), version);
    });
  });

  describe('a change by the operator', () => {
    test('increments the settings version and starts a sweep of every account, unless it changes nothing', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      const accountIds: number[] = [];
      for (const merchant of [newMerchant(), newMerchant()]) {
        await store.settings.addMerchant(merchant, NOW_MS);
        const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
        accountIds.push(accounts.test, accounts.live);
      }
      await finishSweeps(store);

      const changes: [name: string, change: () => Promise<unknown>][] = [
        ['a policy', () => store.policies.addPolicy(EXCLUDED_BRAND)],
        ['a restriction', () => store.policies.addPolicy(granted('a'))],
        ['a grant', () => store.policies.addPolicy(granted('b'))],
        ['a grant less', () => store.policies.removePolicy(granted('b'))],
        ['a policy less', () => store.policies.removePolicy(EXCLUDED_BRAND)],
        ['a placeholder', () => store.policies.addPlaceholder({ hash: 'ff', note: '', sample: null })],
        ['a placeholder less', () => store.policies.removePlaceholder('ff')],
        ['rules of the program', () => store.policies.noteRules('first')],
        ['other rules of the program', () => store.policies.noteRules('second')],
      ];
      for (const [name, change] of changes) {
        const before = await otherProcess.settings.readSetupVersion();
        await change();
        assert.ok((await otherProcess.settings.readSetupVersion()) > before, name);
        assert.deepEqual(await finishSweeps(otherProcess), accountIds, name);
      }

      await store.policies.addPlaceholder({ hash: 'ff', note: '', sample: null });
      await finishSweeps(store);
      const noChanges: [name: string, call: () => Promise<unknown>][] = [
        ['an existing grant', () => store.policies.addPolicy(granted('a'))],
        ['removing a grant that does not exist', () => store.policies.removePolicy(granted('b'))],
        ['removing a policy that does not exist', () => store.policies.removePolicy(EXCLUDED_BRAND)],
        ['an existing placeholder', () => store.policies.addPlaceholder({ hash: 'ff', note: '', sample: null })],
        ['removing a placeholder that does not exist', () => store.policies.removePlaceholder('00')],
        ['the same rules of the program', () => store.policies.noteRules('second')],
      ];
      for (const [name, call] of noChanges) {
        const before = await otherProcess.settings.readSetupVersion();
        await call();
        assert.equal(await otherProcess.settings.readSetupVersion(), before, name);
        assert.deepEqual(await finishSweeps(otherProcess), [], name);
      }
    });
  });
}

/** Finishes pending sweeps, and returns their accounts in order. */
async function finishSweeps(store: Store): Promise<number[]> {
  const accountIds: number[] = [];
  for (;;) {
    const lease = await store.work.takeWork(SWEEP_KIND, 'test', 60_000);
    if (lease === undefined) return accountIds.sort((one, other) => one - other);
    accountIds.push(lease.accountId);
    while ((await store.review.sweep(lease.accountId, 100)) === 'more');
    assert.equal(await store.work.finishWork(lease, undefined), 'finished');
  }
}
