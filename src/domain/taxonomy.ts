/** Defines a category, and the port through which code reads the taxonomy. */
import type { Int64 } from './int64.ts';
import type { ProductTaxCode } from './vocabulary/tax-codes.ts';

export interface TaxonomyNode {
  readonly id: Int64;
  readonly name: string;
  readonly parentId: Int64 | null;
  /** 0 for a department. */
  readonly level: number;
  readonly isLeaf: boolean;
  /** False if the node or one of its ancestors is inactive. */
  readonly active: boolean;
  readonly suggestedTaxCode: ProductTaxCode | null;
  /** Whether its offers need a variation group, as clothing does. */
  readonly needsGroup: boolean;
}

/** The current taxonomy, in memory, by id. */
export interface Taxonomy {
  node(id: Int64): TaxonomyNode | undefined;
}
