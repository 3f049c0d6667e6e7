/** Tests shoe-group.ts: which shoes belong together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UploadedAttribute } from './checks/attributes.ts';
import type { CategoryBook, ReviewedDocument } from './facts.ts';
import { shoeGroupKey } from './shoe-group.ts';
import { BOOK, BOOTS, COLLECTION, GOOD_DOCUMENT, POTS, SIZE, STYLE } from './testing/good-offer.ts';

function attributes(collection: string, style: string): UploadedAttribute[] {
  return [
    { attribute_id: COLLECTION, attribute_value: collection },
    { attribute_id: STYLE, attribute_value: style },
  ];
}

const BOOT: ReviewedDocument = {
  ...GOOD_DOCUMENT,
  product_type_id: BOOTS,
  attributes_node_specific: attributes('Winter', 'Chelsea'),
};
const key = (change: Partial<ReviewedDocument>) => shoeGroupKey({ ...BOOT, ...change }, BOOK);

describe('shoeGroupKey', () => {
  it('is the same for equal brand, Collection and Style', () => {
    assert.ok(key({}));
    assert.equal(key({ brand: ' POTTER' }), key({}));
    assert.equal(key({ attributes_node_specific: attributes(' winter', 'CHELSEA') }), key({}));
    const sized = [{ attribute_id: SIZE, attribute_value: 'M' }, ...attributes('Winter', 'Chelsea').reverse()];
    assert.equal(key({ product_title: 'Another one', attributes_node_specific: sized }), key({}));
    const { product_type_id: _none, ...plain } = BOOT;
    assert.equal(shoeGroupKey({ ...plain, marketplace_browse_node_id: BOOTS }, BOOK), key({}));
  });

  it('differs if any of the three differs', () => {
    const keys = [
      key({}),
      key({ brand: 'Other' }),
      key({ attributes_node_specific: attributes('Summer', 'Chelsea') }),
      key({ attributes_node_specific: attributes('Winter', 'Desert') }),
      key({ attributes_node_specific: attributes('Chelsea', 'Winter') }),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });

  it('does not exist for other products or for shoes without these attributes', () => {
    assert.equal(shoeGroupKey(GOOD_DOCUMENT, BOOK), undefined);
    assert.equal(shoeGroupKey({ ...BOOT, product_type_id: POTS }, BOOK), undefined);
    assert.equal(key({ brand: ' ' }), undefined);
    assert.equal(key({ attributes_node_specific: attributes('Winter', ' ') }), undefined);
    assert.equal(key({ attributes_node_specific: attributes('Winter', 'x').slice(0, 1) }), undefined);
  });

  it('does not exist if the taxonomy has no shoes or lacks these attributes', () => {
    const empty: CategoryBook = { node: () => undefined, attributes: () => [] };
    assert.equal(shoeGroupKey(BOOT, empty), undefined);
    const bare: CategoryBook = { node: (id) => BOOK.node(id), attributes: () => [] };
    assert.equal(shoeGroupKey(BOOT, bare), undefined);
  });
});
