/**
 * In charge of which shoes belong together: those of one account with equal brand, Collection and Style. They need no
 * variation call.
 */
import { brandKey } from '../brand-key.ts';
import type { Int64 } from '../int64.ts';
import { isBlank } from '../text.ts';
import { SHOE_PRODUCT_TYPES } from '../vocabulary/product-types.ts';
import { foldText, type UploadedAttribute } from './attributes.ts';
import { categoryAttributes } from './category-attributes.ts';
import type { CategoryBook, ReviewedDocument } from './facts.ts';

const SHOE_TYPES: ReadonlySet<Int64> = new Set(SHOE_PRODUCT_TYPES.map(({ id }) => id));

/** An operator's own taxonomy has ids of its own for these two: they are known by what they are called. */
const COLLECTION = foldText('Collection');
const STYLE = foldText('Style');

export function isShoeCategory(id: Int64): boolean {
  return SHOE_TYPES.has(id);
}

/** Equal for shoes of one group; undefined for what is no shoe, and for shoes that do not say where they belong. */
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

/** An attribute that comes several times counts with all its values, in any order. */
function foldedValues(id: Int64, uploaded: readonly UploadedAttribute[]): string[] {
  const values = uploaded.filter((sent) => sent.attribute_id === id && !isBlank(sent.attribute_value));
  return [...new Set(values.map((sent) => foldText(sent.attribute_value)))].sort();
}
