/**
 * Tests that the review and the SKU read never disagree, on generated offers in which everything may be wrong at
 * once.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Int64, parseExactJson, stringifyExactJson } from '../int64.ts';
import type { ImageEvidence } from '../vocabulary/image-failures.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../vocabulary/statuses.ts';
import type { KnownProduct } from './catalog.ts';
import type { CheckState } from './check.ts';
import type { UploadedAttribute } from './checks/attributes.ts';
import type { Evidence, Knowledge, OfferFacts, ReviewedDocument } from './facts.ts';
import { compilePolicies, type Policy } from './policies.ts';
import { evaluateOffer, type Review, reviewOffer } from './review-offer.ts';
import {
  BAD_IMAGE,
  BOOK,
  BOOTS,
  CAPACITY,
  COLLECTION,
  FLAT_NODE,
  GOOD_GROUP,
  GOOD_IMAGE,
  HOME,
  KNOWLEDGE,
  NAMES,
  PER_POUND_NODE,
  POTS,
  RETIRED,
  SHIRTS,
  SIZE,
  SLOW_IMAGE,
  STYLE,
  UPC,
  UPC_CODE,
} from './testing/good-offer.ts';

const OFFERS = 3000;
const SEED = 20_261_115;

/** Returns numbers from 0 to below 1, the same in every run. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    // A linear congruential generator modulo 2^31; its high bits are random enough to mix cases.
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return this.#state / 0x8000_0000;
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  one<T>(...of: readonly [T, ...T[]]): T {
    return of[Math.floor(this.next() * of.length)] ?? of[0];
  }

  some<T>(share: number, ...of: readonly T[]): T[] {
    return of.filter(() => this.happens(share));
  }
}

interface Case {
  readonly facts: OfferFacts;
  readonly knowledge: Knowledge;
  readonly evidence: Evidence;
}

const IMAGES = ['https://img.example/1.jpg', 'https://img.example/2.jpg', 'https://img.example/3.jpg'] as const;

/** Nearly every field is valid, so that each state and each status occurs. */
function generate(chance: Chance): Case {
  const rarely = <T>(usual: T, ...odd: readonly [T, ...T[]]): T => (chance.happens(0.9) ? usual : chance.one(...odd));
  const facts: OfferFacts = {
    document: documentOf(chance, rarely),
    archived: rarely(false, true),
    priced: rarely(true, false),
    stockNodeIds: chance.some(0.2, FLAT_NODE, PER_POUND_NODE, 'gone'),
    inGroup: chance.happens(0.7),
  };
  const policies = chance.some<Policy>(
    0.05,
    { kind: 'excluded_brand', brand: 'POTTER' },
    { kind: 'excluded_category', nodeId: HOME },
    { kind: 'excluded_code', code: UPC_CODE },
    { kind: 'restricted_brand', brand: 'potter', merchantIds: [] },
    { kind: 'restricted_brand', brand: 'Potter', merchantIds: ['acme'] },
  );
  const knowledge: Knowledge = rarely<Knowledge>(
    { ...KNOWLEDGE, policies: compilePolicies(policies), imageCheck: rarely('on', 'off') },
    { review: 'off', taxonomy: BOOK },
  );
  return { facts, knowledge, evidence: evidenceOf(chance, rarely) };
}

type Rarely = <T>(usual: T, ...odd: readonly [T, ...T[]]) => T;

function documentOf(chance: Chance, rarely: Rarely): ReviewedDocument {
  const attribute = (attribute_id: number | bigint, ...values: readonly [string, ...string[]]): UploadedAttribute => ({
    attribute_id,
    attribute_value: chance.one(...values),
    ...(chance.happens(0.8) ? { attribute_value_unit: chance.one('qt', 'QT', 'gal', '') } : {}),
  });
  const attributes = chance.some(
    0.8,
    attribute(SIZE, 'M', ' s', 'one size', 'banana'),
    attribute(CAPACITY, '5', '5.5', '21', 'much'),
    attribute(COLLECTION, 'Winter', ' '),
    attribute(STYLE, 'Chelsea'),
  );
  const category = chance.one<Partial<ReviewedDocument>>(
    { marketplace_browse_node_id: POTS },
    { marketplace_browse_node_id: SHIRTS },
    { product_type_id: BOOTS, marketplace_browse_node_id: HOME },
    {},
    { marketplace_browse_node_id: rarely<Int64>(POTS, HOME, RETIRED, 999, 2n ** 60n) },
  );
  const upc = (standard_product_code: string) =>
    ({ standard_product_code_type: 'UPC', standard_product_code }) as const;
  return {
    product_title: rarely('A pot', ' ', 'Pots, pack of 6', 'Pots, set of 6'),
    brand: rarely('Potter', '\u3000', 'Tinker', 'POTTER'),
    multipack_quantity: rarely(1, 6),
    main_image_url: chance.one(...IMAGES),
    alternate_images: chance.some(0.3, ...IMAGES).map((image_url, place) => ({ image_slot_id: place + 1, image_url })),
    standard_product_codes: rarely([upc(UPC)], [upc('012345678906')], [upc(UPC), upc('036000291452')], []),
    ...rarely<Partial<ReviewedDocument>>({}, { ASIN: 'b00abcd123' }),
    ...(chance.happens(0.5) ? { shipping_weight_pounds: 2 } : {}),
    ...category,
    ...(attributes.length === 0 ? {} : { attributes_node_specific: attributes }),
  };
}

