/** Contract tests for the review: which writes make an offer due, and that no mark is lost. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { StoreUnavailableError } from '../port/errors.ts';
import type { WriteKey } from '../port/offers.ts';
import { textTag } from '../port/part-tags.ts';
import type { Store } from '../port.ts';
import { doneBefore, dueIds, evidenceFor, review, reviewOf, takeAnnounced, untilAnnounced } from './due-offers.ts';
import {
  clearableOf,
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import {
  AUTHOR,
  type ClearedStores,
  type CreateDatabase,
  documentOf,
  type EmptyDatabase,
  LATER_MS,
  NOW_MS,
  newAccountId,
  newKey,
  openFor,
  sharedStore,
  uploadedKey,
  uploadedSkus,
} from './subject.ts';

const price = (amount: number) => ({ price: amount, nodes: [] });

type At = (skuId: string) => WriteKey;
type Change = (store: Store, at: At) => Promise<unknown>;

interface ReviewedSkus {
  readonly at: At;
  readonly accountId: number;
}

/** Each case starts with these SKUs, none of them due. `priced` has stock at node `n1`, and `parent` has a group with `child`. */
const SKUS = ['bare', 'priced', 'parent', 'child', 'archived'] as const;

const CAUSES: readonly (readonly [cause: string, change: Change, due: readonly string[]])[] = [
  ['another upload', (store, at) => putSku(store.offers, at('bare'), documentOf('New'), LATER_MS), ['bare']],
  ['the same upload again', (store, at) => putSku(store.offers, at('bare'), documentOf(), NOW_MS), ['bare']],
  ['the first upload', (store, at) => putSku(store.offers, at('new'), documentOf(), LATER_MS), ['new']],
  ['the first price', (store, at) => putPrice(store.offers, at('bare'), price(1), NOW_MS), ['bare']],
  ['the first stock', (store, at) => patchInventory(store.offers, at('bare'), stock('n1'), NOW_MS), ['bare']],
  [
    'the first stock of a node',
    (store, at) => patchInventory(store.offers, at('priced'), stock('n2'), NOW_MS),
    ['priced'],
  ],
  [
    'the first stock of one of two nodes',
    (store, at) => patchInventory(store.offers, at('priced'), stock('n1', 'n2'), NOW_MS),
    ['priced'],
  ],
  ['archiving', (store, at) => setArchived(store.offers, at('bare'), true, NOW_MS), ['bare']],
  ['unarchiving', (store, at) => setArchived(store.offers, at('archived'), false, NOW_MS), ['archived']],
  ['a new group', (store, at) => putGroup(store.offers, at('bare'), groupOf('priced'), NOW_MS), ['bare', 'priced']],
  [
    'a group that a member leaves',
    (store, at) => putGroup(store.offers, at('parent'), groupOf(), NOW_MS),
    ['parent', 'child'],
  ],
  [
    'a group that a member joins',
    (store, at) => putGroup(store.offers, at('parent'), groupOf('child', 'bare'), NOW_MS),
    ['bare', 'parent', 'child'],
  ],
  [
    'a group that takes a child of another group, whose members the review marks',
    (store, at) => putGroup(store.offers, at('bare'), groupOf('child'), NOW_MS),
    ['bare', 'child'],
  ],
  [
    'a child that becomes a parent; the review marks the rest of its group',
    (store, at) => putGroup(store.offers, at('child'), groupOf('bare'), NOW_MS),
    ['bare', 'child'],
  ],
  [
    'a group whose parent becomes a child',
    (store, at) => putGroup(store.offers, at('bare'), groupOf('parent'), NOW_MS),
    ['bare', 'parent', 'child'],
  ],
];

const NO_CAUSES: readonly (readonly [cause: string, change: Change])[] = [
  ['another price', (store, at) => putPrice(store.offers, at('priced'), price(2), LATER_MS)],
  ['other stock of the same node', (store, at) => patchInventory(store.offers, at('priced'), stock('n1'), LATER_MS)],
  ['shipping exceptions', (store, at) => putShippingExceptions(store.offers, at('bare'), '[]', NOW_MS)],
  ['return locations', (store, at) => putReturnLocations(store.offers, at('bare'), ['dock'], NOW_MS)],
  ['archiving an archived SKU', (store, at) => setArchived(store.offers, at('archived'), true, LATER_MS)],
  ['unarchiving an open SKU', (store, at) => setArchived(store.offers, at('bare'), false, LATER_MS)],
  ['an upload to an archived SKU', (store, at) => putSku(store.offers, at('archived'), documentOf('New'), LATER_MS)],
  ['a price of an archived SKU', (store, at) => putPrice(store.offers, at('archived'), price(1), LATER_MS)],
  ['stock of an archived SKU', (store, at) => patchInventory(store.offers, at('archived'), stock('n1'), LATER_MS)],
  ['a price of an unknown SKU', (store, at) => putPrice(store.offers, at('unknown'), price(1), LATER_MS)],
  ['a group that is refused', (store, at) => putGroup(store.offers, at('bare'), groupOf('priced', 'archived'), NOW_MS)],
];

