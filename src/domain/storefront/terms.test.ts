/** Tests terms.ts: every word of a query is a term of its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryTerms } from './terms.ts';

describe('the terms of a query', () => {
  it('have all its words, also those that begin another one, the longest first', () => {
    assert.deepEqual(queryTerms({ q: 'Pot potter pot' }), ['w:potter', 'w:pot']);
    const words = Array.from({ length: 11 }, (_, place) => `${place}a`);
    assert.equal(queryTerms({ q: words.join(' ') }).length, 11);
  });
});
