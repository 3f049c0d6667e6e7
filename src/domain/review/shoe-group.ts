/** Groups shoes of one account by equal brand, Collection and Style, without a variation call. */

import type { Int64 } from '../int64.ts';
import { brandKey } from '../text/brand-key.ts';
import { isBlank } from '../text/text-rules.ts';
import { SHOE_PRODUCT_TYPES } from '../vocabulary/product-types.ts';
import { foldText, type UploadedAttribute } from './checks/attributes.ts';
import { categoryAttributes } from './checks/category-attributes.ts';
import type { CategoryBook, ReviewedDocument } from './facts.ts';

const SHOE_TYPES: ReadonlySet<Int64> = new Set(SHOE_PRODUCT_TYPES.map(({ id }) => id));

/** Found by name, because an operator's own taxonomy has other ids for these two. */
const COLLECTION = foldText('Collection');
const STYLE = foldText('Style');

export function isShoeCategory(id: Int64): boolean {
  return SHOE_TYPES.has(id);
}

/** Returns a key that is equal for shoes of one group; undefined for other products, and for shoes without a brand, collection or style. */
export function shoeGroupKey(document: ReviewedDocument, book: CategoryBook): string | undefined {
  const id = document.product_type_id ?? document.marketplace_browse_node_id;
  if (id === undefined || !isShoeCategory(id) || book.node(id) === undefined || isBlank(document.brand))
    return undefined;
  const attributes = categoryAttributes(book, id).map(({ attribute }) => attribute);
  const valuesOf = (name: string): string[] => {
    const attribute = attributes.find(({ description }) => foldText(description) === name);
    return attribute === undefined ? [] : foldedValues(attribute.id, document.attributes_node_specific ?? []);
  };
  const [collection, style] = [valuesOf(COLLECTION), valuesOf(STYLE)];
  if (collection.length === 0 || style.length === 0) return undefined;
  return JSON.stringify([brandKey(document.brand), collection, style]);
}

/** An attribute that occurs several times counts with all its values, in any order. */
function foldedValues(id: Int64, uploaded: readonly UploadedAttribute[]): string[] {
  const values = uploaded.filter((sent) => sent.attribute_id === id && !isBlank(sent.attribute_value));
  return [...new Set(values.map((sent) => foldText(sent.attribute_value)))].sort();
}
