/** Tests that a search of many words makes a store look up only a few of them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIST_LIMITS, NO_FILTER, type OfferListRequest } from '../port/offer-list.ts';
import { type GatherRequest, OfferList, type WalkRequest, wordsLookedUp } from './offer-list-walk.ts';

const REQUEST: OfferListRequest = {
  ...NO_FILTER,
  sort: 'newest',
  after: undefined,
  limit: 50,
  limits: LIST_LIMITS,
};

/** Records the calls to a store that finds nothing and whose walks never end. */
async function asked(request: Partial<OfferListRequest>): Promise<{ walks: WalkRequest[]; gathers: GatherRequest[] }> {
  const [walks, gathers]: [WalkRequest[], GatherRequest[]] = [[], []];
  const list = new OfferList({
    walk: async (_account, walk) => {
      walks.push(walk);
      return { found: [], end: { key: '', order: 1 } };
    },
    gather: async (_account, gather) => {
      gathers.push(gather);
      return 'too_many';
    },
    readListed: async () => [],
  });
  await list.list(7, { ...REQUEST, ...request });
  return { walks, gathers };
}

it('looks up at most three words, the longest', () => {
  assert.deepEqual(wordsLookedUp(['ab', 'abcd', 'abc']), ['abcd', 'abc', 'ab']);
  assert.deepEqual(wordsLookedUp(['ab', 'abcd', 'abc', 'abcde']), ['abcde', 'abcd', 'abc']);
});

it('looks up no one-letter word, in any alphabet', () => {
  assert.deepEqual(wordsLookedUp(['a', '猫', '\u{20000}', 'ab', '猫屋']), ['ab', '猫屋']);
});

it('walks if all words have one letter, with the limit of a plain walk', async () => {
  const { walks, gathers } = await asked({ words: ['a', 'b', 'c'] });
  assert.deepEqual(gathers, []);
  assert.deepEqual(
    walks.map(({ words, examined_max }) => [words, examined_max]),
    [[['a', 'b', 'c'], LIST_LIMITS.examined_max]],
  );
});

it('gathers by longer words, and by other filters with any words', async () => {
  const byWords = await asked({ words: ['a', 'red'] });
  assert.deepEqual(
    byWords.gathers.map(({ selector, words }) => [selector, words]),
    [['words', ['a', 'red']]],
  );
  assert.deepEqual(
    byWords.walks.map(({ examined_max }) => examined_max),
    [LIST_LIMITS.first_examined_max, LIST_LIMITS.examined_max - LIST_LIMITS.first_examined_max],
  );
  const bySku = await asked({ words: ['a'], status: 'missing', sort: 'sku' });
  assert.deepEqual(
    bySku.gathers.map(({ selector }) => selector),
    ['status'],
  );
});
