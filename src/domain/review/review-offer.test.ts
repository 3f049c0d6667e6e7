/** Tests review-offer.ts: which status wins, and what triggers each reason. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeftOut } from '../offers/variation-group.ts';
import { type Status, SUB_STATUSES, type SubStatus } from '../vocabulary/statuses.ts';
import type { Evidence, OfferFacts, ReviewedDocument, ReviewKnowledge } from './facts.ts';
import { compilePolicies, type Policy } from './policies.ts';
import { evaluateOffer, reviewOffer } from './review-offer.ts';
import {
  BAD_IMAGE,
  BOOTS,
  CAPACITY,
  COLLECTION,
  FLAT_NODE,
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_FACTS,
  GOOD_GROUP,
  GOOD_IMAGE,
  HOME,
  KNOWLEDGE,
  MAIN_IMAGE,
  NAMES,
  PER_POUND_NODE,
  POT_PRODUCT,
  POTS,
  RETIRED,
  SHIRTS,
  SIZE,
  SLOW_IMAGE,
  STYLE,
  UPC_CODE,
  without,
} from './testing/good-offer.ts';

/** Differences from the valid offer and its valid knowledge. */
interface Change {
  readonly document?: Partial<ReviewedDocument>;
  /** Replaces the valid document. */
  readonly base?: ReviewedDocument;
  readonly facts?: Partial<OfferFacts>;
  readonly evidence?: Partial<Evidence>;
  readonly knowledge?: Partial<ReviewKnowledge>;
  readonly policies?: readonly Policy[];
}

function caseOf({ document, base = GOOD_DOCUMENT, facts, evidence, knowledge, policies = [] }: Change) {
  return [
    { ...GOOD_FACTS, ...facts, document: { ...base, ...document } },
    { ...KNOWLEDGE, policies: compilePolicies(policies), ...knowledge },
    { ...GOOD_EVIDENCE, ...evidence },
  ] as const;
}

const evaluate = (change: Change) => evaluateOffer(...caseOf(change));
const review = (change: Change) => reviewOffer(...caseOf(change), NAMES);

function check(change: Change, id: string) {
  const found = review(change).checks.find((result) => result.check === id);
  assert.ok(found, id);
  return found;
}

const AVAILABLE = { status: 'available', subStatuses: [] };
const NO_CATEGORY = without('marketplace_browse_node_id');
const SHIRT: Partial<ReviewedDocument> = {
  marketplace_browse_node_id: SHIRTS,
  attributes_node_specific: [{ attribute_id: SIZE, attribute_value: 'm' }],
};
const IN_GROUP = { facts: { inGroup: true }, evidence: { group: GOOD_GROUP } };
const SHIRT_IN_GROUP: Change = { document: SHIRT, ...IN_GROUP };
const leftOut = (found: LeftOut): Change => ({
  ...SHIRT_IN_GROUP,
  evidence: { group: { ...GOOD_GROUP, leftOut: found } },
});
const BOOT: Partial<ReviewedDocument> = {
  product_type_id: BOOTS,
  attributes_node_specific: [
    { attribute_id: COLLECTION, attribute_value: 'Winter' },
    { attribute_id: STYLE, attribute_value: 'Chelsea' },
  ],
};
const capacity = (attribute_value: string, unit?: string): Partial<ReviewedDocument> => ({
  attributes_node_specific: [
    { attribute_id: CAPACITY, attribute_value, ...(unit === undefined ? {} : { attribute_value_unit: unit }) },
  ],
});
const upc = (standard_product_code: string): Partial<ReviewedDocument> => ({
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code }],
});
const alternate = (image_url: string): Partial<ReviewedDocument> => ({
  alternate_images: [{ image_slot_id: 3, image_url }],
});
const SIDE = 'https://img.example/side.jpg';
const images = (main: typeof GOOD_IMAGE, side: typeof GOOD_IMAGE = GOOD_IMAGE): Partial<Evidence> => ({
  images: { [MAIN_IMAGE]: main, [SIDE]: side },
});
const catalog = (...products: Partial<typeof POT_PRODUCT>[]): Partial<Evidence> => ({
  catalog: { codes: [UPC_CODE], products: products.map((product) => ({ ...POT_PRODUCT, ...product })) },
});

