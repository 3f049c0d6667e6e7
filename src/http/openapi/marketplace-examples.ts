/** Examples of requests of the marketplace's programs that work on the demo server if they are sent in this order. */
import type { CallExample } from './calls.ts';

const COPYCAT = { kind: 'excluded_brand', brand: 'Copycat' };
const CODE = '012345678905';
const HASH = 'f0'.repeat(64);
const DATE = '2027-03-01T00:00:00Z';

export const MARKETPLACE_EXAMPLES: Readonly<Record<string, CallExample>> = {
  listMerchants: {},
  getMerchantDetails: { path: 'demo' },
  suspendMerchant: { path: 'demo' },
  resumeMerchant: { path: 'demo' },
  searchOffers: { query: { q: 'mug', merchant: 'demo' } },
  recheckOffers: { query: { merchant: 'demo', environment: 'test' } },
  readBacklog: {},
  addPolicy: { body: COPYCAT },
  listPolicies: {},
  removePolicy: { body: COPYCAT },
  addPlaceholder: { query: { note: 'Gray square', hash: HASH } },
  listPlaceholders: {},
  removePlaceholder: { path: HASH },
  putProduct: { body: { environment: 'test', code: CODE, brand: 'Potter & Sons', title: 'Stoneware mug' } },
  getProduct: { query: { environment: 'test', code: CODE } },
  getTaxonomyTree: { query: { parent: 1_010_000 } },
  searchTaxonomyTree: { query: { q: 'mug' } },
  previewTaxonomy: { body: '{"offerbook_taxonomy": 1}\n{"node": 7, "name": "Garden"}\n' },
  importTaxonomy: {
    query: { source: 'garden.ndjson' },
    body: '{"offerbook_taxonomy": 1}\n{"node": 7, "name": "Garden"}\n',
  },
  resetTaxonomy: { query: { enforced_from: DATE } },
  listRuleChanges: {},
  undoRuleChange: {},
  listAnnouncedChanges: {},
  moveAnnouncedChange: { query: { enforced_from: DATE } },
  cancelAnnouncedChange: {},
  restoreAnnouncedChange: {},
};

/** Examples of requests of shops, which need an export of their own. */
export const STOREFRONT_EXAMPLES: Readonly<Record<string, CallExample>> = {
  getStorefrontTaxonomyTree: { query: { parent: 1_010_000 } },
  requestStorefrontExport: { query: { format: 'NDJSON' } },
  getStorefrontExport: {},
  addStorefrontWebhook: { body: { url: 'https://hooks.example/changes', batches: true } },
  changeStorefrontWebhook: { body: { enabled: true } },
  rollStorefrontWebhookSecret: { body: { overlap_seconds: 3600 } },
  replayStorefrontEvent: { body: { event_id: '5f0c27b1e4aa-1s-0' } },
};
