/** Contract tests for announced rule changes: they wait for their date, are moved and cancelled, and apply exactly once. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { MarkSample } from '../../domain/vocabulary/image-failures.ts';
import type { ChangeNote, StoredTaxonomy } from '../port/settings.ts';
import type { Store } from '../port.ts';
import { type ClearedStores, LATER_MS, NOW_MS, newMerchant } from './subject.ts';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const DATE_MS = LATER_MS + 1_000_000;
/** The last time at which a cancelled change can be announced again. */
export const AGAIN_MS = DATE_MS - HOUR_MS;
const IMPACT = { offers: 1, live: 1, merchants: 1, offSale: 0, isExact: true, examined: 3 };
const NOTE = { atMs: NOW_MS, by: 'ann', act: 'addPolicy', subject: 'Acme', impact: IMPACT };
const DATED: ChangeNote = { ...NOTE, enforcedFromMs: DATE_MS };
export const EXCLUDED: Policy = { kind: 'excluded_category', nodeId: 9_223_372_036_854_775_807n };

export function restricted(...merchantIds: string[]): Policy {
  return { kind: 'restricted_brand', brand: 'Acme', merchantIds };
}

function sample(kind: MarkSample['kind']): MarkSample {
  return { kind, width: 2, height: 1, pixels: 'AP8=' };
}

function taxonomy(tag: string): StoredTaxonomy {
  return { tag, source: `${tag}.ndjson`, nodes: 1, importedMs: NOW_MS, parts: [`${tag} 1`, `${tag} 2`] };
}

export const later = (days: number): ChangeNote => ({ ...NOTE, enforcedFromMs: DATE_MS + days });

export async function ids(store: Store): Promise<number[]> {
  return (await store.policies.listAnnouncedChanges(100)).map(({ announcedId }) => announcedId);
}

async function states(store: Store) {
  return (await store.policies.listAnnouncedChanges(100)).map(({ state }) => state);
}

async function applyAll(store: Store, nowMs: number): Promise<number> {
  let applied = 0;
  while (await store.policies.applyAnnouncedChange(nowMs)) applied++;
  return applied;
}

interface Kind {
  /** What merchants can read about it. */
  readonly rule: string;
  change(store: Store, note?: ChangeNote): Promise<unknown>;
  read(store: Store): Promise<unknown>;
}

/** How a change of each kind is announced, and what it changes. */
const KINDS: Readonly<Record<string, Kind>> = {
  'an added policy': {
    rule: 'Excluded category: 9223372036854775807',
    change: (store, note) => store.policies.addPolicy(EXCLUDED, note),
    read: (store) => store.policies.listPolicies(),
  },
  'a removed policy': {
    rule: 'No longer: Restricted brand: Acme',
    change: (store, note) => store.policies.removePolicy(restricted(), note),
    read: (store) => store.policies.listPolicies(),
  },
  'an added placeholder': {
    rule: 'Placeholder image: no photo',
    change: (store, note) => store.policies.addPlaceholder({ hash: '00', note: 'no photo', sample: null }, note),
    read: (store) => store.policies.listPlaceholders(),
  },
  'an added logo': {
    rule: 'Logo: Acme',
    change: (store, note) => store.policies.addPlaceholder({ hash: '0a', note: 'Acme', sample: sample('logo') }, note),
    read: (store) => store.policies.listPlaceholders(),
  },
  'an added watermark': {
    rule: 'Watermark: Acme',
    change: (store, note) =>
      store.policies.addPlaceholder({ hash: '0b', note: 'Acme', sample: sample('watermark') }, note),
    read: (store) => store.policies.listPlaceholders(),
  },
  'a removed placeholder': {
    rule: 'No longer: a placeholder image, a logo or a watermark',
    change: (store, note) => store.policies.removePlaceholder('ff', note),
    read: (store) => store.policies.listPlaceholders(),
  },
  'an imported taxonomy': {
    rule: 'New taxonomy',
    change: (store, note) => store.taxonomy.putTaxonomy(taxonomy('new'), note),
    read: async (store) => (await store.taxonomy.readTaxonomy())?.parts,
  },
  'a reset taxonomy': {
    rule: 'Built-in taxonomy',
    change: (store, note) => store.taxonomy.dropTaxonomy(note),
    read: (store) => store.taxonomy.readTaxonomy(),
  },
};

