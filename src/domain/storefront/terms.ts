/** Derives the terms by which products are found. Each kind of term has a prefix; a product matches if it has all terms of a query. */
import type { Int64 } from '../int64.ts';
import type { CatalogCode } from '../review/product-code.ts';
import { brandKey } from '../text/brand-key.ts';
import { offerWords, wholeWords } from '../text/search-words.ts';
import { aliasesOf } from './build-offer.ts';
import type { StorefrontProduct } from './product.ts';

export const TERM = Object.freeze({
  /** All products have it. */
  any: '*',
  /** The category itself, and each category above it. */
  category: (id: Int64) => `c:${id}`,
  /** All spellings of a brand have the same term. */
  brand: (brand: string) => `b:${brandKey(brand)}`,
  alias: (code: CatalogCode) => `a:${code}`,
  group: (id: string) => `g:${id}`,
  word: (word: string) => `w:${word}`,
});

/** Without duplicates. */
export function termsOf(product: StorefrontProduct): readonly string[] {
  const { title, brand, category, group } = product;
  const categories = category === null ? [] : [category.id, ...category.path.map(({ id }) => id)];
  const terms = [
    TERM.any,
    ...categories.map(TERM.category),
    TERM.brand(brand),
    ...aliasesOf(product).map(TERM.alias),
    ...(group === null ? [] : [TERM.group(group.id)]),
    ...offerWords('', { product_title: title, brand }).map(TERM.word),
  ];
  return [...new Set(terms)];
}

export interface ProductQuery {
  readonly category?: Int64 | undefined;
  readonly brand?: string | undefined;
  /** Words of title and brand, at most ten. Each must occur as a whole word. */
  readonly q?: string | undefined;
}

/** Returns the terms that a product must have. Terms of a kind that usually matches few products come first. Never empty. */
export function queryTerms({ category, brand, q }: ProductQuery): readonly string[] {
  const words = q === undefined ? [] : wholeWords(q).toSorted((a, b) => b.length - a.length);
  const terms = [
    ...(brand === undefined ? [] : [TERM.brand(brand)]),
    ...words.map(TERM.word),
    ...(category === undefined ? [] : [TERM.category(category)]),
  ];
  return terms.length === 0 ? [TERM.any] : terms;
}
