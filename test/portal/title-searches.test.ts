/** Tests which searches for a category follow from the title of an offer. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { titleSearches } from '../../portal/src/api/title-searches.ts';

it('the product is the last word before the details', () => {
  for (const [title, searches] of [
    ['Stoneware mug, 12 oz', ['stoneware mug', 'mug', 'stoneware']],
    ['Mug', ['mug']],
    ['Dog bed for large dogs', ['dog bed', 'bed', 'dog']],
    ['Pan 12-inch', ['pan']],
    ['Kettle – Moss', ['kettle']],
    ['Mug mug', ['mug mug', 'mug']],
    ['One two three four five', ['four five', 'five', 'four', 'three']],
    ['TV', []],
    ['', []],
  ] as const)
    assert.deepEqual(titleSearches(title), searches, title);
});
