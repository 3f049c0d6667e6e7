/**
 * In charge of what the catalog says of an offer's item. The catalog has one product for each code; the first good offer
 * makes it, the operator may correct it.
 */
import { brandKey } from '../brand-key.ts';
import type { Int64 } from '../int64.ts';
import { isBlank } from '../text.ts';
import type { CatalogCode } from './product-code.ts';

export interface CatalogProduct {
  readonly brand: string;
  readonly title: string;
  readonly categoryId: Int64 | null;
  /** Who said so last. */
  readonly origin: 'offer' | 'operator';
}

export interface KnownProduct extends CatalogProduct {
  readonly code: CatalogCode;
}

export interface CatalogEvidence {
  /** That were looked up. */
  readonly codes: readonly CatalogCode[];
  /** Those of them that the catalog knows, in any order. */
  readonly products: readonly KnownProduct[];
}

const NONE: readonly KnownProduct[] = Object.freeze([]);

/** What the catalog knows under the codes, in their order; `pending` while one of them was not looked up. */
export function knownProducts(
  codes: readonly CatalogCode[],
  evidence: CatalogEvidence | undefined,
): readonly KnownProduct[] | 'pending' {
  if (codes.length === 0) return NONE;
  if (evidence === undefined || !codes.every((code) => evidence.codes.includes(code))) return 'pending';
  return codes.flatMap((code) => evidence.products.find((product) => product.code === code) ?? []);
}

/** The products that are sold under another brand. */
export function foreignProducts(brand: string, products: readonly KnownProduct[]): readonly KnownProduct[] {
  return products.filter((product) => product.brand !== brand && brandKey(product.brand) !== brandKey(brand));
}

/** The product that an offer makes of a code which the catalog does not know; none of an offer that names no product. */
export function productOf(
  { brand, product_title: title }: { readonly brand: string; readonly product_title: string },
  categoryId: Int64 | null,
): CatalogProduct | undefined {
  return isBlank(brand) || isBlank(title) ? undefined : { brand, title, categoryId, origin: 'offer' };
}
