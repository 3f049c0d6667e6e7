/** Tests that every country fits into `country_of_origin`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../limits.ts';
import { COUNTRIES } from './countries.ts';

it('countries are sorted, unique and short enough to be sent', () => {
  const sorted = COUNTRIES.toSorted((one, other) => one.localeCompare(other, 'en'));
  assert.deepEqual(COUNTRIES, sorted);
  assert.equal(new Set(COUNTRIES).size, COUNTRIES.length);
  for (const name of COUNTRIES) assert.ok(name.length <= LIMITS.country_of_origin_characters_max, name);
});
