/** Contract tests for the offer list: every filter, search and order finds all matching offers, page by page. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  LIST_LIMITS,
  type ListLimits,
  type ListPosition,
  NO_FILTER,
  type OfferFilter,
} from '../../domain/offers/offer-list.ts';
import type { PartWrite } from '../../domain/offers/part.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { OFFER_SORTS, type OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import { OFFERS_COUNTED_MAX, type OfferListRequest } from '../port/offer-list.ts';
import type { Store } from '../port.ts';
import { applied, startedFile } from './bulk-files.ts';
import { announceTwo, type Known, knownOffer, noteFailing, OFFERS, reviewAs, stockOf, upload } from './known-offers.ts';
import { patchInventory, putGroup, putPrice, putSku, setArchived } from './put-parts.ts';
import { AUTHOR, LATER_MS, NOW_MS, newAccountId, uploadedSkus } from './subject.ts';

/** Small limits, so that about sixty offers exercise every way to find a page. */
const SMALL: ListLimits = Object.freeze({
  ...LIST_LIMITS,
  examined_max: 12,
  first_examined_max: 5,
  gathered_max: 15,
  sorted_max: 10,
  sort_ms_max: 60_000,
});

export function offerListContract(store: () => Store): void {
  describe('the list of offers', () => {
    const accountId = newAccountId();
    const known = Array.from({ length: OFFERS }, (_, position) => knownOffer(position));
    let announcedIds: readonly number[] = [];
    /** Replaces the numbers of announced changes by their ids. */
    const asked = ({ upcoming, ...filter }: OfferFilter): OfferFilter => {
      return { ...filter, upcoming: upcoming?.map((change) => announcedIds[change] ?? change) };
    };

    before(async () => {
      announcedIds = await announceTwo(store());
      for (const offer of known) await upload(store(), accountId, offer);
      // These offers of another account have the same words. They must not be found.
      for (const offer of known.slice(0, 9)) await upload(store(), accountId + 1_000_000, offer);
      await reviewAs(store(), accountId, known);
      await reviewAs(store(), accountId + 1_000_000, known);
      await noteFailing(store(), accountId, known, announcedIds);
    });

    for (const sort of OFFER_SORTS) {
      for (const [limitsName, limits] of [
        ['the limits of the portal', LIST_LIMITS],
        ['small limits', SMALL],
      ] as const) {
        test(`by ${sort} with ${limitsName}: every filter returns the matches in order, each once`, async () => {
          for (const filter of FILTERS) {
            const expected = known.filter((offer) => fits(offer, filter)).sort(byOrder(sort));
            const found = await pageThrough(store(), accountId, { ...asked(filter), sort, limits, limit: 7 });
            assert.deepEqual(
              found,
              expected.map(({ skuId }) => skuId),
              JSON.stringify(filter),
            );
          }
        });
      }
    }

    test('a page has the requested number of offers, and a next page if there are more', async () => {
      const list = (limit: number) =>
        store().offerList.listOffers(accountId, {
          ...NO_FILTER,
          sort: 'oldest',
          after: undefined,
          limit,
          limits: LIST_LIMITS,
        });
      const all = await list(OFFERS);
      assert.equal(all.offers.length, OFFERS);
      assert.equal(all.next, undefined);
      const most = await list(OFFERS - 1);
      assert.equal(most.offers.length, OFFERS - 1);
      assert.notEqual(most.next, undefined);
    });

    test('offers by price, stock or change are sorted up to the limit, and refused beyond it', async () => {
      for (const sort of ['price', '-stock', 'updated'] as const) {
        const list = (sorted_runs_max: number, filter: Partial<OfferFilter> = {}) => {
          const limits = { ...SMALL, sorted_runs_max };
          const request = { ...NO_FILTER, ...filter, sort, after: undefined, limit: OFFERS, limits };
          return store().offerList.listOffers(accountId, request);
        };
        const runs = Math.ceil((OFFERS + 1) / SMALL.sorted_max);
        assert.equal((await list(runs)).offers.length, OFFERS);
        assert.deepEqual(await list(runs - 1), { offers: [], next: undefined, isTooMany: true });
        const few = known.filter(({ categoryId }) => categoryId === '7').length;
        const fewRuns = Math.ceil((few + 1) / SMALL.sorted_max);
        assert.equal((await list(fewRuns, { categoryId: '7', status: 'missing' })).isTooMany, undefined);
        assert.equal((await list(fewRuns - 1, { categoryId: '7' })).isTooMany, true);
      }
    });

    test('more offers than are sorted at once are listed in order, with current values', async () => {
      const id = newAccountId();
      const limits = { ...LIST_LIMITS, sorted_max: 1_000 };
      const offers = 4 * limits.sorted_max + 1;
      // Assigns each price from 1 to `offers` once, in an order that differs from the upload order.
      const priceOf = (position: number) => ((position * 7919) % offers) + 1;
      const positions = Array.from({ length: offers }, (_, position) => position);
      await writeRows(store(), 'MerchantSKUs', id, positions, (position) => ({
        part: 'sku',
        skuId: `s${position}`,
        document: '{}',
      }));
      await writeRows(store(), 'Price', id, positions.slice(1), (position) => {
        return { part: 'price', skuId: `s${position}`, price: priceOf(position), nodes: [] };
      });
      const byPrice = positions.slice(1).sort((one, other) => priceOf(one) - priceOf(other));
      for (const [sort, expected] of [
        ['price', [...byPrice, 0]],
        ['-price', [...byPrice.toReversed(), 0]],
      ] as const) {
        let after: ListPosition | undefined;
        const found: string[] = [];
        const sortTimes = new Set<number>();
        const startMs = Date.now();
        do {
          const request = { ...NO_FILTER, sort, after, limit: 1_000, limits };
          const page = await store().offerList.listOffers(id, request);
          if (page.offers.length > 0) sortTimes.add(page.held?.sortedMs ?? 0);
          found.push(...page.offers.map(({ skuId }) => skuId));
          after = page.next;
        } while (after !== undefined);
        assert.deepEqual(
          found,
          expected.map((position) => `s${position}`),
        );
        const [sortedMs = 0] = sortTimes;
        assert.equal(sortTimes.size, 1, 'all pages name the same time');
        assert.ok(sortedMs >= startMs && sortedMs <= Date.now());
      }
    });

    test('a filter is counted exactly, or up to the count limit', async () => {
      for (const filter of FILTERS) {
        const offers = known.filter((offer) => fits(offer, filter)).length;
        for (const limits of [LIST_LIMITS, { ...SMALL, count_ms_max: 60_000 }]) {
          const total = await store().offerList.countOffers(accountId, asked(filter), limits);
          assert.deepEqual(total, { offers, isMore: false }, JSON.stringify(filter));
        }
      }
      const few = { ...LIST_LIMITS, examined_max: 5, count_ms_max: 0 };
      const inStock = { ...NO_FILTER, inStock: true };
      const { offers, isMore } = await store().offerList.countOffers(accountId, inStock, few);
      assert.deepEqual(
        { offers, isMore },
        { offers: known.slice(0, 5).filter((offer) => fits(offer, inStock)).length, isMore: true },
      );
      assert.ok(OFFERS_COUNTED_MAX > OFFERS);
    });

    test('a search with few matches among many offers ends early, and the next page continues there', async () => {
      const request = {
        ...NO_FILTER,
        inStock: true,
        archived: false,
        sort: 'oldest',
        limit: 50,
        limits: SMALL,
      } as const;
      const page = await store().offerList.listOffers(accountId, { ...request, after: undefined });
      assert.ok(page.offers.length < 12);
      assert.notEqual(page.next, undefined);
    });

    test('offers that stay are found once each while others are added and removed', async () => {
      const id = newAccountId();
      const offers = Array.from({ length: 36 }, (_, position): Known => {
        return {
          ...knownOffer(0),
          skuId: `sku-${position}`,
          status: 'missing',
          subStatuses: [],
          archived: position % 3 === 0,
        };
      });
      for (const offer of offers) await upload(store(), id, offer);
      await reviewAs(store(), id, offers);
      const movers = offers.filter(({ archived }) => !archived);
      let isDone = false;
      const moving = (async () => {
        for (let turn = 0; !isDone; turn++) {
          const moved = movers.map((offer): Known => ({ ...offer, status: turn % 2 === 0 ? 'available' : 'missing' }));
          await store().review.markDue(
            id,
            moved.map(({ skuId }) => skuId),
          );
          await reviewAs(store(), id, moved);
        }
      })();
      try {
        const request = {
          ...NO_FILTER,
          status: 'missing',
          archived: true,
          sort: 'oldest',
          limit: 5,
          limits: SMALL,
        } as const;
        const staying = offers.filter(({ archived }) => archived).map(({ skuId }) => skuId);
        for (let walk = 0; walk < 40; walk++) assert.deepEqual(await pageThrough(store(), id, request), staying);
      } finally {
        isDone = true;
        await moving;
      }
    });

    test('an account without offers has an empty list', async () => {
      for (const sort of OFFER_SORTS) {
        for (const filter of FILTERS) {
          const request = { ...filter, sort, after: undefined, limit: 5, limits: SMALL };
          assert.deepEqual(await store().offerList.listOffers(newAccountId(), request), {
            offers: [],
            next: undefined,
          });
        }
      }
    });

    test('a row shows the current offer, and its verdict unless it is due', async () => {
      const id = newAccountId();
      const key = { accountId: id, skuId: 'shown', by: AUTHOR };
      await putSku(store().offers, key, '{"product_title":"A","brand":"B"}', NOW_MS);
      const row = async () => {
        const request = { ...NO_FILTER, sort: 'newest', after: undefined, limit: 5, limits: LIST_LIMITS } as const;
        return (await store().offerList.listOffers(id, request)).offers[0] ?? assert.fail('no row');
      };
      const bare = {
        skuId: 'shown',
        document: '{"product_title":"A","brand":"B"}',
        archived: false,
        price: null,
        priceNodes: [],
        quantity: 0,
        updatedMs: NOW_MS,
        verdict: null,
        categoryId: null,
      };
      assert.deepEqual(await row(), bare);
      const nodes = [{ fulfillment_node_id: 'n1', fulfillment_node_price: 9 }];
      await putPrice(store().offers, key, { price: 12.5, nodes }, LATER_MS);
      assert.deepEqual(await row(), { ...bare, price: 12.5, priceNodes: nodes, updatedMs: LATER_MS });
      const quantities = ['n1', 'n2'].map((fulfillment_node_id) => ({ fulfillment_node_id, quantity: 3 }));
      await patchInventory(store().offers, key, quantities, LATER_MS + 1);
      assert.deepEqual(await row(), { ...bare, price: 12.5, priceNodes: nodes, quantity: 6, updatedMs: LATER_MS + 1 });
      await reviewAs(store(), id, [{ ...knownOffer(1), skuId: 'shown', categoryId: '7' }]);
      const { status, subStatuses } = knownOffer(1);
      const verdict = { status, subStatuses, rules: 'a' };
      assert.deepEqual({ ...(await row()) }, { ...bare, ...(await row()), verdict, categoryId: '7' });
      await setArchived(store().offers, key, true, LATER_MS + 2);
      const archived = await row();
      assert.equal(archived.archived, true);
      assert.equal(archived.quantity, 0);
      assert.equal(archived.updatedMs, LATER_MS + 2);
      assert.equal(archived.verdict, null);
    });

    test('unreviewed offers are in the unfiltered list only, and not in lists by status, words or title', async () => {
      const id = newAccountId();
      await putSku(store().offers, { accountId: id, skuId: 'new', by: AUTHOR }, '{"product_title":"Red"}', NOW_MS);
      const ids = (filter: Partial<OfferFilter>, sort: OfferSort) =>
        pageThrough(store(), id, { ...NO_FILTER, ...filter, sort, limit: 5, limits: LIST_LIMITS });
      assert.deepEqual(await ids({}, 'newest'), ['new']);
      assert.deepEqual(await ids({}, 'sku'), ['new']);
      assert.deepEqual(await ids({ archived: false, inStock: false }, 'newest'), ['new']);
      assert.deepEqual(await ids({}, 'title'), []);
      assert.deepEqual(await ids({ words: ['red'] }, 'newest'), []);
      assert.deepEqual(await ids({ status: 'missing' }, 'newest'), []);
    });
  });

  test('a child shows the parent of its group while it is in one', async () => {
    const at = await uploadedSkus(store(), ['parent', 'child', 'alone']);
    const parents = async () => {
      const found: (string | null | undefined)[] = [];
      for (const skuId of ['parent', 'child', 'alone', 'never']) {
        found.push(await store().offerList.readGroupParent(at(skuId).accountId, skuId));
      }
      return found;
    };
    assert.deepEqual(await parents(), [null, null, null, undefined]);
    const group = { refinements: '[]', title: null, childrenSkus: ['child'] };
    await putGroup(store().offers, at('parent'), group, NOW_MS);
    assert.deepEqual(await parents(), [null, 'parent', null, undefined]);
    await putGroup(store().offers, at('alone'), group, NOW_MS);
    assert.deepEqual(await parents(), [null, 'alone', null, undefined]);
    assert.equal(await store().offerList.readGroupParent(newAccountId(), 'child'), undefined);
  });

  describe('the list entry of an offer', () => {
    test('is replaced by the next verdict, words included', async () => {
      const id = newAccountId();
      const offer = { ...knownOffer(1), skuId: 'a', words: ['red', 'shirt'] };
      await upload(store(), id, offer);
      await reviewAs(store(), id, [offer]);
      await putSku(store().offers, { accountId: id, skuId: 'a', by: AUTHOR }, '{}', NOW_MS);
      const next: Known = {
        ...offer,
        words: ['blue', 'shirt'],
        status: 'excluded',
        subStatuses: [],
        categoryId: '8',
        titleKey: 'z',
      };
      await reviewAs(store(), id, [next]);
      const ids = (filter: Partial<OfferFilter>) =>
        pageThrough(store(), id, { ...NO_FILTER, ...filter, sort: 'newest', limit: 5, limits: LIST_LIMITS });
      assert.deepEqual(await ids({ words: ['red'] }), []);
      assert.deepEqual(await ids({ status: offer.status }), []);
      assert.deepEqual(await ids({ categoryId: offer.categoryId ?? '' }), []);
      const found = { words: ['blue', 'sh'], status: 'excluded', categoryId: '8' } as const;
      assert.deepEqual(await ids(found), ['a']);
    });

    test('is found by exactly its words when those of half of the offers change in one commit, again and again', async () => {
      const id = newAccountId();
      const words = ['acme', 'again', 'b01', 'potter', 'red', 'redwood', 'shirt', 'sons', 'x1', 'zed'];
      const offerIn = (round: number, position: number): Known => {
        const own = words.filter((_word, number) => (position * 7 + round * 5 + number * 3) % 11 < 4);
        return { ...knownOffer(1), skuId: `sku-${position}`, words: own };
      };
      let offers = Array.from({ length: 40 }, (_, position) => offerIn(0, position));
      for (const offer of offers) await upload(store(), id, offer);
      for (let round = 0; round < 6; round++) {
        const isChanged = (position: number) => (position * 3 + round * 7 + (position >> 2)) % 2 === 0;
        offers = offers.map((offer, position) => (isChanged(position) ? offerIn(round, position) : offer));
        const changed = offers.filter((_, position) => isChanged(position)).map(({ skuId }) => skuId);
        await store().review.markDue(id, changed);
        await reviewAs(store(), id, offers);
        for (const word of words) {
          const request = { ...NO_FILTER, words: [word], sort: 'price', limit: 50, limits: LIST_LIMITS } as const;
          const found = await pageThrough(store(), id, request);
          const expected = offers.filter((offer) => offer.words.some((own) => own.startsWith(word)));
          assert.deepEqual(found.toSorted(), expected.map(({ skuId }) => skuId).sort(), `${word} in round ${round}`);
        }
      }
    });
  });
}

