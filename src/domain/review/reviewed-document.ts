/**
 * In charge of reading a stored SKU document for its verdict. Nearly all are read by plain JSON; only where an id that
 * the verdict compares lies beyond 2^53 is the text read again, exactly. To look for such ids in the text first would
 * cost every read a microsecond.
 */
import { parseExactJson } from '../int64.ts';
import type { ReviewedDocument } from './facts.ts';

export function readReviewedDocument(text: string): ReviewedDocument {
  const document = JSON.parse(text) as ReviewedDocument;
  return hasExactIds(document) ? document : (parseExactJson(text) as ReviewedDocument);
}

function hasExactIds({
  marketplace_browse_node_id: node,
  attributes_node_specific: attributes,
}: ReviewedDocument): boolean {
  if (node !== undefined && !Number.isSafeInteger(node)) return false;
  return attributes === undefined || attributes.every(({ attribute_id }) => Number.isSafeInteger(attribute_id));
}
