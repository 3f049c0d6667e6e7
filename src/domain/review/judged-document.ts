/**
 * In charge of reading a stored SKU document for its judgement. Nearly all are read by plain JSON; only where an id that
 * the judgement compares lies beyond 2^53 is the text read again, exactly. To look for such ids in the text first would
 * cost every read a microsecond.
 */
import { parseExactJson } from '../int64.ts';
import type { JudgedDocument } from './facts.ts';

export function readJudgedDocument(text: string): JudgedDocument {
  const document = JSON.parse(text) as JudgedDocument;
  return hasExactIds(document) ? document : (parseExactJson(text) as JudgedDocument);
}

function hasExactIds({
  marketplace_browse_node_id: node,
  attributes_node_specific: attributes,
}: JudgedDocument): boolean {
  if (node !== undefined && !Number.isSafeInteger(node)) return false;
  return attributes === undefined || attributes.every(({ attribute_id }) => Number.isSafeInteger(attribute_id));
}