function evidenceOf(chance: Chance, rarely: Rarely): Evidence {
  const product: KnownProduct = {
    code: UPC_CODE,
    brand: rarely('Potter', 'Tinker'),
    title: 'A pot',
    categoryId: rarely<number | null>(POTS, null, 999, SHIRTS),
    origin: 'offer',
  };
  const image = () => rarely<ImageEvidence>(GOOD_IMAGE, BAD_IMAGE, SLOW_IMAGE);
  return {
    ...rarely<Evidence>({ catalog: { codes: [UPC_CODE, 'asin:B00ABCD123'], products: chance.some(0.8, product) } }, {}),
    ...rarely<Evidence>(
      { group: GOOD_GROUP },
      { group: { ...GOOD_GROUP, leftOut: { why: 'values_repeated', of: 'parent' } } },
      { group: { ...GOOD_GROUP, leftOut: { why: 'brand_differs' } } },
      { group: { ...GOOD_GROUP, leftOut: { why: 'refinement_missing' } } },
      {},
    ),
    ...rarely<Evidence>({ images: Object.fromEntries(chance.some(0.95, ...IMAGES).map((url) => [url, image()])) }, {}),
  };
}

/** Derives the status a second time, only from the checks that the review shows. */
function statusShown({ checks }: Review): Status {
  const failed = checks.filter(({ state }) => state === 'failed');
  if (failed.some(({ code }) => code === 'archived')) return 'archived';
  if (failed.some(({ code }) => code === 'excluded')) return 'excluded';
  if (failed.some(({ code }) => code === 'unauthorized')) return 'unauthorized';
  if (checks.some(({ state }) => state === 'pending')) return 'review';
  return failed.length > 0 ? 'missing' : 'available';
}

describe('generated offers', () => {
  const cases: (Case & { readonly review: Review })[] = [];
  before(() => {
    const chance = new Chance(SEED);
    for (let count = 0; count < OFFERS; count++) {
      const { facts, knowledge, evidence } = generate(chance);
      cases.push({ facts, knowledge, evidence, review: reviewOffer(facts, knowledge, evidence, NAMES) });
    }
  });

  it('have the same status with and without the reasons', () => {
    for (const { facts, knowledge, evidence, review } of cases) {
      const { status, subStatuses } = review;
      assert.deepEqual(evaluateOffer(facts, knowledge, evidence), { status, subStatuses });
    }
  });

  it('have the status that their checks show', () => {
    for (const { facts, review } of cases) {
      assert.equal(review.status, statusShown(review));
      assert.equal(review.status === 'archived', facts.archived);
      const shown = SUB_STATUSES.filter((subStatus) => review.checks.some((check) => check.subStatus === subStatus));
      assert.deepEqual(review.subStatuses, shown);
    }
  });

  it('name a remedy when an action is needed', () => {
    for (const { review } of cases) {
      for (const { check, state, code, subStatus, next, remedy } of review.checks) {
        const isFailure = state === 'failed';
        assert.equal(code !== null, isFailure, check);
        if (!isFailure) assert.equal(subStatus, null, check);
        assert.equal(next !== null, isFailure || state === 'pending', check);
        assert.equal(remedy !== null, next !== null, check);
        if (remedy !== null) assert.match(remedy, /^[A-Z](?!.*(?:undefined|null|NaN|\[object)).*\.$/, check);
      }
    }
  });

  it('can be written and read back as JSON', () => {
    for (const { review } of cases.slice(0, 300)) {
      assert.deepEqual(parseExactJson(stringifyExactJson(review)), review);
    }
  });

  it('give the same result twice, and do not change their input', () => {
    for (const { facts, knowledge, evidence, review } of cases.slice(0, 300)) {
      const before = stringifyExactJson([facts, evidence]);
      assert.deepEqual(reviewOffer(facts, knowledge, evidence, NAMES), review);
      assert.equal(stringifyExactJson([facts, evidence]), before);
    }
  });

  it('cover every status, every sub-status and every state of a check', () => {
    const statuses = new Set(cases.map(({ review }) => review.status));
    const subStatuses = new Set(cases.flatMap(({ review }) => review.subStatuses));
    const states = new Set(cases.flatMap(({ review }) => review.checks.map(({ state }) => state)));
    assert.deepEqual([...statuses].sort(), Object.keys(STATUSES).sort());
    assert.deepEqual([...subStatuses].sort(), [...SUB_STATUSES].sort());
    assert.deepEqual([...states].sort(), ['failed', 'passed', 'pending', 'skipped'] satisfies CheckState[]);
  });
});
