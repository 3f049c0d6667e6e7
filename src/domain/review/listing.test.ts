/** Tests the search keys of an offer in the offer list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_EVIDENCE } from './facts.ts';
import { listingOf } from './listing.ts';
import { GOOD_EVIDENCE, GOOD_FACTS, KNOWLEDGE, POTS, UPC } from './testing/good-offer.ts';

const { marketplace_browse_node_id: _own, ...uncategorized } = GOOD_FACTS.document;

test('title, words, and the category that the offer names', () => {
  assert.deepEqual(listingOf('Pot-1', GOOD_FACTS, KNOWLEDGE, NO_EVIDENCE), {
    titleKey: 'a pot with a lid',
    categoryId: String(POTS),
    words: ['a', 'pot', 'with', 'lid', 'potter', '1', UPC, UPC.replace(/^0/, '')],
  });
});

test('an offer without a category gets the category of the catalog after the lookup', () => {
  const facts = { ...GOOD_FACTS, document: uncategorized };
  const categoryOf = (evidence: typeof GOOD_EVIDENCE) => listingOf('a', facts, KNOWLEDGE, evidence).categoryId;
  assert.equal(categoryOf(NO_EVIDENCE), null);
  assert.equal(categoryOf(GOOD_EVIDENCE), GOOD_EVIDENCE.catalog?.products[0]?.categoryId?.toString() ?? null);
});

test('an id beyond 2^53 is written exactly', () => {
  const document = { ...uncategorized, marketplace_browse_node_id: 9_223_372_036_854_775_807n };
  const listing = listingOf('a', { ...GOOD_FACTS, document }, KNOWLEDGE, NO_EVIDENCE);
  assert.equal(listing.categoryId, '9223372036854775807');
});
