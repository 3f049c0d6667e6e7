/** Tests that the review rules for clothing and shoes find the attributes they need in the starter taxonomy. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_EVIDENCE, type ReviewedDocument, type ReviewKnowledge } from '../domain/review/facts.ts';
import { NO_POLICIES } from '../domain/review/policies.ts';
import { evaluateOffer } from '../domain/review/review-offer.ts';
import { shoeGroupKey } from '../domain/review/shoe-group.ts';
import { SHOE_PRODUCT_TYPES } from '../domain/vocabulary/product-types.ts';
import { readStarter } from './read-stored.ts';

const { tree } = readStarter();
const CLOTHING = 1_000_000;
const KNOWLEDGE: ReviewKnowledge = {
  review: 'on',
  taxonomy: tree,
  policies: NO_POLICIES,
  account: { merchantId: 'acme', nodes: new Map() },
  imageCheck: 'off',
  newProductData: [],
};
const DOCUMENT: ReviewedDocument = {
  product_title: 'A garment',
  brand: 'Weaver',
  multipack_quantity: 1,
  main_image_url: 'https://img.example/a.jpg',
};

function subStatuses(document: Partial<ReviewedDocument>, inGroup = false) {
  const facts = { document: { ...DOCUMENT, ...document }, archived: false, priced: true, stockNodeIds: [], inGroup };
  return evaluateOffer(facts, KNOWLEDGE, NO_EVIDENCE).subStatuses;
}

/** Returns values for the attributes that the node requires. */
function required(id: number | bigint) {
  return tree
    .attributes(id)
    .filter((attribute) => attribute.required)
    .map(({ attribute }) => ({ attribute_id: attribute.id, attribute_value: attribute.values[0] ?? 'some' }));
}

describe('the starter taxonomy', () => {
  it('requires a size and a group for every clothing leaf', () => {
    const leaves = tree.nodes.filter(({ id, isLeaf }) => isLeaf && tree.path(id)[0] === tree.node(CLOTHING)?.name);
    assert.ok(leaves.length > 10);
    for (const { id: marketplace_browse_node_id, name } of leaves) {
      const bare = subStatuses({ marketplace_browse_node_id });
      assert.deepEqual(bare, ['Missing variation information', 'Missing attribute value'], name);
      const attributes_node_specific = required(marketplace_browse_node_id);
      assert.deepEqual(subStatuses({ marketplace_browse_node_id, attributes_node_specific }, true), [], name);
    }
  });

  it('requires a size, and no group, for hats and gloves', () => {
    for (const marketplace_browse_node_id of [1_132_020, 1_132_040]) {
      assert.deepEqual(subStatuses({ marketplace_browse_node_id }), ['Missing attribute value']);
      const attributes_node_specific = [{ attribute_id: 120, attribute_value: 'One Size' }];
      assert.deepEqual(subStatuses({ marketplace_browse_node_id, attributes_node_specific }), []);
    }
  });

  it('requires Collection and Style for every shoe, and never a group', () => {
    for (const { id: product_type_id, name } of SHOE_PRODUCT_TYPES) {
      assert.deepEqual(subStatuses({ product_type_id }), ['Missing attribute value'], name);
      const attributes_node_specific = required(product_type_id);
      assert.deepEqual(subStatuses({ product_type_id, attributes_node_specific }), [], name);
      assert.ok(shoeGroupKey({ ...DOCUMENT, product_type_id, attributes_node_specific }, tree), name);
    }
  });
});