/** For each reason, a case that triggers it and the nearest case that does not. */
const REASONS: Readonly<Record<SubStatus, readonly (readonly [what: string, comes: Change, goes: Change])[]>> = {
  'Missing title': [
    ['blank title', { document: { product_title: ' \u200b\u00a0\t ' } }, { document: { product_title: ' \u200bA' } }],
  ],
  'Missing brand': [
    ['blank brand', { document: { brand: '\u3000' } }, { document: { brand: 'P' }, evidence: catalog({ brand: 'p' }) }],
  ],
  'Missing price': [['no price', { facts: { priced: false } }, { facts: { priced: true } }]],
  'Missing category': [
    ['no category, and an unknown product', { base: NO_CATEGORY, evidence: catalog() }, { base: NO_CATEGORY }],
    [
      'no category, and a product without one',
      { base: NO_CATEGORY, evidence: catalog({ categoryId: null }) },
      { evidence: catalog({ categoryId: null }) },
    ],
  ],
  'Invalid category': [
    [
      'a department',
      { document: { marketplace_browse_node_id: HOME } },
      { document: { marketplace_browse_node_id: POTS } },
    ],
    ['a retired node', { document: { marketplace_browse_node_id: RETIRED } }, {}],
    ['a node that does not exist', { document: { marketplace_browse_node_id: 999 } }, {}],
    ['a product whose node does not exist', { base: NO_CATEGORY, evidence: catalog({ categoryId: 999 }) }, {}],
    [
      'a department, but not with a shoe type',
      { document: { marketplace_browse_node_id: HOME } },
      { document: { ...BOOT, marketplace_browse_node_id: HOME } },
    ],
  ],
  'Missing attribute value': [
    ['no size', { document: { marketplace_browse_node_id: SHIRTS }, ...IN_GROUP }, { document: SHIRT, ...IN_GROUP }],
    ['a shoe without Style', { document: { ...BOOT, attributes_node_specific: [] } }, { document: BOOT }],
    ['a number out of range', { document: capacity('20.5', 'qt') }, { document: capacity('20', 'QT') }],
    ['no unit', { document: capacity('5') }, { document: capacity('5', 'l') }],
    ['another unit', { document: capacity('5', 'gal') }, { document: capacity('5', 'l') }],
  ],
  'Missing variation information': [
    ['clothing in no group', { document: SHIRT, facts: { inGroup: false } }, { document: SHIRT, ...IN_GROUP }],
    [
      'clothing that has left its group',
      { document: SHIRT, evidence: { group: GOOD_GROUP } },
      { document: SHIRT, ...IN_GROUP },
    ],
    ['clothing that repeats the values of another', leftOut({ why: 'values_repeated', of: 'parent' }), SHIRT_IN_GROUP],
    ['clothing whose brand differs from its parent', leftOut({ why: 'brand_differs' }), SHIRT_IN_GROUP],
    ['clothing without a refinement', leftOut({ why: 'refinement_missing' }), SHIRT_IN_GROUP],
    ['clothing, and not shoes', { document: SHIRT }, { document: BOOT }],
    ['clothing, and not pots', { document: SHIRT }, {}],
  ],
  'Invalid SKU identifier': [
    ['a wrong check digit', { document: { ...upc('012345678906'), ASIN: 'B00ABCD123' }, evidence: asinKnown() }, {}],
    ['zeros alone', { document: upc('000000000000') }, {}],
    ['a wrong code, and not an ASIN alone', { document: upc('012345678906') }, { ...asinAlone() }],
  ],
  'Additional SKU ID needed': [
    [
      'another brand in the catalog',
      { evidence: catalog({ brand: 'Tinker' }) },
      { evidence: catalog({ brand: 'POTTER.' }) },
    ],
    ['another brand, and not an unknown code', { evidence: catalog({ brand: 'Tinker' }) }, { evidence: catalog() }],
  ],
  'Incorrect multipack quantity': [
    [
      'a title with another number',
      { document: { product_title: 'Pots, pack of 6', multipack_quantity: 5 } },
      { document: { product_title: 'Pots, pack of 6', multipack_quantity: 6 } },
    ],
    [
      'a six-pack sold as one item',
      { document: { product_title: 'Pots (6-pack)' } },
      { document: { product_title: 'Pots, set of 6' } },
    ],
  ],
  'Missing image': [
    ['a bad main image', { evidence: images(BAD_IMAGE) }, { evidence: images(GOOD_IMAGE) }],
    [
      'a bad alternate image',
      { document: alternate(SIDE), evidence: images(GOOD_IMAGE, BAD_IMAGE) },
      { document: alternate(SIDE), evidence: images(GOOD_IMAGE) },
    ],
    ['a bad image, where images are checked', { evidence: images(BAD_IMAGE) }, { knowledge: { imageCheck: 'off' } }],
  ],
  'Missing shipping weight': [
    [
      'stock at a node with rates per pound',
      { facts: { stockNodeIds: [FLAT_NODE, PER_POUND_NODE] } },
      { facts: { stockNodeIds: [PER_POUND_NODE] }, document: { shipping_weight_pounds: 2 } },
    ],
    [
      'stock at a node that charges by the pound, not at a node with flat rates',
      { facts: { stockNodeIds: [PER_POUND_NODE] } },
      { facts: { stockNodeIds: [FLAT_NODE] } },
    ],
    [
      'stock at a node that charges by the pound, while the merchant has the node',
      { facts: { stockNodeIds: [PER_POUND_NODE] } },
      { facts: { stockNodeIds: [PER_POUND_NODE] }, knowledge: { account: { merchantId: 'acme', nodes: new Map() } } },
    ],
  ],
};

