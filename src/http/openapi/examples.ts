/** Examples of requests and responses that work on the demo server if they are sent in this order. */
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { adviceFor } from '../../domain/review/advice.ts';
import { attributesCheck } from '../../domain/review/checks/category-checks.ts';
import { brandCheck, priceCheck } from '../../domain/review/checks/offer-data-checks.ts';
import { STATUSES } from '../../domain/vocabulary/statuses.ts';
import type { CallExample } from './calls.ts';
import { wrongPriceProblems } from './failure-examples.ts';
import { planExamples } from './plan-examples.ts';
import { REQUIREMENT_EXAMPLES } from './requirement-examples.ts';
import { LOAFER, REPAIRED_SIZE } from './shoe-example.ts';
import { EVENT_ID, WEBHOOK_EXAMPLES, WEBHOOK_ID } from './webhook-examples.ts';

export const EXAMPLE_IDS = Object.freeze({
  sku: 'MUG-300',
  file: '0b8d9f3e-6a5c-4c1e-9f52-1d2c3b4a5f60',
  report: '7c1f2a44-0d3b-4e8a-b6a9-5e4d3c2b1a09',
  webhook: WEBHOOK_ID,
  fulfillmentNode: 'demo-node-east',
  taxonomyNode: 1_011_010,
  change: 4711,
});

const SECOND_SKU = 'MUG-300-BLUE';
const TIME = '2026-01-31T09:30:00.000Z';
const LATER = '2026-01-31T09:30:02.500Z';
const EXPIRES = '2026-02-07T09:30:02.500Z';

/** Placeholders for the server's address, the address of the demo's images, a message, and the name of a status. */
const API = '{api}';
const IMAGES = '{images}';
const WRONG_PRICE = '{wrong price}';
const UNDER_REVIEW = '{under review}';

const SIGNED_QUERY = {
  account: '1',
  expires: '1769853600',
  key: 'k1',
  signature: 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF',
};
const signed = (path: string) => `${API}${path}?${new URLSearchParams(SIGNED_QUERY)}`;
const UPLOAD_PATH = `/uploads/${EXAMPLE_IDS.file}`;

const mug = (color: string, upc: string) => ({
  product_title: `Stoneware mug, 0.3 liters, ${color.toLowerCase()}`,
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: upc }],
  brand: 'Potter & Sons',
  main_image_url: `${IMAGES}/mug.jpg`,
  marketplace_browse_node_id: EXAMPLE_IDS.taxonomyNode,
  attributes_node_specific: [{ attribute_id: 119, attribute_value: color }],
});
const MUG = mug('Red', '012345678905');

