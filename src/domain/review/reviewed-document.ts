/**
 * Reads a stored SKU document for its review. Plain JSON.parse reads nearly all; the text is parsed again, exactly,
 * only when an id that the review compares is beyond 2^53. Searching the text for such ids first would cost every read
 * 1 us.
 */
import { parseExactJson } from '../int64.ts';
import { isHttpUrl } from '../text/text-rules.ts';
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

/** Merchants may send any text, number or flag as the swatch; only a URL can be checked. */
export function swatchAddress({ swatch_image_url: swatch }: ReviewedDocument): string | undefined {
  return typeof swatch === 'string' && isHttpUrl(swatch) ? swatch : undefined;
}
