/** Checks which product the offer is for, and how many items it contains. */
import { isBlank } from '../../text/text-rules.ts';
import { foreignProducts, type KnownProduct } from '../catalog.ts';
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
    return foreignProducts(document.brand, products).length === 0 ? 'passed' : 'failed';
  },
  evidence: ({ codes, products }) => ({
    catalog_codes: codes,
    products: products === 'pending' ? null : products.map(shownProduct),
  }),
  remedy(subject) {
    const known = foreign(subject).map(({ code, brand }) => `${code} belongs to the brand ${brand}`);
    return (
      `In the catalog, ${known.join(', ')}. Correct the product code or the brand. ` +
      'If both are right, ask the marketplace to correct its catalog.'
    );
  },
  waiting: 'Checking the catalog. No action needed.',
  reason: ({ codes }) => (codes.length === 0 ? 'The offer has no valid product code.' : 'The offer has no brand.'),
};

function foreign({ document, products }: Subject<ReviewKnowledge>): readonly KnownProduct[] {
  return products === 'pending' ? [] : foreignProducts(document.brand, products);
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