function asinKnown(): Partial<Evidence> {
  const code = 'asin:B00ABCD123';
  return { catalog: { codes: [UPC_CODE, code], products: [{ ...POT_PRODUCT, code }] } };
}

function asinAlone(): Change {
  return { base: without('standard_product_codes'), document: { ASIN: 'b00abcd123' }, evidence: asinKnown() };
}

describe('sub-statuses', () => {
  it('all have test cases', () => assert.deepEqual(Object.keys(REASONS).sort(), [...SUB_STATUSES].sort()));

  for (const [subStatus, cases] of Object.entries(REASONS)) {
    for (const [what, comes, goes] of cases) {
      it(`${subStatus}: ${what}`, () => {
        assert.deepEqual(evaluate(comes), { status: 'missing', subStatuses: [subStatus] });
        assert.deepEqual(evaluate(goes), AVAILABLE);
        const failed = review(comes).checks.filter(({ state }) => state === 'failed');
        assert.deepEqual([...new Set(failed.map((result) => result.subStatus))], [subStatus]);
        for (const { remedy, next, code } of failed) assert.ok(remedy && next && code, what);
      });
    }
  }

  it('are all listed, each once, in the order of the contract', () => {
    const change: Change = {
      document: { ...alternate(SIDE), brand: ' ', marketplace_browse_node_id: HOME },
      facts: { priced: false },
      evidence: images(BAD_IMAGE, BAD_IMAGE),
    };
    assert.deepEqual(evaluate(change).subStatuses, [
      'Missing price',
      'Missing image',
      'Missing brand',
      'Invalid category',
    ]);
  });
});

const EXCLUDED: readonly Policy[] = [{ kind: 'excluded_brand', brand: 'potter' }];
const EXCLUDED_CODE: readonly Policy[] = [{ kind: 'excluded_code', code: 'asin:B00ABCD123' }];
const RESTRICTED: readonly Policy[] = [{ kind: 'restricted_brand', brand: 'POTTER', merchantIds: ['zenith'] }];