const PRICE = {
  price: 9.95,
  fulfillment_nodes: [{ fulfillment_node_id: EXAMPLE_IDS.fulfillmentNode, fulfillment_node_price: 9.5 }],
};
const STOCK = { fulfillment_nodes: [{ fulfillment_node_id: EXAMPLE_IDS.fulfillmentNode, quantity: 12 }] };
const VARIATION = { relationship: 'Variation', variation_refinements: [119], children_skus: [SECOND_SKU] };
const SHIPPING = {
  fulfillment_nodes: [
    {
      fulfillment_node_id: EXAMPLE_IDS.fulfillmentNode,
      shipping_exceptions: [
        { shipping_method: '<carrier_2> 2 Day', shipping_exception_type: 'restricted' },
        {
          service_level: 'Standard',
          override_type: 'Override charge',
          shipping_charge_amount: 4.95,
          shipping_exception_type: 'include',
        },
      ],
    },
  ],
};
/** The response with `dry_run=true`, by default for a SKU that is for sale. */
const dryRun = (pointer: string, before: unknown, after: unknown, more: object = {}) => ({
  changes: [{ pointer, before, after }],
  ignored_fields: [],
  status: 'Available For Purchase',
  sub_status: [],
  pending: [],
  ...more,
});
/** The position without stock. */
const UNSOLD = { product_code: 'gtin:00012345678905', is_shown: false };
const UNPRICED = { sub_status: [priceCheck.effect] };
const NEW_SKU = { ...UNPRICED, status: UNDER_REVIEW, pending: ['catalog'] };
const NEW_LOAFER = [priceCheck.effect, attributesCheck.effect];
const PASSED = { state: 'passed', code: null, sub_status: null, next: null, remedy: null };
const RETURNS = { return_location_ids: ['demo-returns-east'] };
const RETURN_POLICY = { time_to_return: 30, return_shipping_methods: ['<carrier_2> Ground'] };
const FULFILLMENT_NODE = {
  fulfillment_node_id: EXAMPLE_IDS.fulfillmentNode,
  rate_kind: 'flat',
  shipping_methods: ['<carrier_2> Ground', '<carrier_2> 2 Day', '<carrier_4> Ground'],
  service_levels: ['Standard', 'Second Day', 'Expedited'],
};
const TAXONOMY_NODE = {
  marketplace_node_id: EXAMPLE_IDS.taxonomyNode,
  marketplace_node_name: 'Dinnerware',
  marketplace_node_path: 'Home & Kitchen > Dining > Dinnerware',
  parent_id: 1_011_000,
  marketplace_level: 2,
  suggested_tax_code: 'Generic Taxable Product',
  active: true,
};
/** The second row fails, to show the errors. */
const FILE_TEXT = `{"${EXAMPLE_IDS.sku}": {"price": 9.75}, "${SECOND_SKU}": {"price": 0}}`;
const FILE_RECEIVED = {
  marketplace_file_id: EXAMPLE_IDS.file,
  url: `${API}${UPLOAD_PATH}`,
  file_type: 'Price',
  file_name: 'prices.json',
  status: 'Acknowledged',
  received: TIME,
  rows_processed: 0,
  rows_failed: 0,
  rows_superseded: 0,
  rows_waiting: 0,
  bytes_processed: 0,
  bytes_total: FILE_TEXT.length,
};
const FILE_PROCESSED = {
  ...FILE_RECEIVED,
  format: 'JSON',
  compression: 'none',
  status: 'Processed with errors',
  processing_start: TIME,
  processing_end: LATER,
  rows_processed: 2,
  rows_failed: 1,
  bytes_processed: FILE_TEXT.length,
  rows_per_second: 0.8,
  error_count: 1,
  error_excerpt: [`${SECOND_SKU}: ${WRONG_PRICE}`],
  error_url: signed(`/files/${EXAMPLE_IDS.file}/errors.json`),
  retry_url: signed(`/files/${EXAMPLE_IDS.file}/retry.json`),
};
const SECOND_ROW_BYTE = FILE_TEXT.indexOf(`"${SECOND_SKU}"`);
const ROW_ERRORS = {
  errors: [WRONG_PRICE],
  details: [{ code: 'too_small', field: '/price', message: WRONG_PRICE }],
  line: 1,
  column: SECOND_ROW_BYTE + 1,
  byte_offset: SECOND_ROW_BYTE,
};
const REPORT_TEXT = [
  'sku,title,status,sub_status,price,quantity,node_quantities,sku_last_update,price_last_update,inventory_last_update,advice,upcoming',
  `${EXAMPLE_IDS.sku},"${MUG.product_title}",Available For Purchase,,9.75,12,"{""demo-node-east"":12}",${TIME},${LATER},${TIME},bullets_missing,`,
  '',
].join('\r\n');

