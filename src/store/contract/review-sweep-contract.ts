/** Contract tests for sweeps, which mark offers of an account as due, and for lost announcements. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { FulfillmentNode, Merchant } from '../../domain/account.ts';
import type { OfferRecord } from '../../domain/export/records.ts';
import { NO_FILTER, type OfferFilter } from '../../domain/offers/offer-list.ts';
import { REVIEW_KIND, SWEEP_KIND } from '../port/review.ts';
import type { Store } from '../port.ts';
import { doneBefore, dueIds, review, takeAnnounced, untilAnnounced } from './due-offers.ts';
import { clearableOf, putGroup, putSku } from './put-parts.ts';
import type { CreateDatabase, EmptyDatabase } from './subject.ts';
import { AUTHOR, documentOf, NOW_MS, newMerchant, openFor, sharedStore } from './subject.ts';

const NODE: FulfillmentNode = { id: 'n1', rateKind: 'flat', methods: [], levels: [] };
const TAXONOMY = { tag: 'tag', source: 'own', nodes: 1, importedMs: NOW_MS, parts: ['{}'] };
const FILTER: OfferFilter = { ...NO_FILTER, words: ['red'], status: 'missing' };
const IDS = ['e', 'd', 'c', 'b', 'a'];

export function reviewSweepContract(createDatabase: CreateDatabase): void {
  describe('sweeps of offers', () => {
    let database: EmptyDatabase;
    before(async () => {
      database = await createDatabase();
    });
    const shared = sharedStore(async () => database);

    const prepared: Merchant['accounts'][] = [];
    before(async () => {
      const prepare = async (store: Store) => {
        for (let count = 0; count < 7; count++) prepared.push(await reviewedAccounts(store));
      };
      await doneBefore(database, shared(), prepare);
    });
    const nextAccounts = () => prepared.pop() ?? assert.fail('Each test has its own accounts.');

    test('a node makes all offers of its account due, in order of upload, slice by slice', async () => {
      const store = shared();
      const { test: accountId, live } = nextAccounts();
      await store.settings.putNode(accountId, NODE);
      assert.deepEqual(await takeAnnounced(store, SWEEP_KIND), [accountId]);
      assert.deepEqual(await dueIds(store, accountId), [], 'none before the sweep reaches the account');
      assert.equal(await store.review.sweep(accountId, 2), 'more');
      assert.deepEqual(await dueIds(store, accountId), ['e', 'd']);
      await untilAnnounced(store, accountId);
      assert.equal(await store.review.sweep(accountId, 2), 'more');
      assert.equal(await store.review.sweep(accountId, 2), 'done');
      assert.deepEqual(await dueIds(store, accountId), IDS);
      assert.equal(await store.review.sweep(accountId, 2), 'done', 'it has ended');
      assert.equal(await store.review.sweep(live, 2), 'done');
      assert.deepEqual(await dueIds(store, live), []);
    });

    test('continues after a restart where it stopped', async (t) => {
      const { test: accountId } = nextAccounts();
      const store = await database.open();
      t.after(() => store.close());
      await store.settings.putNode(accountId, NODE);
      await store.review.sweep(accountId, 3);
      await review(store, accountId);
      await store.close();
      const again = await openFor(t, database);
      assert.ok((await takeAnnounced(again, SWEEP_KIND)).includes(accountId));
      assert.equal(await again.review.sweep(accountId, 3), 'done');
      assert.deepEqual(await dueIds(again, accountId), IDS.slice(3));
    });

    test('restarts after another change, and marks due offers again', async () => {
      const store = shared();
      const { test: accountId } = nextAccounts();
      await store.settings.putNode(accountId, NODE);
      await store.review.sweep(accountId, 3);
      const [first] = await store.review.readDueOffers(accountId, 1);
      await store.settings.putNode(accountId, { ...NODE, id: 'n2' });
      assert.equal(await store.review.sweep(accountId, 10), 'done');
      const due = await store.review.readDueOffers(accountId, 10);
      assert.deepEqual(
        due.map(({ skuId }) => skuId),
        IDS,
      );
      assert.notEqual(due[0]?.mark, first?.mark);
    });

    test('a sweep of a filter is read and moved; one that started again since is not', async () => {
      const store = shared();
      const { test: accountId, live } = nextAccounts();
      await takeAnnounced(store, SWEEP_KIND);
      await store.review.beginSweeps({ accountIds: [accountId, live], environment: 'test' }, FILTER);
      assert.deepEqual(await takeAnnounced(store, SWEEP_KIND), [accountId], 'only the account in this environment');
      assert.equal(await store.review.readSweep(live), undefined);
      const begun = (await store.review.readSweep(accountId)) ?? assert.fail();
      assert.deepEqual([begun.cursor, begun.filter?.status, begun.filter?.words], [0, 'missing', ['red']]);
      assert.equal(await store.review.moveSweep(begun, 7), true);
      const moved = (await store.review.readSweep(accountId)) ?? assert.fail();
      assert.deepEqual(moved, { ...begun, cursor: 7 });
      assert.ok((await store.review.listSweeps()).some((sweep) => sweep.accountId === accountId && sweep.cursor === 7));
      await store.review.beginSweeps({ accountIds: [accountId] }, FILTER);
      assert.deepEqual(await store.review.readSweep(accountId), begun, 'starts again, with the same filter');
      assert.equal(await store.review.moveSweep(moved, 8), false);
      assert.equal(await store.review.moveSweep(moved, undefined), false);
      assert.equal(await store.review.moveSweep(begun, undefined), true);
      assert.equal(await store.review.readSweep(accountId), undefined);
    });

    test('two processes that sweep together mark all offers while a third uploads', async (t) => {
      const [store, other] = [shared(), await openFor(t, database)];
      const { test: accountId } = nextAccounts();
      await store.settings.putNode(accountId, NODE);
      const sweepAll = async (by: Store) => {
        while ((await by.review.sweep(accountId, 1)) === 'more');
      };
      await Promise.all([
        sweepAll(store),
        sweepAll(other),
        putSku(store.offers, { accountId, skuId: 'new', by: AUTHOR }, '{}', NOW_MS),
      ]);
      assert.deepEqual((await dueIds(store, accountId)).sort(), [...IDS, 'new'].sort());
    });

    // The last two tests also sweep the accounts of the others.
    test('a sweep of another filter, or of all offers, replaces a filter by all offers', async () => {
      const store = shared();
      const { test: accountId } = nextAccounts();
      for (const begin of [
        () => store.review.beginSweeps({ accountIds: [accountId] }, { ...FILTER, words: ['blue'] }),
        () => store.review.beginSweeps({ environment: 'test' }),
        () => store.settings.putNode(accountId, NODE),
      ]) {
        await store.review.beginSweeps({ accountIds: [accountId] }, FILTER);
        const filtered = (await store.review.readSweep(accountId)) ?? assert.fail();
        await begin();
        assert.deepEqual(await store.review.readSweep(accountId), { accountId, cursor: 0, filter: null });
        assert.equal(await store.review.moveSweep(filtered, undefined), false);
        await store.review.beginSweeps({ accountIds: [accountId] }, FILTER);
        assert.equal((await store.review.readSweep(accountId))?.filter, null, 'a filter does not narrow it');
        assert.equal(await store.review.sweep(accountId, 10), 'done');
        assert.deepEqual(await review(store, accountId), IDS);
      }
    });

    test('importing and resetting a taxonomy sweep all accounts; resetting without one sweeps none', async () => {
      const store = shared();
      const { test: one, live: two } = nextAccounts();
      await takeAnnounced(store, SWEEP_KIND);
      for (const change of [() => store.taxonomy.putTaxonomy(TAXONOMY), () => store.taxonomy.dropTaxonomy()]) {
        await change();
        const announced = await takeAnnounced(store, SWEEP_KIND);
        for (const accountId of [one, two]) {
          assert.ok(announced.includes(accountId));
          assert.equal(await store.review.sweep(accountId, 10), 'done');
          assert.deepEqual(await review(store, accountId), IDS);
        }
      }
      assert.equal(await store.taxonomy.dropTaxonomy(), 'unset');
      assert.deepEqual(await takeAnnounced(store, SWEEP_KIND), []);
      assert.equal(await store.review.sweep(one, 10), 'done');
      assert.deepEqual(await dueIds(store, one), []);
    });

    test('only lost announcements are repeated', async (t) => {
      const database = await createDatabase();
      const store = await openFor(t, database);
      const [{ test: accountId, live }, { test: swept }] = await doneBefore(
        database,
        store,
        async (before) => [await reviewedAccounts(before), await reviewedAccounts(before)] as const,
      );
      await store.review.markDue(accountId, ['a']);
      await store.settings.putNode(swept, NODE);
      await untilAnnounced(store, accountId);
      await takeAnnounced(store, SWEEP_KIND);
      assert.deepEqual(await takeAnnounced(store), []);
      await store.review.announceForgotten();
      const announced = await takeAnnounced(store);
      assert.ok(announced.includes(accountId));
      assert.ok(!announced.includes(live) && !announced.includes(swept));
      const sweeps = await takeAnnounced(store, SWEEP_KIND);
      assert.ok(sweeps.includes(swept) && !sweeps.includes(accountId));
    });

    test('leased work is not announced again', async (t) => {
      const database = await createDatabase();
      const store = await openFor(t, database);
      const { test: accountId } = await doneBefore(database, store, reviewedAccounts);
      await store.review.markDue(accountId, ['a']);
      const lease = await store.work.takeWork(REVIEW_KIND, 'a test', 60_000);
      assert.equal(lease?.accountId, accountId);
      await store.review.announceForgotten();
      assert.equal(lease && (await store.work.finishWork(lease, undefined)), 'finished');
      assert.deepEqual(await takeAnnounced(store), []);
    });

    test('imported offers are due, and again when the import is complete', async (t) => {
      const database = await createDatabase();
      const store = await openFor(t, database);
      const moves = await database.openMoves();
      t.after(() => moves.close());
      const merchant = { ...newMerchant(), createdMs: NOW_MS, suspended: false };
      const accounts = await moves.beginImport(merchant);
      assert.ok(typeof accounts === 'object');
      const { test: accountId } = accounts;
      await moves.importOffers(accountId, ['a', 'b', 'c'].map(offerRecord));
      assert.deepEqual(await review(store, accountId), ['a', 'b', 'c']);
      assert.deepEqual(await takeAnnounced(store), [accountId]);
      await moves.importGroups(accountId, [{ skuId: 'a', refinements: '[1]', title: null, childrenSkus: ['c'] }]);
      assert.deepEqual(await review(store, accountId), ['a', 'c']);
      assert.deepEqual(await takeAnnounced(store), [accountId]);
      await moves.finishImport(merchant, [{ accountId, credentials: [], nodes: [NODE], returnLocationIds: [] }]);
      assert.deepEqual(await takeAnnounced(store, SWEEP_KIND), [accountId]);
      assert.equal(await store.review.sweep(accountId, 10), 'done');
      assert.deepEqual(await dueIds(store, accountId), ['a', 'b', 'c']);
    });

    test('erased offers are no longer due; offers that lose their group are', async (t) => {
      const database = await createDatabase();
      const store = await openFor(t, database);
      const { test: accountId } = await doneBefore(database, store, reviewedAccounts);
      await putGroup(
        store.offers,
        { accountId, skuId: 'e', by: AUTHOR },
        { refinements: '[1]', title: null, childrenSkus: ['d'] },
        NOW_MS,
      );
      const moves = await database.openMoves();
      t.after(() => moves.close());
      const last = await moves.readLastOffer(accountId);
      await putSku(store.offers, { accountId, skuId: 'stays', by: AUTHOR }, documentOf(), NOW_MS);
      await putGroup(
        store.offers,
        { accountId, skuId: 'a', by: AUTHOR },
        { refinements: '[1]', title: null, childrenSkus: ['stays'] },
        NOW_MS,
      );
      await review(store, accountId);
      await store.review.markDue(accountId, IDS);
      while ((await moves.eraseOffers(accountId, last, 1000)).more);
      const due = await store.review.readDueOffers(accountId, 10);
      assert.deepEqual(
        due.map(({ skuId, inGroup }) => [skuId, inGroup]),
        [['stays', false]],
      );
      await store.settings.putNode(accountId, NODE);
      await moves.eraseOffers(accountId, await moves.readLastOffer(accountId), 1000);
      assert.deepEqual(await dueIds(store, accountId), []);
      const [merchant] = await store.settings.listMerchants();
      const { accounts } = merchant ?? assert.fail();
      await moves.eraseOffers(accounts.live, await moves.readLastOffer(accounts.live), 1000);
      assert.equal(await moves.eraseMerchant(merchant?.merchantId ?? ''), 'erased');
      assert.equal(await store.review.sweep(accountId, 10), 'done');
    });

    test('all offers of a copy are due, and its work is found', async (t) => {
      const [from, to] = [await createDatabase(), await createDatabase()];
      const source = await from.open();
      const { test: accountId } = await doneBefore(from, source, reviewedAccounts).finally(() => source.close());
      const [reader, writer] = [await from.openCopy(), await to.openCopy()];
      t.after(() => Promise.all([reader.close(), writer.close()]));
      const reading = await reader.openSnapshot();
      t.after(() => reading.close());
      const origin = { source: 'elsewhere', tablesDigest: '', writeNumber: 1 };
      await writer.beginCopy(origin, await reading.readTables(), await reading.readCounters());
      await writer.writeOffers({ accountId: 0, order: 0 }, accountId, await reading.readOffers(accountId, 0));
      await writer.finishCopy();
      const store = await openFor(t, to);
      await store.review.announceForgotten();
      assert.deepEqual(await takeAnnounced(store), [accountId]);
      assert.deepEqual(await review(store, accountId), IDS);
      assert.deepEqual(await dueIds(store, accountId), []);
    });
  });
}

/** Creates two accounts with all of IDS uploaded and reviewed. */
async function reviewedAccounts(store: Store): Promise<Merchant['accounts']> {
  const merchant = newMerchant();
  await store.settings.addMerchant(merchant, NOW_MS);
  const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
  for (const accountId of [accounts.test, accounts.live]) {
    for (const skuId of IDS) await putSku(store.offers, { accountId, skuId, by: AUTHOR }, documentOf(), NOW_MS);
    await review(store, accountId);
  }
  return accounts;
}

function offerRecord(skuId: string): OfferRecord {
  return {
    skuId,
    archived: false,
    firstUploadMs: NOW_MS,
    document: documentOf(),
    documentUpdatedMs: NOW_MS,
    price: null,
    inventory: { nodes: [], stampMs: NOW_MS },
    clearable: clearableOf(),
  };
}