describe('status', () => {
  it('is available for a good offer', () => assert.deepEqual(evaluate({}), AVAILABLE));

  it('is the first match: archived, excluded, unauthorized, review, missing', () => {
    const worst = { facts: { priced: false }, evidence: { images: {} } };
    const orderly: readonly (readonly [Status, Change])[] = [
      ['archived', { ...worst, facts: { priced: false, archived: true }, policies: [...EXCLUDED, ...RESTRICTED] }],
      ['excluded', { ...worst, policies: [...EXCLUDED, ...RESTRICTED] }],
      ['unauthorized', { ...worst, policies: RESTRICTED }],
      ['review', worst],
      ['missing', { facts: { priced: false } }],
    ];
    for (const [status, change] of orderly) {
      assert.deepEqual(evaluate(change), { status, subStatuses: ['Missing price'] }, 'known sub-statuses are listed');
    }
  });

  it('needs only one fact for each', () => {
    assert.deepEqual(evaluate({ facts: { archived: true } }), { status: 'archived', subStatuses: [] });
    assert.deepEqual(evaluate({ policies: EXCLUDED }), { status: 'excluded', subStatuses: [] });
    assert.deepEqual(evaluate({ policies: RESTRICTED }), { status: 'unauthorized', subStatuses: [] });
    assert.deepEqual(evaluate({ evidence: { images: {} } }), { status: 'review', subStatuses: [] });
    assert.deepEqual(evaluate({ facts: { priced: false } }).status, 'missing');
  });

  it('is excluded by brand, category, parent category and code, and by nothing else', () => {
    const policies: readonly Policy[] = [
      ...EXCLUDED,
      { kind: 'excluded_category', nodeId: POTS },
      { kind: 'excluded_category', nodeId: HOME },
      { kind: 'excluded_code', code: UPC_CODE },
    ];
    for (const policy of policies) assert.equal(evaluate({ policies: [policy] }).status, 'excluded', policy.kind);
    const others: readonly Policy[] = [
      { kind: 'excluded_brand', brand: 'Tinker' },
      { kind: 'excluded_category', nodeId: SHIRTS },
      { kind: 'excluded_code', code: 'asin:B00ABCD123' },
    ];
    assert.deepEqual(evaluate({ policies: others }), AVAILABLE);
    const home: readonly Policy[] = [{ kind: 'excluded_category', nodeId: HOME }];
    assert.equal(evaluate({ base: NO_CATEGORY, policies: home }).status, 'excluded', 'by the category of the catalog');
  });

  it('names who must act next', () => {
    const worst: Change = { facts: { priced: false }, evidence: { images: {} } };
    for (const [next, change] of [
      ['merchant', { ...worst, facts: { priced: false, archived: true }, policies: EXCLUDED }],
      ['marketplace', { ...worst, policies: [...EXCLUDED, ...RESTRICTED] }],
      ['merchant', { ...worst, policies: RESTRICTED }],
      ['merchant', worst],
      ['marketplace', { evidence: { images: {} } }],
      ['merchant', { facts: { priced: false } }],
      [null, {}],
    ] as const) {
      const { next: found, status } = review(change);
      assert.equal(found, next, status);
    }
  });

  it('is unauthorized without a grant, and not with one', () => {
    const grant: Policy = { kind: 'restricted_brand', brand: 'Potter', merchantIds: ['acme'] };
    assert.equal(evaluate({ policies: RESTRICTED }).status, 'unauthorized');
    assert.deepEqual(evaluate({ policies: [...RESTRICTED, grant] }), AVAILABLE);
  });
});

describe('pending checks', () => {
  const pending = (change: Change) =>
    review(change)
      .checks.filter(({ state }) => state === 'pending')
      .map((result) => result.check);

  it('are the checks whose code or URL has no evidence, and no others', () => {
    assert.deepEqual(pending({}), []);
    assert.deepEqual(pending({ evidence: { images: {} } }), ['main_image']);
    assert.deepEqual(pending({ document: alternate(SIDE) }), ['alternate_images']);
    assert.deepEqual(pending({ document: { main_image_url: SIDE } }), ['main_image'], 'stale evidence is not used');
    assert.deepEqual(pending({ document: upc('036000291452') }), ['catalog'], 'stale evidence is not taken');
    assert.deepEqual(pending({ document: { product_title: 'Another title' } }), [], 'a title makes nothing pending');
    const evidence = { catalog: { codes: [UPC_CODE, 'asin:B00ABCD123'] as const, products: [] } };
    assert.deepEqual(pending({ evidence }), [], 'codes that were dropped do not matter');
  });

  it('are all checks that need the category, until the catalog lookup', () => {
    const change: Change = {
      base: NO_CATEGORY,
      evidence: { catalog: { codes: [], products: [] } },
      policies: [{ kind: 'excluded_category', nodeId: SHIRTS }],
    };
    const waiting = ['exclusion', 'catalog', 'category', 'category_node', 'attributes', 'variation_group'];
    assert.deepEqual(pending(change), waiting);
    assert.deepEqual(evaluate(change), { status: 'review', subStatuses: [] });
    assert.deepEqual(pending({ ...change, policies: EXCLUDED_CODE }), waiting.slice(1), 'no category is excluded');
  });

  it('end: an image is pending only while it is retried', () => {
    assert.equal(evaluate({ evidence: images(SLOW_IMAGE) }).status, 'review');
    assert.equal(evaluate({ evidence: images(BAD_IMAGE) }).status, 'missing');
  });

  it('name what they wait for, and need no action of the merchant', () => {
    const { next, remedy, subStatus, code } = check({ evidence: { images: {} } }, 'main_image');
    assert.deepEqual([next, subStatus, code], ['marketplace', null, null]);
    assert.match(remedy ?? '', /No action needed/);
  });

  it('name the failure of an image host during retries, which the merchant can fix', () => {
    const failed = { ...SLOW_IMAGE, httpStatus: 503, nextMs: 1_700_000_060_000 };
    const evidence = { images: {}, failedTries: { [MAIN_IMAGE]: failed, [SIDE]: { ...failed, nextMs: null } } };
    const main = check({ evidence }, 'main_image');
    assert.deepEqual([main.state, main.next, main.code], ['pending', 'merchant', null]);
    assert.match(main.remedy ?? '', /The server retries automatically\. The image server took too long .* send POST/);
    assert.deepEqual(main.evidence, {
      image_url: MAIN_IMAGE,
      last_try: {
        failures: ['timed_out'],
        tries: 1,
        checked_at_ms: failed.checkedAtMs,
        final_address: failed.finalAddress,
        http_status: 503,
        next_try_at_ms: failed.nextMs,
      },
    });
    const side = check({ document: alternate(SIDE), evidence }, 'alternate_images');
    assert.deepEqual([side.state, side.next], ['pending', 'merchant']);
    assert.match(side.remedy ?? '', /Problem with image 3: The image server took too long/);
  });

  it('ask nothing of the merchant when the host delivered the image that is retried', () => {
    const checks = [{ check: 'image', state: 'failed', failure: 'not_reviewed' }] as const;
    const evidence = { images: {}, failedTries: { [MAIN_IMAGE]: { ...SLOW_IMAGE, checks, nextMs: null } } };
    const { state, next, remedy } = check({ evidence }, 'main_image');
    assert.deepEqual([state, next], ['pending', 'marketplace']);
    assert.match(remedy ?? '', /No action needed/);
  });

  it('are not shown if the image has a result, even after a failed re-check', () => {
    const evidence = { failedTries: { [MAIN_IMAGE]: { ...SLOW_IMAGE, nextMs: null } } };
    const { state, next, evidence: shown } = check({ evidence }, 'main_image');
    assert.deepEqual([state, next, shown.verdict], ['passed', null, 'passed']);
    assert.ok(shown.last_try);
  });
});

