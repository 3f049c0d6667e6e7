/** Lists the shoe product types that a taxonomy lacks. Every shoe of these types has an invalid category. */
import { SHOE_PRODUCT_TYPES } from '../vocabulary/product-types.ts';
import type { TaxonomyTree } from './tree.ts';

export type ShoeType = (typeof SHOE_PRODUCT_TYPES)[number];

/** Only offers in active leaves can be live. */
export function missingShoeTypes(tree: Pick<TaxonomyTree, 'node'>): readonly ShoeType[] {
  return SHOE_PRODUCT_TYPES.filter(({ id }) => {
    const node = tree.node(id);
    return node === undefined || !node.isLeaf || !node.active;
  });
}
