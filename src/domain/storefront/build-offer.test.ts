/** Tests build-offer.ts: which offers are shown, and what is shown of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FulfillmentNode } from '../account.ts';
import { stringifyExactJson } from '../int64.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { attributeEntry, nodeEntry } from '../taxonomy/entries.ts';
import { TaxonomyBuilder } from '../taxonomy/tree.ts';
import { aliasesOf, buildOffer, correctedProduct, isOwnCode, type OfferSource } from './build-offer.ts';

const HOME = { id: 1, name: 'Home' };
const BIG_ID = 9_223_372_036_854_775_807n;

function taxonomy() {
  const builder = new TaxonomyBuilder();
  builder.add(attributeEntry({ attribute: 'capacity', id: BIG_ID, description: 'Capacity' }));
  builder.add(nodeEntry({ node: 1, name: 'Home' }));
  builder.add(nodeEntry({ node: 2, parent: 1, name: 'Pots', optional: ['capacity'] }));
  builder.add(nodeEntry({ node: 3, parent: 1, name: 'Pans' }));
  return builder.build();
}

const node = (id: string): FulfillmentNode => ({ id, rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] });

const SETUP = {
  account: {
    merchantId: 'acme',
    suspended: false,
    timeToReturnDays: 14,
    nodes: new Map(['east', 'west'].map((id) => [id, node(id)])),
  },
  merchant: { name: 'Acme Ltd' },
  taxonomy: taxonomy(),
  names: new Names(NEUTRAL_NAMES),
};

const DOCUMENT = {
  product_title: 'A pot',
  brand: 'Potter',
  multipack_quantity: 2,
  main_image_url: 'https://img.example/1.jpg',
  standard_product_codes: [
    { standard_product_code_type: 'UPC', standard_product_code: '012345678905' },
    { standard_product_code_type: 'ISBN-13', standard_product_code: '9780306406157' },
  ],
  ASIN: 'b00example',
};

const SOURCE: OfferSource = {
  skuId: 'pot/1',
  document: JSON.stringify(DOCUMENT),
  archived: false,
  status: 'available',
  categoryId: '2',
  price: { price: 10, nodes: [], updatedMs: 1 },
  stock: [
    { fulfillment_node_id: 'east', quantity: 3 },
    { fulfillment_node_id: 'west', quantity: 4 },
  ],
  shippingExceptions: null,
  group: null,
};

const withFields = (fields: object): OfferSource => {
  return { ...SOURCE, document: stringifyExactJson({ ...DOCUMENT, ...fields }) };
};

describe('an offer in the storefront', () => {
  it('is shown only while it is live, priced and in stock, and its merchant is not suspended', () => {
    assert.notEqual(buildOffer(SOURCE, SETUP), undefined);
    const stock = SOURCE.stock.map((each) => ({ ...each, quantity: 0 }));
    const hidden: Partial<OfferSource>[] = [
      { archived: true },
      { status: 'missing' },
      { status: 'review' },
      { status: null },
      { price: null },
      { stock },
      { stock: [] },
    ];
    for (const part of hidden) assert.equal(buildOffer({ ...SOURCE, ...part }, SETUP), undefined, JSON.stringify(part));
    assert.equal(buildOffer(SOURCE, { ...SETUP, account: { ...SETUP.account, suspended: true } }), undefined);
  });

  it('shows a plain offer', () => {
    assert.deepEqual(buildOffer(SOURCE, SETUP), {
      skuId: 'pot/1',
      offer: {
        merchant_id: 'acme',
        merchant_name: 'Acme Ltd',
        merchant_sku: 'pot/1',
        multipack_quantity: 2,
        price: 10,
        price_visibility: 'public',
        display_price: 10,
        price_policy: '101',
        member_savings: 'allowed',
        shipping_at_least: 0,
        total: 10,
        quantity: 7,
        msrp: null,
        shipping_exceptions: [],
        return_days: 14,
        tax_code: null,
      },
      product: {
        code: 'gtin:00012345678905',
        codes: ['gtin:00012345678905', 'gtin:09780306406157', 'asin:B00EXAMPLE'],
        title: 'A pot',
        brand: 'Potter',
        manufacturer: null,
        mfr_part_number: null,
        description: null,
        bullets: [],
        category: { id: 2, path: [HOME, { id: 2, name: 'Pots' }] },
        attributes: [],
        images: ['https://img.example/1.jpg'],
        group: null,
        notices: {
          prop_65: false,
          prop_65_reasons: null,
          legal_disclaimer: null,
          safety_warning: null,
          cautionary_statements: [],
          country_of_origin: null,
        },
      },
    });
  });

  it('shows every field of the product, with exact ids and images in order', () => {
    const source = withFields({
      manufacturer: 'Potters',
      mfr_part_number: 'P1',
      product_description: 'Round.',
      bullets: ['Red'],
      attributes_node_specific: [
        { attribute_id: BIG_ID, attribute_value: '3', attribute_value_unit: 'l' },
        { attribute_id: 77, attribute_value: 'x' },
      ],
      alternate_images: [
        { image_slot_id: 2, image_url: 'https://img.example/3.jpg' },
        { image_slot_id: 1, image_url: 'https://img.example/2.jpg' },
      ],
      prop_65: true,
      prop_65_reasons: 'Lead',
      legal_disclaimer_description: 'Legal',
      safety_warning: 'Hot',
      cpsia_cautionary_statements: ['choking hazard balloon'],
      country_of_origin: 'France',
    });
    const group = { parentSkuId: 'pots', title: 'Pots', refinements: `[${BIG_ID}]` };
    const product = buildOffer({ ...source, group }, SETUP)?.product;
    assert.deepEqual(product, {
      ...product,
      manufacturer: 'Potters',
      mfr_part_number: 'P1',
      description: 'Round.',
      bullets: ['Red'],
      attributes: [
        { id: BIG_ID, name: 'Capacity', value: '3', unit: 'l' },
        { id: 77, name: null, value: 'x', unit: null },
      ],
      images: ['https://img.example/1.jpg', 'https://img.example/2.jpg', 'https://img.example/3.jpg'],
      group: { id: 'acme:pots', title: 'Pots', attribute_ids: [BIG_ID] },
      notices: {
        prop_65: true,
        prop_65_reasons: 'Lead',
        legal_disclaimer: 'Legal',
        safety_warning: 'Hot',
        cautionary_statements: ['choking hazard balloon'],
        country_of_origin: 'France',
      },
    });
  });

  it('shows no statement for "no warning applicable"', () => {
    const source = withFields({ cpsia_cautionary_statements: ['no warning applicable'] });
    assert.deepEqual(buildOffer(source, SETUP)?.product.notices.cautionary_statements, []);
  });

  it('shows what each price policy allows', () => {
    const shownUnder = (policy: string) => {
      const offer = buildOffer(withFields({ map_implementation: policy, map_price: 15 }), SETUP)?.offer;
      return [offer?.price, offer?.display_price, offer?.price_visibility, offer?.member_savings];
    };
    assert.deepEqual(shownUnder('101'), [10, 10, 'public', 'allowed']);
    assert.deepEqual(shownUnder('102'), [10, 15, 'on_request', 'on_request']);
    assert.deepEqual(shownUnder('103'), [10, 10, 'public', 'never']);
  });

  it('ships from the node in stock with the lowest total', () => {
    const price = (nodePrice: number) => {
      return {
        price: 10,
        nodes: [{ fulfillment_node_id: 'west', fulfillment_node_price: nodePrice }],
        updatedMs: 1,
      };
    };
    const exception = (id: string, amount: number) => {
      const charge = { override_type: 'Override charge', shipping_charge_amount: amount };
      const exceptions = [{ shipping_exception_type: 'exclusive', service_level: 'Standard', ...charge }];
      return { fulfillment_node_id: id, shipping_exceptions: exceptions };
    };
    const totals = (source: Partial<OfferSource>) => {
      const offer = buildOffer({ ...SOURCE, ...source }, SETUP)?.offer;
      return [offer?.price, offer?.shipping_at_least, offer?.total, offer?.shipping_exceptions.length];
    };
    assert.deepEqual(totals({ price: price(9.99) }), [9.99, 0, 9.99, 0]);
    assert.deepEqual(totals({ price: price(10.01) }), [10, 0, 10, 0]);
    const charged = { price: price(9), shippingExceptions: JSON.stringify([exception('west', 1.5)]) };
    assert.deepEqual(totals(charged), [10, 0, 10, 0]);
    const [, west] = SOURCE.stock;
    assert.ok(west);
    assert.deepEqual(totals({ ...charged, stock: [west] }), [9, 1.5, 10.5, 1]);
  });

  it('is a product of its own without a valid code', () => {
    const codes = [{ standard_product_code_type: 'UPC', standard_product_code: '012345678900' }];
    const { ASIN, ...rest } = DOCUMENT;
    const bare = { ...SOURCE, document: JSON.stringify({ ...rest, standard_product_codes: codes }) };
    const first = buildOffer(bare, SETUP)?.product;
    assert.equal(first?.code, 'offer:acme:pot/1');
    assert.deepEqual(first?.codes, []);
    assert.ok(isOwnCode(first.code));
    assert.equal(isOwnCode('offer:acme'), false);
    assert.equal(isOwnCode('gtin:00012345678905'), false);
  });

  it('has no category, or no path, if the review or the taxonomy has none', () => {
    assert.equal(buildOffer({ ...SOURCE, categoryId: null }, SETUP)?.product.category, null);
    assert.deepEqual(buildOffer({ ...SOURCE, categoryId: '9' }, SETUP)?.product.category, { id: 9, path: [] });
  });
});

describe('a corrected product', () => {
  const product = buildOffer(SOURCE, SETUP)?.product ?? assert.fail('The offer is shown.');

  it('has brand and title of the correction, and its category if it has one', () => {
    const corrected = { ...product, brand: 'P', title: 'T' };
    const correction = { brand: 'P', title: 'T' };
    assert.deepEqual(correctedProduct(product, { ...correction, categoryId: null }, SETUP.taxonomy), corrected);
    assert.deepEqual(correctedProduct(product, { ...correction, categoryId: 3 }, SETUP.taxonomy), {
      ...corrected,
      category: { id: 3, path: [HOME, { id: 3, name: 'Pans' }] },
    });
    assert.equal(correctedProduct(product, undefined, SETUP.taxonomy), product);
  });

  it('is found by its other codes', () => {
    assert.deepEqual(aliasesOf(product), ['gtin:09780306406157', 'asin:B00EXAMPLE']);
  });
});
