/** Tests the suggestion for a search text that finds nothing. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import '../harness/portal-alias.ts';

const { nearestText } = await import('../../portal/src/api/spelling.ts');

const TITLES = ['Stovetop kettle, 2 qt Hearthside', 'Electric Kettle Hearthside', 'Stoneware mug, 12 oz'];

it('a misspelled text leads to the nearest words of the offers', () => {
  for (const [typed, meant] of [
    ['ketle', 'kettle'],
    ['Stovtop kettel', 'stovetop kettle'],
    ['stov kettel', 'stov kettle'],
    ['hearthsdie', 'hearthside'],
    ['mgu', 'mug'],
    ['kettle', null],
    ['kitten', null],
    ['stovtop table', null],
    ['', null],
  ] as const) {
    assert.equal(nearestText(typed, TITLES), meant, typed);
  }
});