export function announcedContract(stores: ClearedStores): void {
  describe('announced rule changes', () => {
    async function prepared(): Promise<Store> {
      const store = await stores.openOne();
      await store.policies.addPolicy(restricted());
      await store.policies.addPlaceholder({ hash: 'ff', note: 'old', sample: null });
      await store.taxonomy.putTaxonomy(taxonomy('old'));
      return store;
    }

    for (const [name, { rule, change, read }] of Object.entries(KINDS)) {
      test(`${name} waits for its date, then applies as an immediate change does, and can be undone`, async () => {
        const store = await prepared();
        const before = await read(store);
        const version = await store.settings.readSetupVersion();
        await change(store, DATED);
        assert.ok((await store.settings.readSetupVersion()) > version, 'processes notice the announcement');
        const [announcedId = 0] = await ids(store);
        const shown = { rule, remindedDays: 1, failing: [], cleared: false, isRestorable: false };
        const announced = { announcedId, ...NOTE, enforcedFromMs: DATE_MS, ...shown };
        const isOpen = { state: 'announced', settledMs: null, settledBy: null };
        assert.deepEqual(await store.policies.listAnnouncedChanges(100), [{ ...announced, ...isOpen }]);
        assert.equal(await store.policies.applyAnnouncedChange(DATE_MS - 1), false);
        assert.deepEqual(await read(store), before);
        assert.deepEqual(await store.policies.listRuleChanges(10), []);

        assert.equal(await store.policies.applyAnnouncedChange(DATE_MS + 5), true);
        const isApplied = { state: 'applied', settledMs: DATE_MS + 5, settledBy: null };
        assert.deepEqual(await store.policies.listAnnouncedChanges(100), [{ ...announced, ...isApplied }]);
        const after = await read(store);
        assert.notDeepEqual(after, before);
        assert.equal(await store.policies.applyAnnouncedChange(DATE_MS + 9), false, 'it applies once');
        const [made] = await store.policies.listRuleChanges(10);
        assert.ok(made);
        const { changeId, key: _, undoneMs: __, ...note } = made;
        assert.deepEqual(note, { ...NOTE, atMs: DATE_MS + 5 });
        const undo = { ...NOTE, atMs: DATE_MS + 6, act: 'undoChange' };
        assert.equal(await store.policies.undoRuleChange(changeId, undo), 'stored');
        assert.deepEqual(await read(store), before);

        await change(store);
        assert.deepEqual(await read(store), after, 'as an immediate change does');
      });
    }

    test('are postponed, brought forward and cancelled until they are settled', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, DATED);
      const [id = 0] = await ids(store);
      assert.equal(await store.policies.moveAnnouncedChange(id, DATE_MS + 10, NOW_MS), 'stored');
      assert.equal(await store.policies.applyAnnouncedChange(DATE_MS + 9), false);
      assert.equal(await store.policies.moveAnnouncedChange(id, DATE_MS - 10, NOW_MS), 'stored');
      assert.equal(await store.policies.moveAnnouncedChange(id + 1, DATE_MS, NOW_MS), 'unknown');
      assert.equal(await store.policies.cancelAnnouncedChange(id + 1, NOW_MS, 'bob'), 'unknown');
      assert.equal(await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob'), 'stored');
      const [cancelled] = await store.policies.listAnnouncedChanges(1);
      const { state, settledMs, settledBy, enforcedFromMs } = cancelled ?? assert.fail();
      assert.deepEqual([state, settledMs, settledBy, enforcedFromMs], ['cancelled', LATER_MS, 'bob', DATE_MS - 10]);
      assert.equal(await store.policies.moveAnnouncedChange(id, DATE_MS, NOW_MS), 'settled');
      assert.equal(await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob'), 'settled');
      assert.equal(await applyAll(store, DATE_MS), 0);
      assert.deepEqual(await store.policies.listPolicies(), []);
    });

    test('are announced again after a cancellation, unless the same was announced since', async () => {
      const store = await stores.openOne();
      const listed = async () => (await store.policies.listAnnouncedChanges(1))[0] ?? assert.fail();
      await store.policies.addPolicy(EXCLUDED, DATED);
      const before = await listed();
      const id = before.announcedId;
      assert.equal(await store.policies.announceAgain(id, AGAIN_MS), 'settled');
      assert.equal(await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob'), 'stored');
      await store.policies.noteCleared(id);
      assert.deepEqual(await listed(), {
        ...before,
        ...{ state: 'cancelled', settledMs: LATER_MS, settledBy: 'bob', cleared: true, isRestorable: true },
      });
      assert.equal(await store.policies.announceAgain(id, AGAIN_MS), 'stored');
      assert.deepEqual(await listed(), before);
      assert.equal(await store.policies.announceAgain(id + 1, AGAIN_MS), 'unknown');
      assert.equal(await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob'), 'stored');
      await store.policies.addPolicy(EXCLUDED, DATED);
      assert.equal((await store.policies.listAnnouncedChanges(9)).at(-1)?.isRestorable, false);
      assert.equal(await store.policies.announceAgain(id, AGAIN_MS), 'settled');
      assert.equal(await applyAll(store, DATE_MS), 1);
      assert.deepEqual(await store.policies.listPolicies(), [EXCLUDED]);
    });

    test('are not announced again less than an hour before their date, or beyond the greatest number', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, DATED);
      const [id = 0] = await ids(store);
      await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob');
      assert.equal(await store.policies.announceAgain(id, AGAIN_MS + 1), 'late');
      for (let n = 0; n < LIMITS.announced_changes_max - 1; n++)
        await store.policies.addPolicy(restricted(`m${n}`), DATED);
      await store.policies.addPlaceholder({ hash: '00', note: '', sample: null }, DATED);
      const restored = () => store.policies.announceAgain(id, AGAIN_MS);
      assert.equal(await restored(), 'full');
      const [other = 0] = await ids(store);
      await store.policies.cancelAnnouncedChange(other, LATER_MS, 'bob');
      const both = [restored(), store.policies.announceAgain(other, AGAIN_MS)];
      assert.deepEqual((await Promise.all(both)).toSorted(), ['full', 'stored']);
    });

    test('an import replaces an announced import or reset, and another announcement of the same policy its date', async () => {
      const store = await prepared();
      await store.taxonomy.putTaxonomy(taxonomy('first'), later(1));
      await store.taxonomy.dropTaxonomy(later(2));
      await store.taxonomy.putTaxonomy(taxonomy('second'), later(3));
      await store.policies.addPolicy(restricted('b', 'a'), later(4));
      await store.policies.addPolicy(restricted('a', 'b'), later(5));
      await store.policies.addPolicy(restricted('a'), later(6));
      assert.deepEqual(await states(store), [
        'announced',
        'announced',
        'announced',
        'cancelled',
        'cancelled',
        'cancelled',
      ]);
      assert.equal(await applyAll(store, DATE_MS + 2), 0);
      await store.taxonomy.putTaxonomy(taxonomy('at once'));
      assert.equal((await store.taxonomy.readTaxonomy())?.tag, 'at once');
      assert.equal(await applyAll(store, DATE_MS + 3), 1, 'an immediate import leaves the announced one');
      const { importedMs, tag } = (await store.taxonomy.readTaxonomy()) ?? assert.fail();
      assert.deepEqual([tag, importedMs], ['second', DATE_MS + 3]);
    });

    test('that overlap are applied in the order of their dates, all after a pause, also without effect', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, later(2));
      await store.policies.removePolicy(EXCLUDED, later(3));
      await store.policies.addPolicy(restricted(), later(4));
      await store.policies.addPolicy(restricted('a'), later(1));
      await store.policies.addPlaceholder({ hash: '00', note: 'a', sample: null }, later(5));
      await store.policies.addPlaceholder({ hash: '00', note: 'already there', sample: null });
      assert.equal(await applyAll(store, DATE_MS + 9), 5);
      assert.deepEqual(await store.policies.listPolicies(), [restricted()]);
      assert.deepEqual(await store.policies.listPlaceholders(), [{ hash: '00', note: 'already there', sample: null }]);
      const acts = (await store.policies.listRuleChanges(10)).length;
      assert.equal(acts, 3, 'a change without effect is not recorded');
      assert.deepEqual([...new Set(await states(store))], ['applied']);
    });

    test('keep the count of failing offers once a day, an hour after the announcement', async () => {
      const both = await stores.openTwo();
      const [store] = both;
      await store.policies.addPolicy(EXCLUDED, DATED);
      const [id = 0] = await ids(store);
      const failing = async () => (await store.policies.listAnnouncedChanges(1))[0]?.failing;
      const count = (offers: number, atMs: number) =>
        Promise.all(both.map(({ policies }) => policies.noteFailing(new Map([[id, offers]]), atMs)));
      await count(5, NOW_MS + HOUR_MS - 1);
      assert.deepEqual(await failing(), []);
      await count(5, NOW_MS + HOUR_MS);
      const firstDay = [[NOW_MS + HOUR_MS, 5]];
      assert.deepEqual(await failing(), firstDay);
      const midnight = (Math.floor((NOW_MS + HOUR_MS) / DAY_MS) + 1) * DAY_MS;
      await count(4, midnight - 1);
      assert.deepEqual(await failing(), firstDay);
      await count(4, midnight);
      for (const { policies } of both) await policies.noteFailing(new Map(), midnight + DAY_MS);
      assert.deepEqual(await failing(), [...firstDay, [midnight, 4], [midnight + DAY_MS, 0]]);
      for (let day = 2; day < 100; day++)
        await store.policies.noteFailing(new Map([[id, day]]), midnight + day * DAY_MS);
      const kept = (await failing()) ?? [];
      assert.deepEqual([kept.length, kept[0]?.[1], kept.at(-1)?.[1]], [92, 8, 99]);
      await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob');
      await store.policies.noteFailing(new Map([[id, 1]]), midnight + 200 * DAY_MS);
      assert.deepEqual(await failing(), kept);
    });

    test('grants to a merchant that was removed in between are left out', async () => {
      const store = await stores.openOne();
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      await store.policies.addPolicy(restricted(merchant.merchantId, 'removed since'), DATED);
      assert.equal(await applyAll(store, DATE_MS), 1);
      assert.deepEqual(await store.policies.listPolicies(), [restricted(merchant.merchantId)]);
    });

    test('are applied once by several processes', async () => {
      const both = await stores.openTwo();
      await both[0].policies.addPolicy(EXCLUDED, later(1));
      await both[0].policies.addPolicy(restricted(), later(2));
      const applied = await Promise.all([...both, ...both].map((store) => applyAll(store, DATE_MS + 2)));
      assert.equal(
        applied.reduce((sum, count) => sum + count, 0),
        2,
      );
      assert.equal((await both[1].policies.listRuleChanges(10)).length, 2);
      assert.equal((await both[1].policies.listPolicies()).length, 2);
    });

    test('a failure in the middle of applying changes nothing, and the change stays announced', async () => {
      const store = await prepared();
      const broken = { ...taxonomy('broken'), parts: ['a', null as never] };
      await store.taxonomy.putTaxonomy(broken, later(1));
      await store.policies.addPolicy(EXCLUDED, later(2));
      await assert.rejects(store.policies.applyAnnouncedChange(DATE_MS + 2));
      assert.equal((await store.taxonomy.readTaxonomy())?.tag, 'old');
      assert.deepEqual(await store.policies.listRuleChanges(10), []);
      assert.deepEqual(await states(store), ['announced', 'announced']);
      const [id = 0] = await ids(store);
      assert.equal(await store.policies.cancelAnnouncedChange(id, LATER_MS, 'bob'), 'stored');
      assert.equal(await applyAll(store, DATE_MS + 2), 1, 'the next change is not held up');
    });

    test('are dropped some time after they were settled', async () => {
      const store = await stores.openOne();
      await store.policies.addPolicy(EXCLUDED, later(1));
      await store.policies.addPolicy(restricted(), later(2));
      assert.equal(await applyAll(store, DATE_MS + 1), 1);
      assert.equal(await store.policies.dropAnnouncedChangesBefore(DATE_MS + 1), false);
      assert.deepEqual(await states(store), ['announced', 'applied']);
      assert.equal(await store.policies.dropAnnouncedChangesBefore(DATE_MS + 2), false);
      assert.deepEqual(await states(store), ['announced']);
    });
  });
}
