/** Tests that the table of parts agrees with the vocabularies, and that stored codes stay the same. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FILE_TYPES } from '../vocabulary/file-types.ts';
import { OFFER_PARTS } from '../vocabulary/offer-parts.ts';
import { PART, PARTS } from './parts.ts';

it('lists every part under its name', () => {
  assert.deepEqual(Object.keys(PART), OFFER_PARTS);
  assert.deepEqual(
    PARTS.map(({ name }) => name),
    OFFER_PARTS,
  );
});

it('has a part for each type of file but Offers, whose rows have several', () => {
  const types: readonly string[] = [...PARTS.map(({ fileType }) => fileType), 'Offers'];
  assert.deepEqual(types.toSorted(), FILE_TYPES.toSorted());
});

it('keeps the codes that databases have', () => {
  assert.deepEqual(Object.fromEntries(PARTS.map(({ name, code }) => [name, code])), {
    sku: 1,
    price: 2,
    inventory: 3,
    archive: 4,
    variation: 5,
    shipping_exception: 6,
    returns_exception: 7,
  });
});
