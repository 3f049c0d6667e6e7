/** Tests which data an offer needs if the catalog does not know its product: by category, by default, and none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeEntry } from '../../taxonomy/entries.ts';
import { TaxonomyBuilder } from '../../taxonomy/tree.ts';
import { PRODUCT_DATA } from '../../vocabulary/product-data.ts';
import type { CatalogEvidence } from '../catalog.ts';
import type { ReviewKnowledge } from '../facts.ts';
import { reviewOffer } from '../review-offer.ts';
import {
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_FACTS,
  KNOWLEDGE,
  NAMES,
  POT_PRODUCT,
  UPC_CODE,
} from '../testing/good-offer.ts';

const ALL = 1;
const NONE = 2;
const UNSAID = 3;
const builder = new TaxonomyBuilder();
builder.add(nodeEntry({ node: ALL, name: 'All', new_product_data: PRODUCT_DATA }));
builder.add(nodeEntry({ node: NONE, name: 'None', new_product_data: [] }));
builder.add(nodeEntry({ node: UNSAID, name: 'Unsaid' }));
const taxonomy = builder.build();

const UNKNOWN: CatalogEvidence = { codes: [UPC_CODE], products: [] };
const DATA = { manufacturer: 'M', product_description: 'D', mfr_part_number: 'N', bullets: ['B'] };

function productData(category: number, data: object = {}, rules: Partial<ReviewKnowledge> = {}, catalog = UNKNOWN) {
  const document = { ...GOOD_DOCUMENT, marketplace_browse_node_id: category, ...data };
  const knowledge = { ...KNOWLEDGE, taxonomy, ...rules };
  const evidence = { ...GOOD_EVIDENCE, catalog };
  const { checks, subStatuses } = reviewOffer({ ...GOOD_FACTS, document }, knowledge, evidence, NAMES);
  const found = checks.find(({ check }) => check === 'product_data');
  assert.equal(found?.state === 'failed', subStatuses.includes('Missing attribute value'));
  return found ?? assert.fail('no check');
}

describe('data of a product that the catalog does not know', () => {
  it('is required by the category, and the review names the missing fields', () => {
    assert.deepEqual(productData(ALL, { manufacturer: ' ', bullets: [], mfr_part_number: 'N' }), {
      check: 'product_data',
      state: 'failed',
      code: 'missing_product_data',
      subStatus: 'Missing attribute value',
      evidence: { required: PRODUCT_DATA, missing: ['manufacturer', 'product_description', 'bullets'] },
      next: 'merchant',
      remedy:
        'The catalog does not know this product. Add its manufacturer, description (product_description), bullets.',
    });
    assert.equal(productData(ALL, DATA).state, 'passed');
    for (const field of PRODUCT_DATA) {
      assert.deepEqual(productData(ALL, { ...DATA, [field]: undefined }).evidence.missing, [field]);
    }
  });

  it('is required by the marketplace in categories without a rule of their own', () => {
    const rules = { newProductData: ['mfr_part_number'] } as const;
    assert.deepEqual(productData(UNSAID, {}, rules).evidence.missing, ['mfr_part_number']);
    assert.equal(productData(UNSAID, DATA, rules).state, 'passed');
    assert.equal(productData(NONE, {}, rules).state, 'skipped');
  });

  it('is not required if the catalog knows the product or cannot look it up, or without a rule or a category', () => {
    const checks = [
      productData(ALL, {}, {}, { codes: [UPC_CODE], products: [POT_PRODUCT] }),
      productData(ALL, { standard_product_codes: [] }),
      productData(UNSAID),
      productData(999),
    ];
    assert.deepEqual(
      checks.map(({ state, evidence }) => [state, evidence.reason]),
      [
        ['skipped', 'The catalog knows the product.'],
        ['skipped', 'The offer has no valid product code.'],
        ['skipped', 'This category requires no data of new products.'],
        ['skipped', 'The offer has no valid category yet.'],
      ],
    );
  });

  it('waits for the catalog', () => {
    const { state, next, remedy } = productData(ALL, {}, {}, { codes: [], products: [] });
    assert.deepEqual([state, next, remedy], ['pending', 'marketplace', 'Checking the catalog. No action needed.']);
  });
});
