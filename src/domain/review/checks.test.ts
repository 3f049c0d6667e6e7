/** Tests checks.ts and the check results: stable ids and codes, and useful texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { IMAGE_FAILURES, type ImageFailure } from '../vocabulary/image-failures.ts';
import { SUB_STATUSES } from '../vocabulary/statuses.ts';
import type { UploadedAttribute } from './checks/attributes.ts';
import { CHECKS } from './checks.ts';
import type { Evidence, OfferFacts, ReviewedDocument } from './facts.ts';
import { compilePolicies } from './policies.ts';
import { reviewOffer } from './review-offer.ts';
import {
  BAD_IMAGE,
  CAPACITY,
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_FACTS,
  HOME,
  KNOWLEDGE,
  MAIN_IMAGE,
  NAMES,
  PER_POUND_NODE,
  POT_PRODUCT,
  POTS,
  SHIRTS,
  UPC_CODE,
  without,
} from './testing/good-offer.ts';

describe('the table of checks', () => {
  it('has these ids and codes, which readers rely on', () => {
    assert.deepEqual(
      CHECKS.map(({ id, code, effect }) => [id, code, effect]),
      [
        ['archive', 'archived', 'archived'],
        ['exclusion', 'excluded', 'excluded'],
        ['authorization', 'unauthorized', 'unauthorized'],
        ['title', 'missing_title', 'Missing title'],
        ['brand', 'missing_brand', 'Missing brand'],
        ['product_codes', 'invalid_sku_identifier', 'Invalid SKU identifier'],
        ['catalog', 'additional_sku_id_needed', 'Additional SKU ID needed'],
        ['category', 'missing_category', 'Missing category'],
        ['category_node', 'invalid_category', 'Invalid category'],
        ['attributes', 'missing_attribute_value', 'Missing attribute value'],
        ['product_data', 'missing_product_data', 'Missing attribute value'],
        ['variation_group', 'missing_variation_information', 'Missing variation information'],
        ['multipack_quantity', 'incorrect_multipack_quantity', 'Incorrect multipack quantity'],
        ['main_image', 'missing_image', 'Missing image'],
        ['alternate_images', 'missing_alternate_image', 'Missing image'],
        ['price', 'missing_price', 'Missing price'],
        ['shipping_weight', 'missing_shipping_weight', 'Missing shipping weight'],
      ],
    );
  });

  it('has a check for every sub-status', () => {
    const effects = new Set<string>(CHECKS.map(({ effect }) => effect));
    for (const subStatus of SUB_STATUSES) assert.ok(effects.has(subStatus), subStatus);
  });
});

function said(check: string, facts: Partial<OfferFacts>, evidence: Evidence = GOOD_EVIDENCE, names: Names = NAMES) {
  const policies = compilePolicies([
    { kind: 'excluded_brand', brand: 'Evil' },
    { kind: 'excluded_category', nodeId: SHIRTS },
    { kind: 'excluded_code', code: 'asin:B00ABCD123' },
    { kind: 'restricted_brand', brand: 'Noble', merchantIds: [] },
  ]);
  const { checks } = reviewOffer({ ...GOOD_FACTS, ...facts }, { ...KNOWLEDGE, policies }, evidence, names);
  const found = checks.find((result) => result.check === check);
  assert.equal(found?.state, 'failed');
  return { next: found.next, remedy: found.remedy, evidence: found.evidence };
}

const offer = (document: Partial<ReviewedDocument>) => ({ document: { ...GOOD_DOCUMENT, ...document } });
const capacity = (value: string, unit?: string): UploadedAttribute => ({
  attribute_id: CAPACITY,
  attribute_value: value,
  ...(unit === undefined ? {} : { attribute_value_unit: unit }),
});

describe('remedies', () => {
  it('name the category field in the configured spelling', () => {
    const names = new Names({ ...NEUTRAL_NAMES, marketplace: 'acme' });
    const unknown: Evidence = { ...GOOD_EVIDENCE, catalog: { codes: [UPC_CODE], products: [] } };
    const missing = { document: without('marketplace_browse_node_id') };
    assert.match(said('category', missing, unknown, names).remedy ?? '', /acme_browse_node_id/);
    assert.match(said('category', missing, unknown).remedy ?? '', /marketplace_browse_node_id/);
    const invalid = said('category_node', offer({ marketplace_browse_node_id: HOME }), GOOD_EVIDENCE, names);
    assert.equal(
      invalid.remedy,
      'The category "Home" (100) is too broad. Choose a more specific category (acme_browse_node_id).',
    );
    assert.deepEqual(invalid.evidence, { category: HOME, source: 'acme_browse_node_id', path: ['Home'] });
  });

  it('say how to unarchive a SKU', () => {
    const archived = said('archive', { archived: true });
    assert.deepEqual([archived.next, archived.evidence], ['merchant', { is_archived: true }]);
    assert.match(archived.remedy ?? '', /PUT .*\/status\/archive with is_archived false/);
  });

  it('leave problems that only the marketplace can fix to the marketplace', () => {
    const evil = said('exclusion', offer({ brand: 'EVIL', marketplace_browse_node_id: SHIRTS, ASIN: 'B00abcd123' }));
    assert.equal(evil.next, 'marketplace');
    assert.equal(
      evil.remedy,
      'This marketplace does not sell the brand EVIL, the product with the code asin:B00ABCD123, ' +
        'the category Shirts (201). Only the marketplace can change this.',
    );
    const noble = said('authorization', offer({ brand: 'Noble' }));
    assert.equal(noble.next, 'merchant', 'the merchant asks for the grant');
    assert.deepEqual(noble.evidence, { brand: 'Noble', permission: 'refused' });
    const products = [{ ...POT_PRODUCT, categoryId: 999 }];
    const stray = said(
      'category_node',
      { document: without('marketplace_browse_node_id') },
      { ...GOOD_EVIDENCE, catalog: { codes: [UPC_CODE], products } },
    );
    assert.equal(stray.next, 'marketplace');
    assert.match(stray.remedy ?? '', /^The category 999 is not in the taxonomy\. The marketplace must correct/);
  });

  it('name the code and the brand that the catalog has', () => {
    const products = [{ ...POT_PRODUCT, brand: 'Tinker' }];
    const { next, remedy, evidence } = said('catalog', {}, { catalog: { codes: [UPC_CODE], products } });
    assert.equal(next, 'merchant');
    assert.match(
      remedy ?? '',
      /gtin:00012345678905 belongs to the brand Tinker.* ask the marketplace to correct its catalog/,
    );
    const product = { code: UPC_CODE, brand: 'Tinker', title: 'A pot', category: POTS, origin: 'offer' };
    assert.deepEqual(evidence, { catalog_codes: [UPC_CODE], products: [product] });
  });

  it('name each attribute with what is wrong and what is allowed', () => {
    const remedyOf = (...attributes_node_specific: UploadedAttribute[]) =>
      said('attributes', offer({ attributes_node_specific })).remedy;
    const start = 'Fix these attributes: Capacity (9223372036854775807)';
    assert.equal(remedyOf(capacity('0', 'qt')), `${start} must be from 1 to 20.`);
    assert.equal(remedyOf(capacity('x', 'qt')), `${start} must be a number.`);
    assert.equal(remedyOf(capacity('5')), `${start} needs a unit: qt or l.`);
    assert.equal(remedyOf(capacity('5', 'gal')), `${start} must have the unit qt or l, not gal.`);
    const both = `${start} must be a number; Capacity (9223372036854775807) must have the unit qt or l, not gal.`;
    assert.equal(remedyOf(capacity('x', 'gal')), both);
    const shirt = said('attributes', offer({ marketplace_browse_node_id: SHIRTS }));
    assert.match(shirt.remedy ?? '', /: Size \(120\) is required\.$/);
    assert.deepEqual(shirt.evidence.faults, [{ fault: 'absent', attribute_id: 120, attribute_description: 'Size' }]);
  });

  it('name the code, the numbers, the node and the image', () => {
    const code = { standard_product_code_type: 'UPC', standard_product_code: '012345678906' } as const;
    assert.match(said('product_codes', offer({ standard_product_codes: [code] })).remedy ?? '', /: UPC 012345678906\./);
    const pack = said('multipack_quantity', offer({ product_title: 'Pots, pack of 6' })).remedy;
    assert.match(pack ?? '', /title says 6 items but multipack_quantity is 1/);
    assert.match(
      said('shipping_weight', { stockNodeIds: [PER_POUND_NODE] }).remedy ?? '',
      /: west charges by the pound/,
    );
    const blank: Evidence = { ...GOOD_EVIDENCE, images: { [MAIN_IMAGE]: BAD_IMAGE } };
    const image = said('main_image', {}, blank);
    assert.equal(
      image.remedy,
      'Replace the main image: The image is blank. Use one that shows the product. ' +
        'Fixed it at the same URL? Select Re-check, or send POST /merchant-skus/{id}/review.',
    );
    const { verdict, failures, checks, final_address } = image.evidence;
    assert.deepEqual([verdict, failures, final_address], ['failed', ['blank'], 'https://cdn.example/pot.jpg']);
    assert.deepEqual(checks, { reachable: 'passed', blank: 'failed' });
    const bare: Evidence = { ...GOOD_EVIDENCE, images: { [MAIN_IMAGE]: { verdict: 'failed' } } };
    assert.match(said('main_image', {}, bare).remedy ?? '', /main image: The image did not pass its checks\. Fixed it/);
    const alternate_images = [{ image_slot_id: 3, image_url: MAIN_IMAGE }];
    assert.match(
      said('alternate_images', offer({ alternate_images }), blank).remedy ?? '',
      /^Replace or remove image 3: The image is blank.* send POST/,
    );
  });

  it('offer a re-check only when the image can be fixed at the same URL', () => {
    const alternate_images = [{ image_slot_id: 3, image_url: MAIN_IMAGE }];
    for (const failure of Object.keys(IMAGE_FAILURES) as ImageFailure[]) {
      const { check } = IMAGE_FAILURES[failure];
      const found = { ...BAD_IMAGE, checks: [{ check, state: 'failed', failure }] as const };
      const evidence: Evidence = { ...GOOD_EVIDENCE, images: { [MAIN_IMAGE]: found } };
      const isOfAddress = failure === 'address_refused' || failure === 'host_not_public';
      for (const id of ['main_image', 'alternate_images']) {
        const { remedy } = said(id, offer({ alternate_images }), evidence);
        assert.equal(/POST .*\/review/.test(remedy ?? ''), !isOfAddress, `${id} ${failure}`);
      }
    }
  });

  it('stay short when a merchant has many nodes', () => {
    const stockNodeIds = Array.from({ length: 1000 }, (_none, place) => `node-${place}`);
    const nodes = new Map(
      stockNodeIds.map((id) => [id, { id, rateKind: 'per_pound', methods: [], levels: [] } as const]),
    );
    const knowledge = { ...KNOWLEDGE, account: { merchantId: 'acme', nodes } };
    const { checks } = reviewOffer({ ...GOOD_FACTS, stockNodeIds }, knowledge, GOOD_EVIDENCE, NAMES);
    const weight = checks.find(({ check }) => check === 'shipping_weight');
    assert.deepEqual(weight?.evidence.per_pound_nodes, stockNodeIds.slice(0, 10));
  });
});
