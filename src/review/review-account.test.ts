/** Tests review-account.ts with an in-memory store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../domain/account.ts';
import type { GroupStanding } from '../domain/offers/variation-group.ts';
import type { KnownProduct } from '../domain/review/catalog.ts';
import type { Evidence } from '../domain/review/facts.ts';
import { NO_POLICIES } from '../domain/review/policies.ts';
import {
  BAD_IMAGE,
  GOOD_DOCUMENT,
  GOOD_IMAGE,
  KNOWLEDGE,
  MAIN_IMAGE,
  POT_PRODUCT,
  POTS,
  SHIRTS,
  SIZE,
  UPC_CODE,
  without,
} from '../domain/review/testing/good-offer.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import type { StoredImage } from '../store/port/images.ts';
import type { DueOffer, OfferReview } from '../store/port/review.ts';
import { PlaceholderList } from './images/placeholder-list.ts';
import { type ReviewAccountParts, reviewAccount } from './review-account.ts';

const NOW_MS = Date.UTC(2026, 0, 31);
const DAY_MS = 86_400_000;
const ACCOUNT = {
  ...KNOWLEDGE.account,
  accountId: 7,
  environment: 'live',
} as unknown as Account;

function due(skuId: string, change: Partial<DueOffer> & { readonly fields?: object } = {}): DueOffer {
  const { fields = GOOD_DOCUMENT, ...rest } = change;
  return {
    skuId,
    mark: 1,
    document: JSON.stringify(fields),
    archived: false,
    priced: true,
    stockNodeIds: [],
    inGroup: false,
    evidence: {},
    ...rest,
  };
}

const image = (evidence: object, reviewedMs: number): StoredImage => ({
  address: MAIN_IMAGE,
  evidence: evidence as StoredImage['evidence'],
  reviewedMs,
  etag: null,
});

interface World {
  readonly due: DueOffer[];
  readonly products?: readonly KnownProduct[];
  readonly groups?: readonly GroupStanding[];
  readonly images?: readonly StoredImage[];
  readonly imageCheck?: 'on' | 'off';
  readonly areOwn?: boolean;
  readonly batch?: number;
  readonly slice_ms_max?: number;
  readonly isBrief?: boolean;
}

function run({
  due: queue,
  products = [],
  groups = [],
  images = [],
  imageCheck = 'on',
  areOwn = true,
  ...limits
}: World) {
  const calls: string[] = [];
  /** Separate from the other calls, because catalog calls run at the same time. */
  const imageCalls: string[] = [];
  const stored: OfferReview[] = [];
  const wanted: string[] = [];
  const catalog = new Map(products.map((product) => [product.code, product]));
  const store: ReviewAccountParts['store'] = {
    review: {
      async readDueOffers(_accountId, limit) {
        return queue.slice(0, limit);
      },
      async storeReviews(_accountId, reviews) {
        calls.push('store');
        imageCalls.push('store');
        stored.push(...reviews);
        queue.splice(0, reviews.length);
      },
      async readGroupsOf(_accountId, skuIds) {
        return groups.filter(({ members }) => members.some(({ skuId }) => skuIds.includes(skuId)));
      },
      noteUpcoming: () => assert.fail('No change is announced.'),
      markDue: async (_accountId, skuIds) => void calls.push(`mark ${skuIds.join()}`),
    },
    catalog: {
      async readProducts(_environment, codes) {
        calls.push('read products');
        return codes.flatMap((code) => catalog.get(code) ?? []);
      },
      async addProducts(_environment, added) {
        calls.push(`add ${added.map(({ code, brand }) => `${code} ${brand}`).join()}`);
        for (const product of added) if (!catalog.has(product.code)) catalog.set(product.code, product);
        return added.flatMap(({ code }) => catalog.get(code) ?? []);
      },
      async noteCatalogUsers(_environment, noted) {
        calls.push(`note ${noted.map(({ skuId }) => skuId).join()}`);
      },
      async forgetCatalogUsers(outdated) {
        calls.push(`forget ${outdated.map(({ accountId, skuId, code }) => `${accountId} ${skuId} ${code}`).join()}`);
      },
      async settleCatalogNews(_environment, codes) {
        calls.push(`settle ${codes.join()}`);
      },
    },
    images: {
      async readImages(addresses) {
        imageCalls.push('read');
        return images.filter(({ address }) => addresses.includes(address));
      },
      async noteImageUsers(users) {
        imageCalls.push(`note ${users.map(({ skuId, address }) => `${skuId} ${address}`).join()}`);
      },
      async forgetImageUsers(users) {
        imageCalls.push(`forget ${users.map(({ skuId, address }) => `${skuId} ${address}`).join()}`);
      },
      async wantImages(wants) {
        calls.push('want');
        wanted.push(...wants.map(({ skuId, address }) => `${skuId} ${address}`));
      },
    },
  };
  const { batch = 10, slice_ms_max = 60_000, isBrief = false } = limits;
  const taxonomy = { current: { tree: KNOWLEDGE.taxonomy, tag: '' } as unknown as TaggedTaxonomy };
  const policies = { current: NO_POLICIES };
  const handler = reviewAccount({
    store,
    setup: {
      rules: { taxonomy, policies, imageCheck, newProductData: [], code: '' },
      activeRules: { areOwn, hold: async () => {} },
      placeholders: () => new PlaceholderList([]),
      account: async () => ACCOUNT,
      follow: async () => void calls.push('follow'),
    },
    nowMs: () => NOW_MS,
    image_recheck_ms: 30 * DAY_MS,
    onReviewed: () => {},
    onImagesWanted: () => {},
    batch_offers_max: batch,
    slice_ms_max,
    isBrief,
  });
  const work = { accountId: 7, fence: 1, signal: new AbortController().signal };
  return { calls, imageCalls, stored, wanted, next: handler(work) };
}

