/** Determines the category of an offer: its node, its source, and whether it is valid. */
import type { Int64 } from '../int64.ts';
import type { Taxonomy, TaxonomyNode } from '../taxonomy/tree.ts';
import type { KnownProduct } from './catalog.ts';
import type { ReviewedDocument } from './facts.ts';
import type { CatalogCode } from './product-code.ts';

export interface NamedCategory {
  readonly id: Int64;
  /** The merchant, or the catalog for an offer without a category. */
  readonly source: 'offer' | 'catalog';
  /** Undefined when the taxonomy does not have it. */
  readonly node: TaxonomyNode | undefined;
  /** True for an active leaf: only its offers can be live. */
  readonly isValid: boolean;
}

/** `pending`: the offer has no category, and the catalog has not been searched yet. */
export type Category = NamedCategory | 'none' | 'pending';

/** The shoe product type wins over a browse node, the offer's category over the catalog's. */
export function categoryOf(
  document: Pick<ReviewedDocument, 'product_type_id' | 'marketplace_browse_node_id'>,
  products: readonly KnownProduct[] | 'pending',
  taxonomy: Taxonomy,
): Category {
  const own = document.product_type_id ?? document.marketplace_browse_node_id;
  if (own !== undefined) return named(own, 'offer', taxonomy);
  if (products === 'pending') return 'pending';
  const known = products.find((product) => product.categoryId !== null)?.categoryId ?? null;
  return known === null ? 'none' : named(known, 'catalog', taxonomy);
}

function named(id: Int64, source: 'offer' | 'catalog', taxonomy: Taxonomy): NamedCategory {
  const node = taxonomy.node(id);
  return { id, source, node, isValid: node?.isLeaf === true && node.active };
}

/** Whether only an ASIN was sent, and the category asks for another code unless the catalog knows the product. */
export function isCodeMissing(codes: readonly CatalogCode[], { node }: NamedCategory): boolean {
  return node?.needsCode === true && codes.every((code) => code.startsWith('asin:'));
}

/** Returns the node and its ancestors, up to the department. */
export function lineageOf(node: TaxonomyNode | undefined, taxonomy: Taxonomy): readonly TaxonomyNode[] {
  const lineage: TaxonomyNode[] = [];
  for (let next = node; next !== undefined; ) {
    lineage.push(next);
    next = next.parentId === null ? undefined : taxonomy.node(next.parentId);
  }
  return lineage;
}
