/** Defines an offer for tests that passes every check, and the data that it is reviewed with. */
import type { FulfillmentNode, RateKind } from '../../account.ts';
import { Names, NEUTRAL_NAMES } from '../../names.ts';
import type { GroupEvidence } from '../../offers/variation-group.ts';
import { attributeEntry, nodeEntry } from '../../taxonomy/entries.ts';
import { TaxonomyBuilder } from '../../taxonomy/tree.ts';
import type { ImageEvidence } from '../../vocabulary/image-failures.ts';
import type { KnownProduct } from '../catalog.ts';
import type { CategoryBook, Evidence, OfferFacts, ReviewedDocument, ReviewKnowledge } from '../facts.ts';
import { NO_POLICIES } from '../policies.ts';
import type { CatalogCode } from '../product-code.ts';

export const HOME = 100;
export const POTS = 101;
export const RETIRED = 102;
export const GARLIC = 103;
export const CLOTHING = 200;
export const SHIRTS = 201;
export const SHOES = 37_005_000_000;
export const BOOTS = 37_005_005_000;

export const SIZE = 120;
export const CAPACITY = 9_223_372_036_854_775_807n;
export const COLLECTION = 123;
export const STYLE = 124;

export const BOOK: CategoryBook = createBook();

function createBook(): CategoryBook {
  const builder = new TaxonomyBuilder();
  const size = { attribute: 'size', id: SIZE, description: 'Size', values: ['S', 'M', 'One Size'] };
  const range = { data_type: 'number', min_value: 1, max_value: 20 } as const;
  builder.add(attributeEntry(size));
  builder.add(
    attributeEntry({ attribute: 'capacity', id: CAPACITY, description: 'Capacity', units: ['qt', 'l'], ...range }),
  );
  builder.add(attributeEntry({ attribute: 'collection', id: COLLECTION, description: 'Collection' }));
  builder.add(attributeEntry({ attribute: 'style', id: STYLE, description: 'Style' }));
  builder.add(nodeEntry({ node: HOME, name: 'Home' }));
  builder.add(nodeEntry({ node: POTS, parent: HOME, name: 'Pots', optional: ['capacity'] }));
  builder.add(nodeEntry({ node: GARLIC, parent: HOME, name: 'Garlic', needs_code: false }));
  builder.add(nodeEntry({ node: RETIRED, parent: HOME, name: 'Spittoons', active: false }));
  builder.add(nodeEntry({ node: CLOTHING, name: 'Clothing', required: ['size'], needs_group: true }));
  builder.add(nodeEntry({ node: SHIRTS, parent: CLOTHING, name: 'Shirts' }));
  // Shoes are below clothing and have a size, as an operator may configure by mistake. They still do not count as clothing.
  builder.add(
    nodeEntry({ node: SHOES, parent: CLOTHING, name: 'Shoes', required: ['collection', 'style'], optional: ['size'] }),
  );
  builder.add(nodeEntry({ node: BOOTS, parent: SHOES, name: 'Boots' }));
  return builder.build();
}

export const UPC = '012345678905';
export const UPC_CODE: CatalogCode = 'gtin:00012345678905';
export const MAIN_IMAGE = 'https://img.example/pot.jpg';

export const GOOD_DOCUMENT: ReviewedDocument = Object.freeze({
  product_title: 'A pot with a lid',
  brand: 'Potter',
  multipack_quantity: 1,
  main_image_url: MAIN_IMAGE,
  marketplace_browse_node_id: POTS,
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: UPC } as const],
});

export const GOOD_FACTS: OfferFacts = Object.freeze({
  document: GOOD_DOCUMENT,
  archived: false,
  priced: true,
  stockNodeIds: [],
  inGroup: false,
});

export const POT_PRODUCT: KnownProduct = Object.freeze({
  code: UPC_CODE,
  brand: 'Potter',
  title: 'A pot',
  categoryId: POTS,
  origin: 'offer',
});

export const GOOD_IMAGE: ImageEvidence = Object.freeze({
  verdict: 'passed',
  checks: [{ check: 'reachable', state: 'passed', failure: null } as const],
  checkedAtMs: 1_700_000_000_000,
  attempts: 0,
  retryDelay_ms: null,
  finalAddress: 'https://cdn.example/pot.jpg',
  httpStatus: 200,
  bytes: 54_321,
  type: 'image/jpeg',
  width: 600,
  height: 600,
  frames: 1,
  hash: 'f0f0',
  placeholder: null,
  etag: null,
});
export const BAD_IMAGE: ImageEvidence = Object.freeze({
  ...GOOD_IMAGE,
  verdict: 'failed',
  checks: [
    { check: 'reachable', state: 'passed', failure: null },
    { check: 'blank', state: 'failed', failure: 'blank' },
  ] as const,
});
export const SLOW_IMAGE: ImageEvidence = Object.freeze({
  ...GOOD_IMAGE,
  verdict: 'retry',
  checks: [{ check: 'reachable', state: 'failed', failure: 'timed_out' } as const],
  attempts: 1,
  retryDelay_ms: 60_000,
});

/** The evidence of a member that is not excluded. */
export const GOOD_GROUP: GroupEvidence = Object.freeze({ parent: 'parent', leftOut: null });

export const GOOD_EVIDENCE: Evidence = Object.freeze({
  catalog: { codes: [UPC_CODE], products: [POT_PRODUCT] },
  images: { [MAIN_IMAGE]: GOOD_IMAGE },
});

export const FLAT_NODE = 'east';
export const PER_POUND_NODE = 'west';

function fulfillmentNode(id: string, rateKind: RateKind): [string, FulfillmentNode] {
  return [id, { id, rateKind, methods: [], levels: [] }];
}

export const KNOWLEDGE: ReviewKnowledge = Object.freeze({
  review: 'on',
  taxonomy: BOOK,
  policies: NO_POLICIES,
  account: {
    merchantId: 'acme',
    nodes: new Map([fulfillmentNode(FLAT_NODE, 'flat'), fulfillmentNode(PER_POUND_NODE, 'per_pound')]),
  },
  imageCheck: 'on',
  newProductData: [],
});

/** Checks that need more than the body: the catalog, images, prices, nodes or groups, or that no schema can express. */
export const NO_BODY_CHECKS: readonly string[] = [
  ...['archive', 'exclusion', 'authorization', 'catalog', 'product_data', 'variation_group', 'multipack_quantity'],
  ...['main_image', 'alternate_images', 'price', 'shipping_weight'],
];

export const NAMES = new Names(NEUTRAL_NAMES);

/** Returns the document without one of its optional fields. */
export function without(field: keyof ReviewedDocument, document: ReviewedDocument = GOOD_DOCUMENT): ReviewedDocument {
  const { [field]: _gone, ...rest } = document;
  return rest as ReviewedDocument;
}
