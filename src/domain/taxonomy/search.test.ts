/** Tests that people find nodes by the words they would type, the likeliest first. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeEntry } from './entries.ts';
import { TaxonomyBuilder } from './tree.ts';

const builder = new TaxonomyBuilder();
for (const [node, parent, name] of [
  [1, undefined, 'Pets'],
  [2, 1, 'Dogs'],
  [3, 2, 'Dog Food'],
  [4, 2, 'Dog Food Bowls'],
  [5, undefined, 'Clothing'],
  [6, 5, 'T-Shirts'],
  [7, 5, "Children's Clothing"],
  [8, undefined, 'Küche & Straße'],
  [9, 8, 'Töpfe'],
  [10, undefined, 'Grocery'],
  [11, 10, 'Food for Dogs and Cats'],
] as const) {
  builder.add(nodeEntry({ node, name, ...(parent === undefined ? {} : { parent }) }));
}
const tree = builder.build();
const found = (text: string, limit = 10) => tree.search(text, limit).map(({ id }) => id);

const called = new TaxonomyBuilder();
for (const [node, parent, name, words] of [
  [1, undefined, 'Dining', []],
  [2, 1, 'Dinnerware', ['mug', 'coffee cup', 'drinkware']],
  [3, 1, 'Mug Trees', []],
  [4, 1, 'Glassware', ['Trinkgefäß', 'drinkware']],
] as const) {
  called.add(nodeEntry({ node, name, words, ...(parent === undefined ? {} : { parent }) }));
}

describe('search for nodes', () => {
  it('finds nodes by everyday words, after those that have the word in their name', () => {
    const byWord = (text: string) =>
      called
        .build()
        .search(text, 10)
        .map(({ id }) => id);
    assert.deepEqual(byWord('mugs'), [3, 2]);
    assert.deepEqual(byWord('cup'), [2]);
    assert.deepEqual(byWord('coffee cups dining'), [2]);
    assert.deepEqual(byWord('drinkware'), [2, 4]);
    assert.deepEqual(byWord('trinkgefass'), [4]);
    assert.deepEqual(byWord('drink'), [2, 4]);
    assert.deepEqual(byWord('drinks'), []);
  });
  it('requires every word, in the name or in the names of its ancestors', () => {
    assert.deepEqual(found('dog food'), [3, 4, 11]);
    assert.deepEqual(found('food pets'), [3, 4]);
    assert.deepEqual(found('dog elephant'), []);
  });
  it('ranks whole words before prefixes, own names before ancestors, and short names first', () => {
    assert.deepEqual(found('clothing'), [5, 7, 6]);
    assert.deepEqual(found('fo'), [3, 4, 11]);
    assert.deepEqual(found('cloth'), [5, 7, 6]);
  });
  it('matches singular and plural as whole words', () => {
    assert.deepEqual(found('dogs foods'), [3, 4, 11]);
    assert.deepEqual(found('pet', 1), [1]);
  });
  it('folds letter case, accents, sharp s, hyphens and apostrophes', () => {
    for (const text of ['KUCHE', 'küche', 'ku\u0308che', 'strasse', 'STRASSE', 'Straße']) {
      assert.deepEqual(found(text).toSorted(), [8, 9], text);
    }
    for (const text of ['tshirt', 't-shirt', 'T SHIRTS', 'shirt']) assert.deepEqual(found(text), [6], text);
    for (const text of ["children's", 'childrens', 'children', 'CHILDREN’S']) assert.deepEqual(found(text), [7], text);
  });
  it('shows at most the requested number, and nothing without a word', () => {
    assert.deepEqual(found('dog food', 2), [3, 4]);
    for (const text of ['', ' ', '!?&', '\u0301']) assert.deepEqual(found(text), [], JSON.stringify(text));
  });
  it('treats regular expressions and prototype names as text', () => {
    for (const text of ['.*', '(', 'constructor', '__proto__', '[a-z]+']) assert.deepEqual(found(text), [], text);
  });
});
