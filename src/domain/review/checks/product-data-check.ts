/** Checks that an offer has the data that its category, or the marketplace, requires of products that the catalog does not know. */
import { isBlank } from '../../text/text-rules.ts';
import { PRODUCT_DATA, type ProductDataField } from '../../vocabulary/product-data.ts';
import type { NamedCategory } from '../category.ts';
import type { ReviewCheck } from '../check.ts';
import type { ReviewedDocument, ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';
import { NO_CATEGORY } from './category-checks.ts';

type Rules = Pick<ReviewKnowledge, 'newProductData'>;

const NAMES: Readonly<Record<ProductDataField, string>> = {
  manufacturer: 'manufacturer',
  product_description: 'description (product_description)',
  mfr_part_number: 'part number (mfr_part_number)',
  bullets: 'bullets',
};

const NONE: readonly ProductDataField[] = Object.freeze([]);

export const productDataCheck: ReviewCheck = {
  id: 'product_data',
  scope: 'review',
  code: 'missing_product_data',
  effect: 'Missing attribute value',
  state(subject) {
    if (requiredOf(subject).length === 0 || subject.codes.length === 0) return 'skipped';
    if (subject.products === 'pending') return 'pending';
    if (subject.products.length > 0) return 'skipped';
    return missingOf(subject).length === 0 ? 'passed' : 'failed';
  },
  evidence: (subject) => ({ required: requiredOf(subject), missing: missingOf(subject) }),
  remedy: (subject) =>
    `The catalog does not know this product. Add its ${missingOf(subject)
      .map((field) => NAMES[field])
      .join(', ')}.`,
  waiting: 'Checking the catalog. No action needed.',
  reason(subject) {
    if (subject.usableCategory === 'unusable') return NO_CATEGORY;
    if (requiredOf(subject).length === 0) return 'This category requires no data of new products.';
    return subject.codes.length === 0 ? 'The offer has no valid product code.' : 'The catalog knows the product.';
  },
};

function requiredOf({ knowledge, usableCategory: category }: Subject<ReviewKnowledge>): readonly ProductDataField[] {
  return typeof category === 'object' ? requiredData(category, knowledge) : NONE;
}

function missingOf({ document, knowledge, usableCategory: category }: Subject<ReviewKnowledge>) {
  return typeof category === 'object' ? missingData(document, category, knowledge) : NONE;
}

function requiredData({ node }: NamedCategory, { newProductData }: Rules): readonly ProductDataField[] {
  return node?.newProductData ?? newProductData;
}

/** Returns the required fields that have no visible character, in the order of the table. */
export function missingData(
  document: ReviewedDocument,
  category: NamedCategory,
  rules: Rules,
): readonly ProductDataField[] {
  const required = requiredData(category, rules);
  if (required.length === 0) return NONE;
  return PRODUCT_DATA.filter((field) => required.includes(field) && [document[field] ?? ''].flat().every(isBlank));
}
