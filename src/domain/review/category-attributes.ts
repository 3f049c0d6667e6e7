/** Caches the attributes of each category. */
import type { Int64 } from '../int64.ts';
import type { NodeAttribute } from '../taxonomy/tree.ts';
import type { CategoryBook } from './facts.ts';

/** Collecting them from all parent nodes takes about 2 us. A taxonomy never changes: a new one replaces it. */
const gathered = new WeakMap<CategoryBook, Map<Int64, readonly NodeAttribute[]>>();

/** Returns the attributes of a node, which must be in the taxonomy. */
export function categoryAttributes(book: CategoryBook, id: Int64): readonly NodeAttribute[] {
  let ofNode = gathered.get(book);
  if (ofNode === undefined) {
    ofNode = new Map();
    gathered.set(book, ofNode);
  }
  let attributes = ofNode.get(id);
  if (attributes === undefined) {
    attributes = book.attributes(id);
    ofNode.set(id, attributes);
  }
  return attributes;
}
