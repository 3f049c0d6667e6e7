/** In charge of what a category is; where the nodes come from is behind the Taxonomy port. */
import type { ProductTaxCode } from './vocabulary/tax-codes.ts';

export interface TaxonomyNode {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
  /** 0 for a department. */
  readonly level: number;
  readonly isLeaf: boolean;
  readonly active: boolean;
  readonly suggestedTaxCode: ProductTaxCode | null;
}

/** The taxonomy as it is now: asked by id, answered from memory. */
export interface Taxonomy {
  node(id: number | bigint): TaxonomyNode | undefined;
}

export type CategoryState = 'missing' | 'invalid' | 'valid';

/** An offer's category: the shoe product type wins over a browse node; only an active leaf can carry an offer. */
export function categoryState(
  offer: { product_type_id?: number; marketplace_browse_node_id?: number | bigint },
  taxonomy: Taxonomy,
): CategoryState {
  const id = offer.product_type_id ?? offer.marketplace_browse_node_id;
  if (id === undefined) return 'missing';
  const node = taxonomy.node(id);
  return node?.isLeaf && node.active ? 'valid' : 'invalid';
}
