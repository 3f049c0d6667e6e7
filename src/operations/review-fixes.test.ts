/** Tests review-fixes.ts with a catalog that does not respond, and which members of a variation group it reads. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../domain/account.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import { NO_POLICIES } from '../domain/review/policies.ts';
import { GOOD_DOCUMENT, GOOD_EVIDENCE, HOME, KNOWLEDGE, POTS, UPC_CODE } from '../domain/review/testing/good-offer.ts';
import { clearableOf } from '../store/contract/put-parts.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { SkuKey } from '../store/port/offers.ts';
import type { Context } from './context.ts';
import { readReview } from './read-review.ts';

const WRONG_CODE = { standard_product_code_type: 'UPC', standard_product_code: '012345678906' };
const DOCUMENT = {
  ...GOOD_DOCUMENT,
  product_title: 'A pot with a lid, pack of 2',
  standard_product_codes: [WRONG_CODE],
};
const ACCOUNT = { ...KNOWLEDGE.account, accountId: 7, environment: 'live' } as Account;

const OFFER = {
  document: JSON.stringify(DOCUMENT),
  archived: false,
  priced: true,
  clearable: clearableOf(),
  group: null,
  inGroup: false,
  stockNodeIds: [],
  evidence: GOOD_EVIDENCE,
};

function contextWith(
  offer: object,
  readProducts: () => Promise<unknown>,
  readReviewedOffer?: (key: SkuKey) => unknown,
) {
  return {
    names: new Names(NEUTRAL_NAMES),
    rules: {
      taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: 'first' } },
      policies: { current: NO_POLICIES },
      imageCheck: 'off',
      newProductData: [],
    },
    store: {
      offers: { readOffer: async () => offer, readReviewedOffer },
      catalog: { readProducts },
      images: {},
    },
  } as unknown as Context;
}

async function readWith(error: Error) {
  const context = contextWith(OFFER, () => Promise.reject(error));
  const read = await readReview(context, ACCOUNT, 'pot');
  return read.ok ? read.value : undefined;
}

it('a review is complete while the catalog is down, with the fixes that do not need it', async () => {
  const review = await readWith(new StoreUnavailableError('down'));
  assert.equal(review?.checks.find(({ check }) => check === 'product_codes')?.state, 'failed');
  assert.deepEqual(
    review.fixes.map(({ kind }) => kind),
    ['multipack_quantity'],
  );
});

it('another failure of the catalog fails the review', async () => {
  await assert.rejects(readWith(new TypeError('a bug')), TypeError);
});

/** Reads an offer with a category that is too broad, in a group with these other members. */
async function fixesInGroup(others: readonly string[], change: { group?: object; inGroup?: boolean } = {}) {
  const groupOf = (childrenSkus: readonly string[]) => ({ refinements: '[]', title: null, childrenSkus });
  const read: string[] = [];
  const offer = {
    ...OFFER,
    document: JSON.stringify({ ...GOOD_DOCUMENT, marketplace_browse_node_id: HOME }),
    inGroup: true,
    evidence: {
      ...GOOD_EVIDENCE,
      catalog: { codes: [UPC_CODE], products: [] },
      group: { parent: 'parent', leftOut: null },
    },
    ...change,
  };
  const context = contextWith(
    offer,
    async () => [],
    async ({ skuId }) => {
      read.push(skuId);
      return {
        document: JSON.stringify({ ...GOOD_DOCUMENT, marketplace_browse_node_id: skuId.startsWith('pan') ? 5 : POTS }),
        group: skuId === 'parent' ? groupOf(others) : null,
        verdict: skuId.startsWith('due') ? null : { status: skuId.startsWith('held') ? 'unavailable' : 'available' },
      };
    },
  );
  const found = await readReview(context, ACCOUNT, 'pot');
  assert.ok(found.ok);
  return { sources: found.value.fixes.map(({ source }) => source), read };
}

it('fixes of a member come from the live members of its group', async () => {
  assert.deepEqual(await fixesInGroup(['red', 'pot', 'held pan', 'due pan']), {
    sources: ['variation_group'],
    read: ['parent', 'parent', 'red', 'held pan', 'due pan'],
  });
  const { sources } = await fixesInGroup(['red', 'pot', 'pan']);
  assert.deepEqual(sources, [], 'the members differ');
  const own = { refinements: '[]', title: null, childrenSkus: ['red', 'blue'] };
  assert.deepEqual(await fixesInGroup([], { group: own }), { sources: ['variation_group'], read: ['red', 'blue'] });
});

it('at most 8 members are read, and none for an offer that has left its group', async () => {
  const colors = Array.from({ length: 20 }, (_, index) => `color ${index}`);
  assert.equal((await fixesInGroup([...colors, 'pot'])).read.length, 9);
  assert.deepEqual(await fixesInGroup(colors), { sources: [], read: ['parent'] });
  assert.deepEqual(await fixesInGroup([...colors, 'pot'], { inGroup: false }), { sources: [], read: [] });
});
