/** Contract tests for changes to review rules: each is recorded with its old value, and is undone completely or not at all. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { Policy } from '../../domain/review/policies.ts';
import { SWEEP_KIND } from '../port/review.ts';
import type { ChangeNote, StoredTaxonomy } from '../port/settings.ts';
import type { Store } from '../port.ts';
import { putSku } from './put-parts.ts';
import { AUTHOR, type ClearedStores, documentOf, LATER_MS, NOW_MS, newMerchant } from './subject.ts';

const IMPACT = { offers: 1, live: 1, merchants: 1, offSale: 0, isExact: true, examined: 3 };
const NOTE: ChangeNote = { atMs: NOW_MS, by: 'ann', act: 'addPolicy', subject: 'Acme', impact: IMPACT };
const UNDO: ChangeNote = { atMs: LATER_MS, by: 'bob', act: 'undoChange', subject: 'Acme', impact: null };
const EXCLUDED: Policy = { kind: 'excluded_brand', brand: 'Acme' };
const CODE = 'asin:B000000001';

function restricted(...merchantIds: string[]): Policy {
  return { kind: 'restricted_brand', brand: 'Acme', merchantIds };
}

function taxonomy(tag: string): StoredTaxonomy {
  return { tag, source: `${tag}.ndjson`, nodes: 1, importedMs: NOW_MS, parts: [`${tag} 1`, `${tag} 2`] };
}

function product(brand: string): KnownProduct {
  return { code: CODE, brand, title: 'A', categoryId: 9_223_372_036_854_775_807n, origin: 'operator' };
}

async function lastId(store: Store): Promise<number> {
  const [last] = await store.policies.listRuleChanges(1);
  assert.ok(last);
  return last.changeId;
}

/** For each kind of rule: its values before and after a change, how to read it and how to change it. */
const KINDS: Readonly<
  Record<string, { change(store: Store, note: ChangeNote): Promise<unknown>; read(store: Store): Promise<unknown> }>
> = {
  'an added policy': {
    change: (store, note) => store.policies.addPolicy(EXCLUDED, note),
    read: (store) => store.policies.listPolicies(),
  },
  'a revoked grant': {
    change: (store, note) => store.policies.removePolicy(restricted('b'), note),
    read: (store) => store.policies.listPolicies(),
  },
  'a removed restriction': {
    change: (store, note) => store.policies.removePolicy(restricted(), note),
    read: (store) => store.policies.listPolicies(),
  },
  'an added placeholder': {
    change: (store, note) => store.policies.addPlaceholder({ hash: '00', note: 'no photo', sample: null }, note),
    read: (store) => store.policies.listPlaceholders(),
  },
  'a removed placeholder': {
    change: (store, note) => store.policies.removePlaceholder('ff', note),
    read: (store) => store.policies.listPlaceholders(),
  },
  'an imported taxonomy': {
    change: (store, note) => store.taxonomy.putTaxonomy(taxonomy('new'), note),
    read: (store) => store.taxonomy.readTaxonomy(),
  },
  'a reset taxonomy': {
    change: (store, note) => store.taxonomy.dropTaxonomy(note),
    read: (store) => store.taxonomy.readTaxonomy(),
  },
  'a corrected product': {
    change: (store, note) => store.catalog.setProduct('live', product('Corrected'), note),
    read: (store) => store.catalog.readProducts('live', [CODE]),
  },
  'an added product': {
    change: (store, note) => store.catalog.setProduct('test', product('Added'), note),
    read: (store) => store.catalog.readProducts('test', [CODE]),
  },
};