const UPLOADED = { document: documentOf(), documentTag: textTag(documentOf()) };
const NONE_DUE = { due: 0, oldestDue_ms: 0, accounts: [], accountsMissing: 0 };

export function reviewContract(emptied: ClearedStores, createDatabase: CreateDatabase): void {
  describe('review of offers', () => {
    let database: EmptyDatabase;
    before(async () => {
      database = await createDatabase();
    });
    const shared = sharedStore(async () => database);
    const second = sharedStore(async () => database);

    test('an uploaded offer is due, with all data for its review', async () => {
      const store = shared();
      const { accountId } = await uploadedKey(store, 'a');
      const [offer, ...others] = await store.review.readDueOffers(accountId, 10);
      assert.deepEqual(others, []);
      const facts = { archived: false, priced: false, stockNodeIds: [], inGroup: false, evidence: {} };
      assert.deepEqual(offer, { skuId: 'a', mark: offer?.mark, document: documentOf(), ...facts });
      assert.ok((offer?.mark ?? 0) > 0);
    });

    test('all parts belong to the state of the mark, also when the SKU is read', async () => {
      const store = shared();
      const at = await uploadedSkus(store, ['parent', 'child']);
      const { accountId } = at('parent');
      await review(store, accountId);
      await putPrice(store.offers, at('child'), price(1), NOW_MS);
      const nodes = stock('é', '9', '10', '\u{1f600}', '\uffff', '__proto__');
      await patchInventory(store.offers, at('child'), nodes, NOW_MS);
      await putGroup(store.offers, at('parent'), groupOf('child'), NOW_MS);
      await setArchived(store.offers, at('child'), true, NOW_MS);
      const stockNodeIds = ['10', '9', '__proto__', 'é', '\uffff', '\u{1f600}'];
      const facts = { archived: true, priced: true, stockNodeIds, inGroup: true, evidence: evidenceFor(documentOf()) };
      const child = (await store.review.readDueOffers(accountId, 10)).find(({ skuId }) => skuId === 'child');
      assert.deepEqual(child, { skuId: 'child', mark: child?.mark, document: documentOf(), ...facts });
      const shown = { ...UPLOADED, clearable: clearableOf(), group: null };
      assert.deepEqual(await store.offers.readOffer(at('child')), { ...shown, ...facts });
      assert.equal((await store.offers.readOffer(at('parent')))?.inGroup, true);
    });

    describe('writes that make offers due', () => {
      let prepared: readonly ReviewedSkus[];
      before(async () => {
        prepared = await doneBefore(database, shared(), (before) => reviewedTimes(before, CAUSES.length));
      });

      for (const [place, [cause, change, due]] of CAUSES.entries()) {
        test(`${cause}: ${due.join(', ')}; the review is announced`, async () => {
          const { at, accountId } = prepared[place] ?? assert.fail();
          await change(shared(), at);
          assert.deepEqual((await dueIds(shared(), accountId)).sort(), due.toSorted());
          await untilAnnounced(shared(), accountId);
        });
      }
    });

    describe('writes that make nothing due', () => {
      let prepared: readonly ReviewedSkus[];
      let announced: readonly number[];
      before(async () => {
        prepared = await doneBefore(database, shared(), (before) => reviewedTimes(before, NO_CAUSES.length));
        const changed = await database.open();
        for (const [place, { at }] of prepared.entries()) await NO_CAUSES[place]?.[1](changed, at);
        // Closing the store announces its pending work.
        await changed.close();
        announced = await takeAnnounced(shared());
      });

      for (const [place, [change]] of NO_CAUSES.entries()) {
        test(change, async () => {
          const { accountId } = prepared[place] ?? assert.fail();
          assert.deepEqual(await dueIds(shared(), accountId), []);
          assert.ok(!announced.includes(accountId));
        });
      }
    });

    test('a write that makes nothing due leaves an existing mark', async () => {
      const store = shared();
      const key = await uploadedKey(store);
      await putPrice(store.offers, key, price(1), NOW_MS);
      const [before] = await store.review.readDueOffers(key.accountId, 10);
      await putPrice(store.offers, key, price(2), NOW_MS);
      const [after] = await store.review.readDueOffers(key.accountId, 10);
      assert.equal(after?.mark, before?.mark);
    });

    test('offers are reviewed in the order of their marks, then of upload; one that is marked again comes last', async () => {
      const store = shared();
      const accountId = newAccountId();
      for (const skuId of ['d', 'b', 'c'])
        await putSku(store.offers, { accountId, skuId, by: AUTHOR }, documentOf(), NOW_MS);
      assert.deepEqual(await dueIds(store, accountId), ['d', 'b', 'c']);
      await putSku(store.offers, { accountId, skuId: 'd', by: AUTHOR }, documentOf(), NOW_MS);
      assert.deepEqual(await dueIds(store, accountId), ['b', 'c', 'd']);
      await store.review.markDue(accountId, ['c', 'd', 'b']);
      assert.deepEqual(await dueIds(store, accountId), ['d', 'b', 'c']);
      assert.deepEqual(
        (await store.review.readDueOffers(accountId, 2)).map(({ skuId }) => skuId),
        ['d', 'b'],
      );
    });

    test('marks survive a restart, and the work is announced', async (t) => {
      const store = await database.open();
      t.after(() => store.close());
      const { accountId } = await uploadedKey(store, 'a');
      const due = await store.review.readDueOffers(accountId, 10);
      await store.close();
      const again = await openFor(t, database);
      assert.deepEqual(await again.review.readDueOffers(accountId, 10), due);
      assert.ok((await takeAnnounced(again)).includes(accountId));
    });

    test('a reviewed offer is not due; its next review gets its evidence', async () => {
      const store = shared();
      const key = await uploadedKey(store, 'a');
      assert.deepEqual(await review(store, key.accountId), ['a']);
      assert.deepEqual(await dueIds(store, key.accountId), []);
      assert.deepEqual((await store.offers.readOffer(key))?.evidence, evidenceFor(documentOf()));
      await putSku(store.offers, key, documentOf('New'), LATER_MS);
      const [offer] = await store.review.readDueOffers(key.accountId, 10);
      assert.deepEqual(offer?.evidence, evidenceFor(documentOf()));
    });

    test('an offer shows its verdict while it is not due', async () => {
      const store = shared();
      const at = await uploadedSkus(store, ['a', 'b']);
      const shown = { ...UPLOADED, archived: false, clearable: clearableOf() };
      assert.deepEqual(await store.offers.readReviewedOffer(at('a')), { ...shown, group: null, verdict: null });
      await putShippingExceptions(store.offers, at('a'), '["some"]', NOW_MS);
      await putReturnLocations(store.offers, at('a'), ['dock'], NOW_MS);
      await putGroup(store.offers, at('a'), groupOf('b'), NOW_MS);
      await review(store, at('a').accountId);
      const verdict = { status: 'missing', subStatuses: ['Missing price'], rules: 'a' };
      assert.deepEqual(await store.offers.readReviewedOffer(at('a')), {
        ...shown,
        clearable: clearableOf({ shipping_exception: '["some"]', returns_exception: '["dock"]' }),
        group: groupOf('b'),
        verdict,
      });
      assert.deepEqual(await store.offers.readReviewedOffer(at('b')), { ...shown, group: null, verdict });
      await setArchived(store.offers, at('b'), true, LATER_MS);
      assert.deepEqual(await store.offers.readReviewedOffer(at('b')), {
        ...shown,
        archived: true,
        group: null,
        verdict: null,
      });
      const [due] = await store.review.readDueOffers(at('a').accountId, 10);
      const reviewed = { ...reviewOf(due ?? assert.fail()), status: 'archived', subStatuses: [], rules: 'b' } as const;
      await store.review.storeReviews(at('a').accountId, [reviewed], NOW_MS);
      const later = { status: 'archived', subStatuses: [], rules: 'b' };
      assert.deepEqual((await store.offers.readReviewedOffer(at('b')))?.verdict, later);
      assert.equal(await store.offers.readReviewedOffer(at('unknown')), undefined);
    });

    test('a review for an older mark is stored, and leaves the offer due', async () => {
      const store = shared();
      const key = await uploadedKey(store, 'a');
      const [older] = await store.review.readDueOffers(key.accountId, 10);
      assert.ok(older);
      await putSku(store.offers, key, documentOf('New'), LATER_MS);
      await store.review.storeReviews(key.accountId, [{ ...reviewOf(older), evidence: evidenceFor('old') }], NOW_MS);
      assert.deepEqual((await store.offers.readOffer(key))?.evidence, evidenceFor('old'));
      const [offer] = await store.review.readDueOffers(key.accountId, 10);
      assert.ok(offer && offer.mark !== older.mark);
      assert.equal(offer.document, documentOf('New'));
    });

    test('a review that arrives after a later one is dropped', async () => {
      const store = shared();
      const key = await uploadedKey(store, 'a');
      const [older] = await store.review.readDueOffers(key.accountId, 10);
      assert.ok(older);
      await putSku(store.offers, key, documentOf('New'), LATER_MS);
      await review(store, key.accountId);
      await store.review.storeReviews(key.accountId, [{ ...reviewOf(older), evidence: evidenceFor('old') }], NOW_MS);
      assert.deepEqual((await store.offers.readOffer(key))?.evidence, evidenceFor(documentOf('New')));
      assert.deepEqual(await dueIds(store, key.accountId), []);
    });

    test('many are stored at once; those of unknown SKUs and other accounts are skipped', async () => {
      const store = shared();
      const ids = Array.from({ length: 450 }, (_, number) => `sku-${number}`);
      const at = await uploadedSkus(store, ids);
      const other = await uploadedKey(store, 'sku-1');
      const { accountId } = at('sku-1');
      const due = await store.review.readDueOffers(accountId, 1000);
      const unknown = { ...reviewOf(due[0] ?? assert.fail()), skuId: 'unknown' };
      await store.review.storeReviews(accountId, [unknown, ...due.slice(1).map((offer) => reviewOf(offer))], NOW_MS);
      assert.deepEqual(await dueIds(store, accountId), [due[0]?.skuId]);
      assert.deepEqual(await dueIds(store, other.accountId), ['sku-1']);
      assert.equal(await store.offers.readOffer({ accountId, skuId: 'unknown' }), undefined);
      await store.review.storeReviews(accountId, [], NOW_MS);
    });

    test('existing offers are marked by SKU id', async () => {
      const store = shared();
      const ids = Array.from({ length: 450 }, (_, number) => `sku-${number}`);
      const { accountId } = await doneBefore(database, store, async (before) => {
        const key = (await uploadedSkus(before, ids))('sku-1');
        await review(before, key.accountId);
        return key;
      });
      await store.review.markDue(accountId, [...ids.slice(0, 449), 'unknown']);
      assert.deepEqual((await dueIds(store, accountId)).sort(), ids.slice(0, 449).sort());
      await untilAnnounced(store, accountId);
      await store.review.markDue(newAccountId(), ['sku-1']);
    });

    test('shoes that belong together are found by their key, in order of SKU id', async () => {
      const store = shared();
      const at = await uploadedSkus(store, ['c', 'a', 'b', 'd', 'e']);
      const { accountId } = at('a');
      const keys: Readonly<Record<string, string>> = { a: 'runner', b: 'runner', c: 'runner', d: 'Runner' };
      const due = await store.review.readDueOffers(accountId, 10);
      await store.review.storeReviews(
        accountId,
        due.map((offer) => reviewOf(offer, keys[offer.skuId] ?? null)),
        NOW_MS,
      );
      assert.deepEqual(await store.review.readShoeGroup(accountId, 'runner', 10), ['a', 'b', 'c']);
      assert.deepEqual(await store.review.readShoeGroup(accountId, 'runner', 2), ['a', 'b']);
      assert.deepEqual(await store.review.readShoeGroup(accountId, 'sandal', 10), []);
      assert.deepEqual(await store.review.readShoeGroup(newAccountId(), 'runner', 10), []);
      await putSku(store.offers, at('a'), documentOf('New'), LATER_MS);
      await review(store, accountId);
      assert.deepEqual(await store.review.readShoeGroup(accountId, 'runner', 10), ['b', 'c']);
    });

    test('figures count due offers and their age', async () => {
      const store = await emptied.openOne();
      assert.deepEqual(await store.review.readReviewFigures(), NONE_DUE);
      const startMs = Date.now();
      const [one, two] = [await uploadedKey(store), await uploadedKey(store)];
      await new Promise((resolve) => setTimeout(resolve, 20));
      await store.review.announceForgotten();
      // Work may be announced a moment after the write.
      let figures = await store.review.readReviewFigures();
      while (figures.due < 2) figures = await store.review.readReviewFigures();
      assert.equal(figures.due, 2);
      const { oldestDue_ms } = figures;
      assert.ok(oldestDue_ms >= 20 && oldestDue_ms <= Date.now() - startMs, `${oldestDue_ms} ms`);
      const accounts = figures.accounts.toSorted((a, b) => a.accountId - b.accountId);
      assert.deepEqual(
        accounts.map(({ accountId, due }) => [accountId, due]),
        [one, two].map(({ accountId }) => [accountId, 1]),
      );
      assert.equal(Math.max(...accounts.map((account) => account.oldestDue_ms)), oldestDue_ms);
      for (const { accountId } of [one, two]) await review(store, accountId);
      assert.deepEqual(await store.review.readReviewFigures(), NONE_DUE);
    });

    test('figures are consistent while offers are reviewed', async () => {
      const store = await emptied.openOne();
      for (let round = 0; round < 20; round++) {
        const { accountId } = await uploadedKey(store);
        // The announcement may come a moment after the write.
        while ((await store.review.readReviewFigures()).oldestDue_ms === 0);
        let isReviewing = true;
        const reviewing = review(store, accountId).finally(() => {
          isReviewing = false;
        });
        while (isReviewing) {
          const { due, oldestDue_ms } = await store.review.readReviewFigures();
          assert.equal(oldestDue_ms > 0, due > 0, `${due} are due, for ${oldestDue_ms} ms`);
        }
        await reviewing;
      }
    });

    test('offers that one process writes are due for another', async () => {
      const [store, other] = [shared(), second()];
      const key = await uploadedKey(store, 'a');
      assert.deepEqual(await review(other, key.accountId), ['a']);
      assert.deepEqual(await dueIds(store, key.accountId), []);
    });

    test('every upload is reviewed, even if it races a review', async () => {
      const [store, other] = [shared(), second()];
      const accountId = newAccountId();
      const ids = ['a', 'b', 'c'];
      for (let round = 0; round < 30; round++) {
        const uploads = ids.map((skuId, place) => {
          return putSku(
            (place === round % 3 ? other : store).offers,
            { accountId, skuId, by: AUTHOR },
            documentOf(`Brand ${round}`),
            NOW_MS,
          );
        });
        await Promise.all([...uploads, review(store, accountId), review(other, accountId)]);
        // Either the review saw the current state, or the offer is due.
        const due = await dueIds(store, accountId);
        for (const skuId of ids) {
          const offer = await store.offers.readOffer({ accountId, skuId });
          assert.ok(due.includes(skuId) || offer?.evidence.images?.[offer.document], `${skuId} in round ${round}`);
        }
      }
    });

    test('is refused by a closed store', async () => {
      const store = await emptied.openClosed();
      await assert.rejects(store.review.readDueOffers(1, 1), StoreUnavailableError);
      await assert.rejects(store.review.markDue(1, ['a']), StoreUnavailableError);
      await assert.rejects(store.review.sweep(1, 1), StoreUnavailableError);
    });

    test('nothing is due for an account without offers', async () => {
      const store = shared();
      const { accountId } = newKey();
      assert.deepEqual(await store.review.readDueOffers(accountId, 10), []);
      assert.equal(await store.review.sweep(accountId, 10), 'done');
    });
  });
}

function reviewedTimes(store: Store, times: number): Promise<ReviewedSkus[]> {
  return Promise.all(Array.from({ length: times }, () => reviewedSkus(store)));
}

async function reviewedSkus(store: Store): Promise<ReviewedSkus> {
  const at = await uploadedSkus(store, SKUS);
  const { accountId } = at('bare');
  await putPrice(store.offers, at('priced'), price(1), NOW_MS);
  await patchInventory(store.offers, at('priced'), stock('n1'), NOW_MS);
  await putGroup(store.offers, at('parent'), groupOf('child'), NOW_MS);
  await setArchived(store.offers, at('archived'), true, NOW_MS);
  assert.deepEqual((await review(store, accountId)).sort(), SKUS.toSorted());
  return { at, accountId };
}

function stock(...nodeIds: string[]) {
  return nodeIds.map((id) => ({ fulfillment_node_id: id, quantity: 1 }));
}

function groupOf(...childrenSkus: string[]) {
  return { refinements: '[1]', title: null, childrenSkus };
}
