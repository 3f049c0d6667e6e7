/** Tests which products of the catalog identify the product of an offer; review-offer.test.ts tests those of other brands. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownProduct } from '../catalog.ts';
import { reviewOffer } from '../review-offer.ts';
import {
  GARLIC,
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_FACTS,
  HOME,
  KNOWLEDGE,
  NAMES,
  POT_PRODUCT,
  UPC_CODE,
} from '../testing/good-offer.ts';

const ASIN = 'B00ABCD123';
const ASIN_CODE = `asin:${ASIN}` as const;

function catalogCheck(change: object, products: readonly KnownProduct[]) {
  const facts = { ...GOOD_FACTS, document: { ...GOOD_DOCUMENT, ...change } };
  const evidence = { ...GOOD_EVIDENCE, catalog: { codes: [UPC_CODE, ASIN_CODE], products } };
  const { checks, subStatuses } = reviewOffer(facts, KNOWLEDGE, evidence, NAMES);
  const found = checks.find(({ check }) => check === 'catalog');
  assert.equal(found?.state === 'failed', subStatuses.includes('Additional SKU ID needed'));
  return { state: found?.state, next: found?.next, remedy: found?.remedy };
}

const PASSED = { state: 'passed', next: null, remedy: null };
const product = (code: KnownProduct['code'], title: string, origin: KnownProduct['origin'] = 'offer') => {
  return { ...POT_PRODUCT, code, title, origin };
};

describe('codes of several products', () => {
  it('fail if their titles differ in more than letter case, spacing and punctuation', () => {
    assert.deepEqual(catalogCheck({ ASIN }, [product(UPC_CODE, 'A pot'), product(ASIN_CODE, 'A pan')]), {
      state: 'failed',
      next: 'merchant',
      remedy:
        'In the catalog, the product codes belong to different products: gtin:00012345678905 is "A pot", ' +
        'asin:B00ABCD123 is "A pan". Remove the codes of other products. ' +
        'If all are right, ask the marketplace to correct its catalog.',
    });
    assert.deepEqual(catalogCheck({ ASIN }, [product(UPC_CODE, 'A pot'), product(ASIN_CODE, 'a  POT.')]), PASSED);
    assert.deepEqual(catalogCheck({ ASIN }, [product(UPC_CODE, 'A pot')]), PASSED, 'the other code is unknown');
    assert.deepEqual(catalogCheck({}, [product(UPC_CODE, 'A pot'), product(ASIN_CODE, 'A pan')]), PASSED, 'not sent');
  });

  it('are compared only with products of the same origin', () => {
    const two = (one: KnownProduct['origin'], other: KnownProduct['origin']) =>
      catalogCheck({ ASIN }, [product(UPC_CODE, 'A pot', one), product(ASIN_CODE, 'A pan', other)]).state;
    assert.deepEqual([two('operator', 'operator'), two('operator', 'offer')], ['failed', 'passed']);
  });
});

describe('an ASIN alone', () => {
  const alone = { standard_product_codes: [], ASIN: ASIN.toLowerCase() };

  it('fails if the catalog does not know it and the category asks for another code', () => {
    const needed = {
      state: 'failed',
      next: 'merchant',
      remedy: 'The catalog does not know this ASIN. Add another product code, such as a UPC, EAN, GTIN-14 or ISBN.',
    };
    assert.deepEqual(catalogCheck(alone, []), needed);
    const wrong = { standard_product_code_type: 'UPC', standard_product_code: '012345678906' };
    assert.deepEqual(catalogCheck({ ASIN, standard_product_codes: [wrong] }, []), needed, 'wrong codes do not count');
  });

  it('passes if the catalog knows it, with a code, or if the category asks for none', () => {
    assert.deepEqual(catalogCheck(alone, [product(ASIN_CODE, 'A pot')]), PASSED);
    assert.deepEqual(catalogCheck({ ASIN }, []), PASSED);
    assert.deepEqual(catalogCheck({ ...alone, marketplace_browse_node_id: GARLIC }, []), PASSED);
    assert.deepEqual(catalogCheck({ ...alone, marketplace_browse_node_id: HOME }, []), PASSED, 'no usable category');
  });
});