export const CALL_EXAMPLES: Readonly<Record<string, CallExample>> = {
  createToken: {
    body: { user: 'demo-test-user', pass: 'demo-test-secret' },
    answer: {
      id_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJl',
      token_type: 'Bearer',
      expires_on: '2026-01-31T19:30:00Z',
    },
  },
  checkToken: { answer: 'This message is authorized.' },
  putSku: {
    bodies: { [EXAMPLE_IDS.sku]: MUG, [SECOND_SKU]: mug('Blue', '012345678912') },
    dryRun: dryRun('/sku', null, { ...MUG, prop_65: false }, NEW_SKU),
  },
  getPosition: {
    answer: { merchant_sku: EXAMPLE_IDS.sku, ...UNSOLD },
  },
  putPrice: { body: PRICE, dryRun: dryRun('/price', null, PRICE, { position: UNSOLD }) },
  getPrice: { answer: { ...PRICE, price_last_update: TIME } },
  patchInventory: { body: STOCK, dryRun: dryRun(`/inventory/${EXAMPLE_IDS.fulfillmentNode}`, null, 12) },
  getInventory: {
    answer: {
      fulfillment_nodes: [
        { fulfillment_node_id: EXAMPLE_IDS.fulfillmentNode, quantity: 12, inventory_last_update: TIME },
      ],
    },
  },
  getSku: {
    answer: {
      ...MUG,
      prop_65: false,
      merchant_sku: EXAMPLE_IDS.sku,
      is_archived: false,
      status: 'Available For Purchase',
      sub_status: [],
    },
  },
  getReview: {
    path: SECOND_SKU,
    answer: {
      status: 'Missing Listing Data',
      sub_status: [priceCheck.effect],
      next: 'merchant',
      checks: [
        { check: brandCheck.id, ...PASSED, evidence: { brand: MUG.brand } },
        {
          check: priceCheck.id,
          state: 'failed',
          code: priceCheck.code,
          sub_status: priceCheck.effect,
          evidence: { priced: false },
          next: 'merchant',
          remedy: 'Add a price.',
        },
      ],
      advice: adviceFor({
        document: { ...MUG, standard_product_codes: [] },
        hasShippingException: false,
        images: undefined,
      }),
      upcoming: [],
    },
  },
  requestReview: {},
  listSkus: { answer: { sku_urls: [`merchant-skus/${EXAMPLE_IDS.sku}`, `merchant-skus/${SECOND_SKU}`] } },
  putShoeSku: {
    path: 'LOAFER-42',
    body: LOAFER,
    dryRun: dryRun('/sku', null, { ...LOAFER, prop_65: false }, { ...NEW_SKU, sub_status: NEW_LOAFER }),
  },
  applyFixes: {
    path: 'LOAFER-42',
    body: { fixes: ['pHiVpR0nYg.mCkV0dx2Lw'] },
    dryRun: dryRun(
      '/sku/attributes_node_specific',
      LOAFER.attributes_node_specific,
      [...LOAFER.attributes_node_specific.slice(0, 2), REPAIRED_SIZE],
      { ...UNPRICED, status: 'Missing Listing Data' },
    ),
  },
  putOffer: {
    path: 'LOAFER-42',
    body: { price: PRICE, inventory: STOCK },
    dryRun: dryRun('/price', null, PRICE),
  },
  getOffer: {
    answer: {
      merchant_sku: EXAMPLE_IDS.sku,
      is_archived: false,
      status: 'Available For Purchase',
      sub_status: [],
      issues: [],
      sku: { ...MUG, prop_65: false },
      price: PRICE,
      inventory: STOCK,
    },
  },
  putVariation: { body: VARIATION, dryRun: dryRun('/variation', null, VARIATION) },
  getVariation: { answer: { ...VARIATION, excluded_skus: [] } },
  putShippingException: { body: SHIPPING, dryRun: dryRun('/shipping_exception', null, SHIPPING) },
  getShippingException: { answer: SHIPPING },
  putReturnsException: { body: RETURNS, dryRun: dryRun('/returns_exception', null, RETURNS) },
  getReturnsException: { answer: { ...RETURNS, ...RETURN_POLICY } },
  requestUpload: {
    answer: {
      url: signed(UPLOAD_PATH),
      marketplace_file_id: EXAMPLE_IDS.file,
      expires_in_seconds: LIMITS.signed_link_seconds,
    },
  },
  uploadFile: { query: SIGNED_QUERY, body: FILE_TEXT },
  receiveFile: {
    body: { url: signed(UPLOAD_PATH), file_type: 'Price', file_name: 'prices.json' },
    answer: FILE_RECEIVED,
  },
  getFile: { answer: FILE_PROCESSED },
  listFiles: { answer: { files: [FILE_PROCESSED], total: 1 } },
  getFileErrors: { query: SIGNED_QUERY, answer: `{\n"${SECOND_SKU}": ${JSON.stringify(ROW_ERRORS)}}` },
  getFileRetry: { query: SIGNED_QUERY, answer: `{\n"${SECOND_SKU}": {"price": 0}}` },
  cancelFile: { answer: FILE_PROCESSED },
  requestOffers: { answer: { report_id: EXAMPLE_IDS.report } },
  requestFingerprints: { answer: { report_id: EXAMPLE_IDS.report } },
  requestReport: { answer: { report_id: EXAMPLE_IDS.report } },
  getReportState: {
    answer: {
      report_id: EXAMPLE_IDS.report,
      report_type: 'ProductStatus',
      report_status: 'Ready',
      requested: TIME,
      processing_end: LATER,
      expires: EXPIRES,
      report_url: signed(`/reports/files/${EXAMPLE_IDS.report}/report.csv`),
    },
  },
  getReport: { query: SIGNED_QUERY, answer: REPORT_TEXT },
  undoFile: {
    answer: {
      offers: 1,
      skipped: 0,
      skipped_skus: [],
      file: { ...FILE_RECEIVED, file_name: 'Undo: prices.json', bytes_total: 119 },
    },
  },
  ...planExamples(FILE_RECEIVED),
  listEvents: {
    query: { types: ['offer.updated'], limit: 1 },
    answer: {
      events: [
        {
          id: EVENT_ID,
          type: 'offer.updated',
          at: TIME,
          merchant_sku: EXAMPLE_IDS.sku,
          part: 'sku',
          by: { kind: 'key', name: 'demo-test-user' },
          url: `/merchant-skus/${EXAMPLE_IDS.sku}`,
        },
      ],
      next: EVENT_ID,
      more: true,
    },
  },
  ...WEBHOOK_EXAMPLES,
  listFulfillmentNodes: { answer: { fulfillment_nodes: [FULFILLMENT_NODE] } },
  getFulfillmentNode: { answer: FULFILLMENT_NODE },
  listSetupFulfillmentNodes: { answer: { fulfillment_nodes: [FULFILLMENT_NODE] } },
  listReturnLocations: {
    answer: { return_locations: [{ return_location_id: 'demo-returns-east' }], ...RETURN_POLICY },
  },
  listTaxonomyNodes: { answer: { node_urls: [`/taxonomy/nodes/${EXAMPLE_IDS.taxonomyNode}`] } },
  getTaxonomyNode: { answer: TAXONOMY_NODE },
  listTaxonomyAttributes: {
    answer: {
      attributes: [
        {
          attribute_id: 162,
          attribute_description: 'Dishwasher Safe',
          free_text: false,
          variant: false,
          required: false,
          values: ['Yes', 'No'],
          units: [],
          validation: { data_type: 'text', min_value: null, max_value: null },
        },
      ],
    },
  },
  searchTaxonomy: { query: { q: 'dinnerware', limit: 5 }, answer: { nodes: [{ ...TAXONOMY_NODE, is_leaf: true }] } },
  ...REQUIREMENT_EXAMPLES,
  getHealth: { answer: { status: 'ok' } },
  getReadiness: { answer: { status: 'ok' } },
  getOpenApi: { answer: { openapi: '3.1.0', info: { title: 'Offerbook' } } },
  putArchive: {
    path: SECOND_SKU,
    body: { is_archived: true },
    dryRun: dryRun('/archive/is_archived', false, true, { ...UNPRICED, status: 'Archived' }),
  },
  getHistory: {
    path: SECOND_SKU,
    answer: {
      changes: [
        {
          id: EXAMPLE_IDS.change,
          at: TIME,
          by: { kind: 'key', name: 'demo-test-user' },
          part: 'archive',
          before: { is_archived: false },
          after: { is_archived: true },
        },
      ],
      next: null,
    },
  },
  restoreVersion: {
    path: SECOND_SKU,
    dryRun: dryRun('/archive/is_archived', true, false, { ...UNPRICED, status: 'Missing Listing Data' }),
  },
};

/** The demo serves images on the port after the API's port, on loopback only. */
export function exampleImages(publicUrl: string): string {
  const { hostname, port } = new URL(publicUrl);
  return hostname === '127.0.0.1' && port !== '' ? `http://127.0.0.1:${Number(port) + 1}` : 'https://images.example';
}

export function createCallExamples(names: Names, publicUrl: string): Record<string, CallExample> {
  const [wrongPrice] = wrongPriceProblems(names);
  const replacements = [
    [API, publicUrl],
    [IMAGES, exampleImages(publicUrl)],
    [WRONG_PRICE, wrongPrice?.message ?? ''],
    [UNDER_REVIEW, names.status('review')],
    [STATUSES.available, names.status('available')],
  ] as const;
  const replaced = (text: string) => replacements.reduce((done, [mark, value]) => done.replaceAll(mark, value), text);
  const spell = (value: unknown): unknown => {
    if (typeof value === 'string') return names.method(replaced(value));
    if (Array.isArray(value)) return value.map(spell);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [names.field(name), spell(member)]));
  };
  return spell(CALL_EXAMPLES) as Record<string, CallExample>;
}
