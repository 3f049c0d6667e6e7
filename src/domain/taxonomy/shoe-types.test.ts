/** Tests that a shoe product type is reported as missing if its node is absent, not a leaf or not active. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SHOE_PRODUCT_TYPES } from '../vocabulary/product-types.ts';
import { nodeEntry } from './entries.ts';
import { missingShoeTypes } from './shoe-types.ts';
import { TaxonomyBuilder } from './tree.ts';

it('shoe types without a node in which offers can be listed are missing', () => {
  const [boots, clogs, mules, flats, ...others] = SHOE_PRODUCT_TYPES;
  const builder = new TaxonomyBuilder();
  builder.add(nodeEntry({ node: clogs.id, name: 'Clogs' }));
  builder.add(nodeEntry({ node: 1, parent: clogs.id, name: 'Below' }));
  builder.add(nodeEntry({ node: mules.id, name: 'Mules', active: false }));
  builder.add(nodeEntry({ node: flats.id, name: 'Flats' }));
  assert.deepEqual(missingShoeTypes(builder.build()), [boots, clogs, mules, ...others]);
});
