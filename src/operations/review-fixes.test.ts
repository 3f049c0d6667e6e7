/** Tests review-fixes.ts with a catalog that does not respond. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../domain/account.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import { NO_POLICIES } from '../domain/review/policies.ts';
import { GOOD_DOCUMENT, GOOD_EVIDENCE, KNOWLEDGE } from '../domain/review/testing/good-offer.ts';
import { clearableOf } from '../store/contract/put-parts.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { Context } from './context.ts';
import { readReview } from './read-review.ts';

const WRONG_CODE = { standard_product_code_type: 'UPC', standard_product_code: '012345678906' };
const DOCUMENT = {
  ...GOOD_DOCUMENT,
  product_title: 'A pot with a lid, pack of 2',
  standard_product_codes: [WRONG_CODE],
};
const ACCOUNT = { ...KNOWLEDGE.account, accountId: 7, environment: 'live' } as Account;

async function readWith(error: Error) {
  const offer = {
    document: JSON.stringify(DOCUMENT),
    archived: false,
    priced: true,
    clearable: clearableOf(),
    inGroup: false,
    stockNodeIds: [],
    evidence: GOOD_EVIDENCE,
  };
  const context = {
    names: new Names(NEUTRAL_NAMES),
    rules: {
      taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: 'first' } },
      policies: { current: NO_POLICIES },
      imageCheck: 'off',
      newProductData: [],
    },
    store: {
      offers: { readOffer: async () => offer },
      catalog: { readProducts: () => Promise.reject(error) },
      images: {},
    },
  } as unknown as Context;
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