describe('skipped checks', () => {
  it('are images if the operator has switched image checks off', () => {
    const off: Change = { document: alternate(SIDE), evidence: { images: {} }, knowledge: { imageCheck: 'off' } };
    assert.deepEqual(evaluate(off), AVAILABLE);
    for (const id of ['main_image', 'alternate_images']) {
      const { state, evidence } = check(off, id);
      assert.equal(state, 'skipped');
      assert.match(String(evidence.reason), /switched off image checks/);
    }
  });

  it('are images of an archived offer that were never checked, and only those', () => {
    const archived: Change = { document: alternate(SIDE), facts: { archived: true } };
    for (const id of ['main_image', 'alternate_images']) {
      const unseen = check({ ...archived, evidence: { images: {} } }, id);
      assert.deepEqual([unseen.state, unseen.next, unseen.remedy], ['skipped', null, null], id);
      assert.match(String(unseen.evidence.reason), /archived\. Its images are checked after/);
      assert.equal(check({ ...archived, evidence: images(GOOD_IMAGE) }, id).state, 'passed');
      assert.equal(check({ ...archived, evidence: images(BAD_IMAGE, BAD_IMAGE) }, id).state, 'failed');
    }
  });

  it('are catalog checks without a valid code or without a brand', () => {
    assert.equal(check({ document: upc('012345678906') }, 'catalog').state, 'skipped');
    assert.equal(check({ document: { brand: ' ' } }, 'catalog').state, 'skipped');
  });

  it('are attribute and group checks without a valid category', () => {
    const change = { document: { marketplace_browse_node_id: HOME } };
    assert.equal(check(change, 'attributes').state, 'skipped');
    assert.equal(check(change, 'variation_group').state, 'skipped');
    assert.equal(check({ base: NO_CATEGORY, evidence: catalog() }, 'category_node').state, 'skipped');
    // A taxonomy may ask for groups in any category.
    assert.doesNotMatch(String(check({}, 'variation_group').evidence.reason), /clothing/i);
  });

  it('say why', () => {
    for (const result of review({ document: BOOT }).checks) {
      assert.equal(result.state === 'skipped', 'reason' in result.evidence, result.check);
      if (result.state === 'skipped') assert.match(String(result.evidence.reason), /\w\.$/);
    }
  });
});