const FRESH = [image(GOOD_IMAGE, NOW_MS - DAY_MS)];

const SHIRT = {
  ...GOOD_DOCUMENT,
  marketplace_browse_node_id: SHIRTS,
  attributes_node_specific: [{ attribute_id: SIZE, attribute_value: 'M' }],
};

type Member = GroupStanding['members'][number];

/** All offers are reviewed with their current roles, and none is due. */
function standing(parentSkuId: string, members: Readonly<Record<string, Partial<Member>>>): GroupStanding {
  return {
    parentSkuId,
    members: Object.entries(members).map(([skuId, member]) => {
      const { leftOut = null } = member;
      return { skuId, due: false, leftOut, reviewed: { parent: parentSkuId, leftOut }, ...member };
    }),
  };
}

const REPEATED = { why: 'values_repeated', of: 'parent' } as const;
const OTHER_BRAND = { why: 'brand_differs' } as const;
const marked = (calls: readonly string[]) => calls.filter((call) => call.startsWith('mark'));

describe('review of an account', () => {
  const world = { products: [POT_PRODUCT], images: FRESH };
  const member = (skuId: string, change: Partial<DueOffer> = {}) =>
    due(skuId, { fields: SHIRT, inGroup: true, ...change });
  const inGroup = (parent: string) => ({ group: { parent, leftOut: null } });

  it('reviews group members by who is excluded, and stores their roles', async () => {
    const group = standing('parent', { parent: {}, a: { due: true, leftOut: REPEATED }, b: { due: true } });
    const { next, stored } = run({ due: [member('a'), member('b')], groups: [group], ...world });
    await next;
    assert.deepEqual(
      stored.map(({ subStatuses, evidence }) => [subStatuses, evidence.group]),
      [
        [['Missing variation information'], { parent: 'parent', leftOut: REPEATED }],
        [[], { parent: 'parent', leftOut: null }],
      ],
    );
  });

  it('re-reviews other members whose role changed, unless they are due or in this batch', async () => {
    const wrong = { parent: 'parent', leftOut: OTHER_BRAND };
    const group = standing('parent', {
      parent: { reviewed: wrong },
      right: { leftOut: REPEATED },
      due: { due: true, reviewed: wrong },
      now: { due: true, reviewed: wrong },
      'reviewed meanwhile': { reviewed: wrong },
      'repeats another': { leftOut: REPEATED, reviewed: { parent: 'parent', leftOut: { ...REPEATED, of: 'due' } } },
      'of another group': { reviewed: { parent: 'other', leftOut: null } },
      'of no group': { reviewed: null },
    });
    const { next, calls } = run({ due: [member('now'), member('reviewed meanwhile')], groups: [group], ...world });
    await next;
    assert.deepEqual(marked(calls), ['mark parent,repeats another,of another group,of no group']);
    assert.ok(calls.indexOf(marked(calls)[0] ?? '') < calls.indexOf('store'));
  });

  it('re-reviews a member after a change that was reverted before its review', async () => {
    const evidence = inGroup('parent');
    const sawOther = { reviewed: { parent: 'parent', leftOut: OTHER_BRAND } };
    const takenBack = standing('parent', { parent: { due: true }, child: sawOther });
    const { next, calls } = run({ due: [member('parent', { evidence })], groups: [takenBack], ...world });
    await next;
    assert.deepEqual(marked(calls), ['mark child']);

    const seen = standing('parent', { parent: { due: true }, child: {} });
    const again = run({ due: [member('parent', { evidence })], groups: [seen], ...world });
    await again.next;
    assert.deepEqual(marked(again.calls), []);
  });

  it('re-reviews members of a group that an offer has left', async () => {
    const repeated = { reviewed: { parent: 'old', leftOut: { ...REPEATED, of: 'gone' } } };
    const left = standing('old', { old: {}, a: repeated, b: {} });
    const joined = standing('new', { new: { due: true }, gone: { due: true } });
    for (const gone of [member('gone'), due('gone', { fields: SHIRT })]) {
      const groups = gone.inGroup ? [left, joined] : [left];
      const { next, calls } = run({ due: [{ ...gone, evidence: inGroup('old') }], groups, ...world });
      await next;
      assert.deepEqual(marked(calls), ['mark a']);
    }
  });

  it('re-reviews an excluded member if the one that it repeats could leave before its own review', async () => {
    const repeating = (first: Partial<Member>) => {
      const last = { due: true, leftOut: { ...REPEATED, of: 'first' } };
      return { groups: [standing('parent', { parent: {}, first: { due: true, ...first }, last })], ...world };
    };
    const isMarked = async (batch: readonly string[], first: Partial<Member>) => {
      const { next, calls } = run({ due: batch.map((skuId) => member(skuId)), ...repeating(first) });
      await next;
      return marked(calls).includes('mark last');
    };
    assert.ok(await isMarked(['last'], { reviewed: null }));
    assert.ok(await isMarked(['last'], { reviewed: { parent: 'other', leftOut: null } }));
    assert.ok(!(await isMarked(['last'], {})), 'its review marks the group that it left');
    assert.ok(!(await isMarked(['last', 'first'], { reviewed: null })), 'reviewed in the same batch');
  });

  it('reviews due offers and reports that none is left', async () => {
    const { next, stored, calls, wanted } = run({ due: [due('a')], products: [POT_PRODUCT], images: FRESH });
    assert.equal(await next, undefined);
    assert.deepEqual(
      stored.map(({ skuId, mark, status, subStatuses }) => [skuId, mark, status, subStatuses]),
      [['a', 1, 'available', []]],
    );
    assert.deepEqual(wanted, []);
    assert.deepEqual(calls, ['follow', 'note a', 'read products', 'store']);
    const evidence = stored[0]?.evidence;
    assert.deepEqual(evidence?.catalog, { codes: [UPC_CODE], products: [POT_PRODUCT] });
    assert.equal(evidence?.images?.[MAIN_IMAGE]?.verdict, 'passed');
  });

  it('returns the account with more to do after its time limit, or after one batch if it is brief', async () => {
    const offers = Array.from({ length: 5 }, (_, index) => due(`sku-${index}`));
    const world = { due: offers, products: [POT_PRODUCT], images: FRESH, batch: 2 };
    for (const limit of [{ slice_ms_max: 0 }, { isBrief: true }]) {
      const { next, stored } = run({ ...world, ...limit, due: [...offers] });
      assert.equal(await next, 0);
      assert.equal(stored.length, 2);
    }
    const all = run(world);
    assert.equal(await all.next, undefined);
    assert.equal(all.stored.length, 5);
  });

  it('leaves all offers to other processes while other rules are active, checked after reading due offers', async () => {
    const { next, calls } = run({ due: [due('a')], areOwn: false });
    assert.equal(await next, 0);
    assert.deepEqual(calls, ['follow']);
  });

  it('stops when the lease is lost', async () => {
    const { calls, next } = run({ due: [] });
    assert.equal(await next, undefined);
    assert.deepEqual(calls, []);
  });

  it('adds products to the catalog from the first offer of a code, before the others of the batch use them', async () => {
    const other = { ...GOOD_DOCUMENT, brand: 'Other' };
    const { next, stored, calls } = run({ due: [due('a'), due('b', { fields: other })], images: FRESH });
    await next;
    assert.deepEqual(
      calls.filter((call) => call.startsWith('add')),
      [`add ${UPC_CODE} Potter`],
    );
    assert.deepEqual(
      stored.map(({ subStatuses }) => subStatuses),
      [[], ['Additional SKU ID needed']],
    );
  });

  it('adds no product of an offer that is archived, has no brand or category, or has a wrong code', async () => {
    const asin = { ASIN: 'B00ABCDEF1' };
    for (const [offer, products] of [
      [due('a', { archived: true }), []],
      [due('a', { fields: { ...GOOD_DOCUMENT, brand: ' ' } }), []],
      [due('a', { fields: without('marketplace_browse_node_id') }), []],
      [due('a', { fields: { ...GOOD_DOCUMENT, ...asin, brand: 'Other' } }), [{ ...POT_PRODUCT, origin: 'operator' }]],
    ] as const) {
      const { next, calls } = run({ due: [offer], products, images: FRESH });
      await next;
      assert.deepEqual(
        calls.filter((call) => call.startsWith('add')),
        [],
      );
    }
  });

  it('submits its own product for a code that has another brand, for the database to decide', async () => {
    const fields = { ...GOOD_DOCUMENT, ASIN: 'B00ABCDEF1', brand: 'Other' };
    const { next, calls, stored } = run({ due: [due('a', { fields })], products: [POT_PRODUCT], images: FRESH });
    await next;
    assert.ok(calls.includes(`add ${UPC_CODE} Other`));
    assert.deepEqual(stored[0]?.subStatuses, ['Additional SKU ID needed']);
    const archived = run({ due: [due('a', { fields, archived: true })], products: [POT_PRODUCT], images: FRESH });
    await archived.next;
    assert.ok(!archived.calls.some((call) => call.startsWith('add')));
  });

  it('re-reviews offers that found nothing under a code, once the product exists', async () => {
    const { next, calls } = run({ due: [due('a')], images: FRESH });
    await next;
    assert.deepEqual(calls.slice(3), [`add ${UPC_CODE} Potter`, `settle ${UPC_CODE}`, 'store']);
  });

  it('re-reviews nothing for a product that the database did not accept', async () => {
    const fields = { ...GOOD_DOCUMENT, brand: 'Other' };
    const { next, calls } = run({ due: [due('a', { fields })], products: [POT_PRODUCT], images: FRESH });
    await next;
    assert.deepEqual(calls.slice(3), [`add ${UPC_CODE} Other`, 'store']);
  });

  it('registers users once', async () => {
    const evidence = { catalog: { codes: [UPC_CODE], products: [] } };
    const { next, calls } = run({ due: [due('a', { evidence })], products: [POT_PRODUCT], images: FRESH });
    await next;
    assert.deepEqual(calls, ['follow', 'read products', 'store']);
  });

  it('unregisters codes that an offer no longer has, after its evidence is stored', async () => {
    const evidence: Evidence = { catalog: { codes: ['gtin:00000000000017', UPC_CODE], products: [] } };
    const { next, calls } = run({ due: [due('a', { evidence })], products: [POT_PRODUCT], images: FRESH });
    await next;
    assert.deepEqual(calls, ['follow', 'read products', 'store', 'forget 7 a gtin:00000000000017']);
  });

  it('uses the catalog category for an offer without one', async () => {
    const fields = without('marketplace_browse_node_id');
    const { next, stored } = run({ due: [due('a', { fields })], products: [POT_PRODUCT], images: FRESH });
    await next;
    assert.equal(POT_PRODUCT.categoryId, POTS);
    assert.equal(stored[0]?.status, 'available');
  });

  it('queues unchecked images before it stores that the offer waits for them', async () => {
    const { next, stored, wanted, calls } = run({ due: [due('a')], products: [POT_PRODUCT] });
    await next;
    assert.equal(stored[0]?.status, 'review');
    assert.deepEqual(wanted, [`a ${MAIN_IMAGE}`]);
    assert.ok(calls.indexOf('want') < calls.indexOf('store'));
  });

  it('queues images again after 30 days, and uses the earlier result until then', async () => {
    for (const [age_ms, expected] of [
      [30 * DAY_MS - 1, []],
      [30 * DAY_MS, [`a ${MAIN_IMAGE}`]],
    ] as const) {
      const images = [image(BAD_IMAGE, NOW_MS - age_ms)];
      const { next, stored, wanted } = run({ due: [due('a')], products: [POT_PRODUCT], images });
      await next;
      assert.deepEqual([stored[0]?.status, stored[0]?.subStatuses], ['missing', ['Missing image']]);
      assert.deepEqual(wanted, expected);
    }
  });

  it('registers an offer as user of a known image once, before it reads the result', async () => {
    const first = run({ due: [due('a')], products: [POT_PRODUCT], images: FRESH });
    await first.next;
    assert.deepEqual(first.imageCalls, ['read', `note a ${MAIN_IMAGE}`, 'read', 'store']);
    const evidence = first.stored[0]?.evidence ?? assert.fail();
    assert.equal(evidence.imagesNoted, true);
    const again = run({ due: [due('a', { evidence })], products: [POT_PRODUCT], images: FRESH });
    await again.next;
    assert.deepEqual(again.imageCalls, ['read', 'store']);
    const { imagesNoted, ...older } = evidence;
    const upgraded = run({ due: [due('a', { evidence: older })], images: FRESH });
    await upgraded.next;
    assert.deepEqual(upgraded.imageCalls, ['read', `note a ${MAIN_IMAGE}`, 'read', 'store']);
    assert.equal(imagesNoted, true);
  });

  it('registers no user for an image that is waited for', async () => {
    const { next, imageCalls } = run({ due: [due('a')], products: [POT_PRODUCT] });
    await next;
    assert.deepEqual(imageCalls, ['read', 'store']);
  });

  it('unregisters images that an offer no longer shows, or all if checks are off, after the result is stored', async () => {
    const gone = 'https://gone.example/a.jpg';
    const images = { [gone]: { verdict: 'passed' }, [MAIN_IMAGE]: { verdict: 'passed' } } as const;
    const evidence: Evidence = { images, imagesNoted: true };
    const other = run({ due: [due('a', { evidence })], products: [POT_PRODUCT], images: FRESH });
    await other.next;
    assert.deepEqual(other.imageCalls, ['read', 'store', `forget a ${gone}`]);
    const off = run({ due: [due('a', { evidence })], products: [POT_PRODUCT], imageCheck: 'off' });
    await off.next;
    assert.deepEqual(off.imageCalls, ['store', `forget a ${gone},a ${MAIN_IMAGE}`]);
  });

  it('queues no images of archived offers, or if checks are off', async () => {
    const worlds: readonly World[] = [{ due: [due('a', { archived: true })] }, { due: [due('a')], imageCheck: 'off' }];
    for (const world of worlds) {
      const { next, wanted } = run({ ...world, products: [POT_PRODUCT] });
      await next;
      assert.deepEqual(wanted, []);
    }
  });
});