const FILTERS: readonly OfferFilter[] = [
  {},
  { status: 'missing' },
  { status: 'archived' },
  { subStatus: 'Missing title' },
  { subStatus: 'Additional SKU ID needed' },
  { categoryId: '9223372036854775807' },
  { categoryId: 'none' },
  { inStock: true },
  { inStock: false },
  { archived: true },
  { archived: false, inStock: true },
  { words: ['red'] },
  { words: ['redw'] },
  { words: ['0', 'sh'] },
  { words: ['é'] },
  { words: ['r', 's'] },
  { words: ['s', '0', 'redwood', 'é'], inStock: true },
  { words: ['redw', '01', 'ét', 'shirt', 'ß', 'red'] },
  { words: ['nothing'] },
  { words: ['red'], status: 'available', categoryId: '7' },
  { status: 'missing', subStatus: 'Missing price', categoryId: '7' },
  { words: ['shirt', 'ß'], archived: true, inStock: false },
  { status: 'review', archived: false },
  { upcoming: [0] },
  { upcoming: [1] },
  { upcoming: [0, 1], archived: false },
  { upcoming: [0, 1], words: ['red'], status: 'missing' },
  { upcoming: [1_000_000] },
  { upcoming: [] },
].map((some) => ({ ...NO_FILTER, ...some }) as OfferFilter);

