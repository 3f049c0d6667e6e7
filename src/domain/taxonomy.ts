/** In charge of what a category is; where the nodes come from is behind the Taxonomy port. */
import type { Int64 } from './int64.ts';
import type { ProductTaxCode } from './vocabulary/tax-codes.ts';

export interface TaxonomyNode {
  readonly id: Int64;
  readonly name: string;
  readonly parentId: Int64 | null;
  /** 0 for a department. */
  readonly level: number;
  readonly isLeaf: boolean;
  /** Neither it nor a node above it was taken out of use. */
  readonly active: boolean;
  readonly suggestedTaxCode: ProductTaxCode | null;
  /** Its offers belong in variation groups; so it is with clothing. */
  readonly needsGroup: boolean;
}

/** The taxonomy as it is now: asked by id, answered from memory. */
export interface Taxonomy {
  node(id: Int64): TaxonomyNode | undefined;
}
