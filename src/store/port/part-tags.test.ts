/** Tests that tags are the documented hashes, whether they are cached or computed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { inventoryTag, priceTag } from './part-tags.ts';

const documented = (text: string) => createHash('sha1').update(text).digest('base64url');

it('the tag of a price is the documented hash, for more prices than are cached, and when read again', () => {
  for (let round = 0; round < 2; round++) {
    for (let price = 1; price <= 20_001; price++) {
      assert.equal(priceTag({ price, nodes: [] }), documented(`${price} []`));
    }
  }
});

it('the tag of the stock is the documented hash, for short and long lists of nodes', () => {
  for (const count of [1, 100]) {
    const nodes = Array.from({ length: count }, (_, place) => ({
      fulfillment_node_id: `node-${place}`,
      quantity: place,
      updatedMs: 1,
    }));
    const text = nodes.map(({ fulfillment_node_id: id, quantity }) => `"${id}":${quantity},`).join('');
    for (let round = 0; round < 2; round++) {
      assert.equal(inventoryTag({ nodes, stampMs: null }), documented(text));
    }
  }
});
