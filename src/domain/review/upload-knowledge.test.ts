/** Tests the verdict without background review: only the uploaded data is reviewed, and nothing is pending. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SubStatus } from '../vocabulary/statuses.ts';
import { CHECKS } from './checks.ts';
import { NO_EVIDENCE, type OfferFacts, type ReviewedDocument, type UploadKnowledge } from './facts.ts';
import { evaluateOffer, reviewOffer } from './review-offer.ts';
import {
  BOOK,
  BOOTS,
  GOOD_DOCUMENT,
  GOOD_FACTS,
  HOME,
  NAMES,
  PER_POUND_NODE,
  RETIRED,
  SHIRTS,
  without,
} from './testing/good-offer.ts';

const KNOWLEDGE: UploadKnowledge = { review: 'off', taxonomy: BOOK };

function factsOf(document: Partial<ReviewedDocument>, facts: Partial<OfferFacts> = {}): OfferFacts {
  return { ...GOOD_FACTS, ...facts, document: { ...GOOD_DOCUMENT, ...document } };
}

describe('an offer that is not reviewed', () => {
  const cases: readonly (readonly [string, OfferFacts, readonly SubStatus[]])[] = [
    ['a good one', GOOD_FACTS, []],
    ['no price', factsOf({}, { priced: false }), ['Missing price']],
    ['a blank title', factsOf({ product_title: ' ' }), ['Missing title']],
    ['a blank brand', factsOf({ brand: '\u3000' }), ['Missing brand']],
    ['no category', { ...GOOD_FACTS, document: without('marketplace_browse_node_id') }, ['Missing category']],
    ['a department', factsOf({ marketplace_browse_node_id: HOME }), ['Invalid category']],
    ['a retired node', factsOf({ marketplace_browse_node_id: RETIRED }), ['Invalid category']],
    [
      'a node beyond 2^53 that does not exist',
      factsOf({ marketplace_browse_node_id: 2n ** 60n }),
      ['Invalid category'],
    ],
    ['a shoe type and a department', factsOf({ product_type_id: BOOTS, marketplace_browse_node_id: HOME }), []],
    ['an ASIN alone', { ...GOOD_FACTS, document: { ...without('standard_product_codes'), ASIN: 'B00ABCD123' } }, []],
    ['clothing without size and group', factsOf({ marketplace_browse_node_id: SHIRTS }), []],
    ['a pack of six', factsOf({ product_title: 'Pots, pack of 6' }), []],
    ['no weight', factsOf({}, { stockNodeIds: [PER_POUND_NODE] }), []],
  ];
  for (const [what, facts, subStatuses] of cases) {
    it(`${what}: ${subStatuses.join(', ') || 'none'}`, () => {
      const status = subStatuses.length === 0 ? 'available' : 'missing';
      assert.deepEqual(evaluateOffer(facts, KNOWLEDGE, NO_EVIDENCE), { status, subStatuses });
    });
  }

  it('skips every other check, and says so', () => {
    const { checks } = reviewOffer(GOOD_FACTS, KNOWLEDGE, NO_EVIDENCE, NAMES);
    const expected = CHECKS.map(({ id, scope }) => [id, scope === 'upload' ? 'passed' : 'skipped']);
    assert.deepEqual(
      checks.map(({ check, state }) => [check, state]),
      expected,
    );
    const skipped = checks.filter(({ state }) => state === 'skipped');
    assert.deepEqual(
      [...new Set(skipped.map(({ evidence }) => evidence.reason))],
      ['The review is switched off on this server.'],
    );
  });
});
