/** Tests that a SKU read shows the stored verdict only while a new review would reach the same one. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account, FulfillmentNode } from '../domain/account.ts';
import { compilePolicies, NO_POLICIES, type Policy } from '../domain/review/policies.ts';
import { GOOD_DOCUMENT, GOOD_EVIDENCE, KNOWLEDGE } from '../domain/review/testing/good-offer.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import { clearableOf } from '../store/contract/put-parts.ts';
import type { StoredOffer, StoredReview } from '../store/port/offers.ts';
import type { Context } from './context.ts';
import { readSku } from './read-sku.ts';
import { type ReviewRules, reviewKnowledge } from './review-knowledge.ts';

const RULES: ReviewRules = {
  taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: 'first' } as unknown as TaggedTaxonomy },
  policies: { current: NO_POLICIES },
  imageCheck: 'on',
  newProductData: [],
  code: 'as it is',
};

const STORED: StoredOffer = {
  document: JSON.stringify(GOOD_DOCUMENT),
  documentTag: 'tag',
  archived: false,
  priced: true,
  clearable: clearableOf(),
  group: null,
  inGroup: false,
  stockNodeIds: [],
  evidence: GOOD_EVIDENCE,
};

/** Differs from the verdict of a new review, so that a test can tell the two apart. */
const REVIEWED = { status: 'missing', subStatuses: ['Missing price'] } as const;

function read(verdict: StoredReview | null, rules = RULES) {
  const store = { offers: { readReviewedOffer: () => ({ ...STORED, verdict }), readOffer: () => STORED } };
  const outcome = readSku({ store, rules } as unknown as Context, accountOf(), 'pot');
  assert.ok(!(outcome instanceof Promise) && outcome.ok);
  const { status, subStatuses } = outcome.value.verdict;
  return { status, subStatuses };
}

function accountOf(change: Partial<Account> = {}): Account {
  return { ...KNOWLEDGE.account, accountId: 7, ...change } as Account;
}

describe('read of a SKU', () => {
  const { tag: rules } = reviewKnowledge(RULES, accountOf());
  const now = { status: 'available', subStatuses: [] };

  it('shows a verdict stored under the same rules', () => assert.deepEqual(read({ ...REVIEWED, rules }), REVIEWED));
  it('reviews an offer that is due', () => assert.deepEqual(read(null), now));
  it('reviews an offer whose verdict was stored under other rules', () => {
    assert.deepEqual(read({ ...REVIEWED, rules }, { ...RULES, code: 'changed' }), now);
  });
});

describe('tag of the rules', () => {
  const tag = (rules: Partial<ReviewRules> = {}, account = accountOf()) => {
    return reviewKnowledge({ ...RULES, ...rules }, account).tag;
  };
  const policies = (...list: Policy[]) => ({ policies: { current: compilePolicies(list) } });
  const restricted = (...merchantIds: string[]) => {
    return policies({ kind: 'restricted_brand', brand: 'Potter', merchantIds });
  };
  const east: FulfillmentNode = { id: 'east', rateKind: 'flat', methods: [], levels: [] };
  const nodes = (node: FulfillmentNode) => accountOf({ nodes: new Map([[node.id, node]]) });

  it('is the same for the same rules, in any order and for any merchant', () => {
    assert.equal(tag(), tag({ policies: { current: compilePolicies([]) } }));
    const [pots, pans] = ['Pots', 'Pans'].map((brand) => ({ kind: 'excluded_brand', brand }) as const);
    assert.ok(pots && pans);
    assert.equal(tag(policies(pots, pans)), tag(policies(pans, pots)));
    assert.equal(tag(restricted('other')), tag(restricted('another')), 'grants to others');
    assert.equal(tag({}, nodes(east)), tag({}, nodes({ ...east, levels: ['Standard'] })), 'no rule asks for levels');
  });

  it('changes with everything that a review depends on', () => {
    const tags = [
      tag(),
      tag({ code: 'changed' }),
      tag({ imageCheck: 'off' }),
      tag({ taxonomy: { current: { ...RULES.taxonomy.current, tag: 'second' } } }),
      tag(policies({ kind: 'excluded_brand', brand: 'Potter' })),
      tag(policies({ kind: 'excluded_category', nodeId: 9_223_372_036_854_775_807n })),
      tag(policies({ kind: 'excluded_code', code: 'gtin:00012345678905' })),
      tag(restricted()),
      tag(restricted(KNOWLEDGE.account.merchantId)),
      tag({}, nodes(east)),
      tag({}, nodes({ ...east, rateKind: 'per_pound' })),
      tag({}, nodes({ ...east, id: 'west' })),
    ];
    assert.equal(new Set(tags).size, tags.length);
  });

  it('follows a change to taxonomy or policies', () => {
    const account = accountOf();
    const taxonomy = { current: RULES.taxonomy.current };
    const rules = { ...RULES, taxonomy };
    const before = reviewKnowledge(rules, account);
    assert.equal(reviewKnowledge(rules, account), before);
    taxonomy.current = { ...taxonomy.current, tag: 'second' };
    assert.notEqual(reviewKnowledge(rules, account).tag, before.tag);
  });
});
