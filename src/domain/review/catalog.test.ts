/** Tests catalog.ts: evidence applies to the codes that it names, and a product has one brand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foreignProducts, knownProducts, productOf } from './catalog.ts';
import { GOOD_DOCUMENT, POT_PRODUCT, POTS, UPC_CODE } from './testing/good-offer.ts';

const ASIN = 'asin:B00ABCD123';

describe('knownProducts', () => {
  it('is pending while one of the codes was not looked up', () => {
    assert.equal(knownProducts([UPC_CODE], undefined), 'pending');
    assert.equal(knownProducts([UPC_CODE, ASIN], { codes: [UPC_CODE], products: [POT_PRODUCT] }), 'pending');
  });

  it('returns the products of the current codes in their order, and no others', () => {
    const other = { ...POT_PRODUCT, code: ASIN } as const;
    const evidence = { codes: [UPC_CODE, ASIN], products: [POT_PRODUCT, other] } as const;
    assert.deepEqual(knownProducts([ASIN, UPC_CODE], evidence), [other, POT_PRODUCT]);
    assert.deepEqual(knownProducts([ASIN], evidence), [other]);
    assert.deepEqual(knownProducts([ASIN], { codes: [ASIN], products: [POT_PRODUCT] }), []);
  });

  it('is not pending without a code to look up', () => assert.deepEqual(knownProducts([], undefined), []));
});

describe('foreignProducts', () => {
  it('are products of another brand; spelling differences do not count', () => {
    const tinker = { ...POT_PRODUCT, brand: 'Tinker' };
    assert.deepEqual(foreignProducts('POTTER!', [POT_PRODUCT, tinker]), [tinker]);
    assert.deepEqual(foreignProducts('Potter', [POT_PRODUCT]), []);
  });
});

describe('productOf', () => {
  it('takes brand, title and category from the offer', () => {
    const product = { brand: 'Potter', title: 'A pot with a lid', categoryId: POTS, origin: 'offer' };
    assert.deepEqual(productOf(GOOD_DOCUMENT, POTS), product);
    assert.deepEqual(productOf(GOOD_DOCUMENT, null), { ...product, categoryId: null });
  });

  it('creates no product without a brand or title, because later offers would have to match it', () => {
    assert.equal(productOf({ ...GOOD_DOCUMENT, brand: ' ' }, POTS), undefined);
    assert.equal(productOf({ ...GOOD_DOCUMENT, product_title: '\u200b' }, POTS), undefined);
  });
});