function fits(offer: Known, filter: OfferFilter): boolean {
  return (
    filter.words.every((word) => offer.words.some((own) => own.startsWith(word))) &&
    (filter.status === undefined || offer.status === filter.status) &&
    (filter.subStatus === undefined || offer.subStatuses.includes(filter.subStatus)) &&
    (filter.categoryId === undefined || offer.categoryId === filter.categoryId) &&
    (filter.inStock === undefined || (offer.inStock && !offer.archived) === filter.inStock) &&
    (filter.archived === undefined || offer.archived === filter.archived) &&
    (filter.upcoming === undefined || offer.upcoming.some((change) => filter.upcoming?.includes(change)))
  );
}

function byOrder(sort: OfferSort): (one: Known, other: Known) => number {
  const sign = sort === 'newest' || sort.startsWith('-') ? -1 : 1;
  const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return (one, other) => {
    const byKey = {
      sku: () => bytes(one.skuId, other.skuId),
      title: () => bytes(one.titleKey, other.titleKey),
      status: () => bytes(one.status, other.status),
      // Offers without a price are last in both directions.
      price: () => (one.price ?? sign * 1e15) - (other.price ?? sign * 1e15),
      stock: () => currentStock(one) - currentStock(other),
      updated: () => one.changedMs - other.changedMs,
      newest: () => 0,
      oldest: () => 0,
    }[sort.replace('-', '') as 'sku']();
    return sign * (byKey === 0 ? one.upload - other.upload : byKey);
  };
}

/** Writes the rows in slices of the maximum size. */
async function writeRows(
  store: Store,
  type: FileType,
  accountId: number,
  positions: readonly number[],
  row: (position: number) => PartWrite,
): Promise<void> {
  const file = await startedFile(store, type, accountId);
  const slice = Math.floor(store.files.slice_rows_max / store.files.upload_weight);
  for (let from = 0; from < positions.length; from += slice) {
    await applied(store, file, ...positions.slice(from, from + slice).map(row));
  }
}

function currentStock(offer: Known): number {
  return offer.archived ? 0 : stockOf(offer);
}

async function pageThrough(
  store: Store,
  accountId: number,
  request: Omit<OfferListRequest, 'after'>,
): Promise<string[]> {
  const found: string[] = [];
  let after: ListPosition | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const { offers, next } = await store.offerList.listOffers(accountId, { ...request, after });
    assert.ok(offers.length <= request.limit);
    found.push(...offers.map(({ skuId }) => skuId));
    if (next === undefined) return found;
    after = next;
  }
  return assert.fail('The list does not end.');
}
