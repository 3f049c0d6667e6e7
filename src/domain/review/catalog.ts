/** Finds an offer's products in the catalog, which has one per code: the first good offer creates it, and the operator can correct it. */

import type { Int64 } from '../int64.ts';
import { brandKey } from '../text/brand-key.ts';
import { isBlank } from '../text/text-rules.ts';
import type { CatalogCode } from './product-code.ts';

export interface CatalogProduct {
  readonly brand: string;
  readonly title: string;
  readonly categoryId: Int64 | null;
  /** Whether an offer or the operator set it last. */
  readonly origin: 'offer' | 'operator';
}

export interface KnownProduct extends CatalogProduct {
  readonly code: CatalogCode;
  /** The product that the operator merged this one into. Both have the data of that product. */
  readonly sameAs?: CatalogCode;
}

export interface CatalogEvidence {
  /** The codes that were looked up. */
  readonly codes: readonly CatalogCode[];
  /** The products found for these codes, in any order. */
  readonly products: readonly KnownProduct[];
}

const NONE: readonly KnownProduct[] = Object.freeze([]);

/** Returns the catalog's products for the codes, in their order; `pending` until every code was looked up. */
export function knownProducts(
  codes: readonly CatalogCode[],
  evidence: CatalogEvidence | undefined,
): readonly KnownProduct[] | 'pending' {
  if (codes.length === 0) return NONE;
  if (evidence === undefined || !codes.every((code) => evidence.codes.includes(code))) return 'pending';
  return codes.flatMap((code) => evidence.products.find((product) => product.code === code) ?? []);
}

/** Returns the products with another brand. */
export function foreignProducts(brand: string, products: readonly KnownProduct[]): readonly KnownProduct[] {
  return products.filter((product) => product.brand !== brand && brandKey(product.brand) !== brandKey(brand));
}

/**
 * Returns the entries that describe a different product than the first one: their titles differ in more than case, spacing and punctuation.
 * An operator's correction of one code says nothing about the other codes, so only products of the same origin are compared.
 */
export function otherProducts(products: readonly KnownProduct[]): readonly KnownProduct[] {
  if (products.length < 2) return NONE;
  return products.filter(({ title, origin }) => {
    const first = products.find((product) => product.origin === origin);
    return first !== undefined && first.title !== title && brandKey(first.title) !== brandKey(title);
  });
}

/** Returns the product that an offer adds to the catalog for a new code; undefined if it has no brand or no title. */
export function productOf(
  { brand, product_title: title }: { readonly brand: string; readonly product_title: string },
  categoryId: Int64 | null,
): CatalogProduct | undefined {
  return isBlank(brand) || isBlank(title) ? undefined : { brand, title, categoryId, origin: 'offer' };
}