export function ruleChangeContract(stores: ClearedStores): void {
  describe('rule changes', () => {
    test('rule changes of every kind are undone, and the undo is undone', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(restricted('a', 'b'));
      await store.policies.addPlaceholder({
        hash: 'ff',
        note: 'old',
        sample: { kind: 'logo', width: 2, height: 1, pixels: 'AP8=' },
      });
      await store.taxonomy.putTaxonomy(taxonomy('old'));
      await store.catalog.setProduct('live', product('Old'));
      assert.deepEqual(await store.policies.listRuleChanges(10), [], 'without a note nothing is recorded');
      for (const [name, { change, read }] of Object.entries(KINDS)) {
        const before = await read(store);
        await change(store, NOTE);
        const after = await read(store);
        assert.notDeepEqual(after, before, name);
        const first = await lastId(store);
        assert.equal(await store.policies.undoRuleChange(first, UNDO), 'stored', name);
        assert.deepEqual(await read(store), before, name);
        assert.equal(await store.policies.undoRuleChange(first, UNDO), 'undone', name);
        const undo = await lastId(store);
        assert.equal(await store.policies.undoRuleChange(undo, UNDO), 'stored', name);
        assert.deepEqual(await read(store), after, name);
        assert.equal(await store.policies.undoRuleChange(await lastId(store), UNDO), 'stored', name);
        assert.deepEqual(await read(store), before, name);
      }
    });

    test('are listed newest first, with who changed what and when it was undone', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, NOTE);
      const first = await lastId(store);
      await store.policies.undoRuleChange(first, UNDO);
      const key = ['excluded_brand', 'ACME'];
      assert.deepEqual(await store.policies.listRuleChanges(10), [
        { changeId: await lastId(store), ...UNDO, undoneMs: null, key },
        { changeId: first, ...NOTE, undoneMs: LATER_MS, key },
      ]);
      assert.equal((await store.policies.listRuleChanges(1)).length, 1);
      const replaced = { rule: 'policy', key, value: null };
      assert.deepEqual((await store.policies.readRuleChange(first))?.replaced, replaced);
      assert.deepEqual((await store.policies.readRuleChange(await lastId(store)))?.replaced, {
        ...replaced,
        value: EXCLUDED,
      });
      assert.equal(await store.policies.readRuleChange(0), undefined);
    });

    test('a change is not undone if it is unknown, or if its rule was changed again since', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(restricted('a'), NOTE);
      const first = await lastId(store);
      await store.policies.addPolicy(restricted('b'));
      assert.equal(await store.policies.undoRuleChange(first, UNDO), 'overtaken');
      assert.deepEqual(await store.policies.listPolicies(), [restricted('a', 'b')]);
      assert.equal(await store.policies.undoRuleChange(0, UNDO), 'unknown');
      assert.equal((await store.policies.listRuleChanges(10)).length, 1, 'a refused undo is not recorded');
      await store.policies.removePolicy(restricted('b'));
      assert.equal(
        await store.policies.undoRuleChange(first, UNDO),
        'stored',
        'the rule is again as the change left it',
      );
    });

    test('rule changes that are refused are not recorded', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED);
      await store.policies.addPlaceholder({ hash: '00', note: 'a', sample: null });
      assert.equal(await store.policies.addPolicy(EXCLUDED, NOTE), 'exists');
      assert.equal(await store.policies.removePolicy(restricted(), NOTE), 'unknown');
      assert.equal(await store.policies.addPlaceholder({ hash: '00', note: 'b', sample: null }, NOTE), 'exists');
      assert.equal(await store.policies.removePlaceholder('ff', NOTE), 'unknown');
      assert.equal(await store.taxonomy.dropTaxonomy(NOTE), 'unset');
      assert.deepEqual(await store.policies.listRuleChanges(10), []);
    });

    test('of two concurrent undos one is stored', async () => {
      const [store, other] = await stores.openTwo();
      await store.policies.addPolicy(EXCLUDED, NOTE);
      const id = await lastId(store);
      const outcomes = await Promise.all([store, other].map((each) => each.policies.undoRuleChange(id, UNDO)));
      assert.deepEqual(outcomes.sort(), ['stored', 'undone']);
      assert.deepEqual(await store.policies.listPolicies(), []);
    });

    test('an undo during a sweep restarts it, so that every offer is reviewed by the restored rule', async () => {
      const store = await stores.openOne();
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? {};
      const accountId = accounts?.live ?? 0;
      for (const skuId of ['a', 'b', 'c'])
        await putSku(store.offers, { accountId, skuId, by: AUTHOR }, documentOf(skuId), NOW_MS);
      await store.policies.addPolicy(EXCLUDED, NOTE);
      assert.equal(await store.review.sweep(accountId, 2), 'more');
      const marks = async () =>
        new Map((await store.review.readDueOffers(accountId, 10)).map((due) => [due.skuId, due.mark]));
      const marked = await marks();
      await store.policies.undoRuleChange(await lastId(store), UNDO);
      assert.ok(await store.work.takeWork(SWEEP_KIND, 'me', 1000));
      while ((await store.review.sweep(accountId, 2)) === 'more');
      const again = await marks();
      for (const [skuId, mark] of marked) assert.ok((again.get(skuId) ?? 0) > mark, `${skuId} is marked again`);
    });

    test('are kept up to the newest 200', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, NOTE);
      const first = await lastId(store);
      for (let made = 1; made < LIMITS.rule_changes_max; made++) {
        await store.policies.addPlaceholder({ hash: String(made), note: '', sample: null }, NOTE);
      }
      const kept = await store.policies.listRuleChanges(LIMITS.rule_changes_max + 1);
      assert.deepEqual([kept.length, kept.at(-1)?.changeId], [LIMITS.rule_changes_max, first]);
      await store.policies.addPolicy(restricted(), NOTE);
      assert.equal(await store.policies.undoRuleChange(first, UNDO), 'unknown');
    });

    test('are dropped when they expire', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, NOTE);
      assert.equal(await store.policies.dropRuleChangesBefore(NOW_MS), false);
      assert.equal((await store.policies.listRuleChanges(10)).length, 1);
      assert.equal(await store.policies.dropRuleChangesBefore(NOW_MS + 1), false);
      assert.deepEqual(await store.policies.listRuleChanges(10), []);
    });
  });
}
