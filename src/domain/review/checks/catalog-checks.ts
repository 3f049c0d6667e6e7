/** Checks which product the offer is for, and how many items it contains. */
import { isBlank } from '../../text/text-rules.ts';
import { foreignProducts, type KnownProduct, otherProducts } from '../catalog.ts';
import { isCodeMissing } from '../category.ts';
import type { ReviewCheck } from '../check.ts';
import type { ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';
import { packCount } from './pack-count.ts';

export const catalogCheck: ReviewCheck = {
  id: 'catalog',
  scope: 'review',
  code: 'additional_sku_id_needed',
  effect: 'Additional SKU ID needed',
  state(subject) {
    const { codes, products, document } = subject;
    if (codes.length === 0 || isBlank(document.brand)) return 'skipped';
    if (products === 'pending') return 'pending';
    if (products.length === 0) return lacksCode(subject) ? 'failed' : 'passed';
    return foreignProducts(document.brand, products).length + otherProducts(products).length === 0
      ? 'passed'
      : 'failed';
  },
  evidence: ({ codes, products }) => ({
    catalog_codes: codes,
    products: products === 'pending' ? null : products.map(shownProduct),
  }),
  remedy(subject) {
    const { products, document } = subject;
    if (products === 'pending' || products.length === 0) {
      return 'The catalog does not know this ASIN. Add another product code, such as a UPC, EAN, GTIN-14 or ISBN.';
    }
    const foreign = foreignProducts(document.brand, products);
    if (foreign.length === 0) {
      const titles = products.map(({ code, title }) => `${code} is "${title}"`);
      return (
        `In the catalog, the product codes belong to different products: ${titles.join(', ')}. Remove the codes of other products. ` +
        'If all are right, ask the marketplace to correct its catalog.'
      );
    }
    const known = foreign.map(({ code, brand }) => `${code} belongs to the brand ${brand}`);
    return (
      `In the catalog, ${known.join(', ')}. Correct the product code or the brand. ` +
      'If both are right, ask the marketplace to correct its catalog.'
    );
  },
  waiting: 'Checking the catalog. No action needed.',
  reason: ({ codes }) => (codes.length === 0 ? 'The offer has no valid product code.' : 'The offer has no brand.'),
};

/** The catalog does not know the product. */
function lacksCode({ codes, usableCategory: category }: Subject<ReviewKnowledge>): boolean {
  return typeof category === 'object' && isCodeMissing(codes, category);
}

function shownProduct({ code, brand, title, categoryId, origin }: KnownProduct) {
  return { code, brand, title, category: categoryId, origin };
}

export const multipackCheck: ReviewCheck = {
  id: 'multipack_quantity',
  scope: 'review',
  code: 'incorrect_multipack_quantity',
  effect: 'Incorrect multipack quantity',
  state({ document }) {
    const said = packCount(document.product_title);
    return said === undefined || said === document.multipack_quantity ? 'passed' : 'failed';
  },
  evidence: ({ document }) => ({
    multipack_quantity: document.multipack_quantity,
    product_title: document.product_title,
    title_says: packCount(document.product_title) ?? null,
  }),
  remedy: ({ document }) =>
    `The title says ${packCount(document.product_title)} items but multipack_quantity is ` +
    `${document.multipack_quantity}. Correct one of them.`,
};
