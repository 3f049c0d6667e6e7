/** In charge of the attributes of a category, gathered once. */
import type { Int64 } from '../int64.ts';
import type { NodeAttribute } from '../taxonomy/tree.ts';
import type { CategoryBook } from './facts.ts';

/** A taxonomy gathers them from all nodes above, which takes some 2 us. It never changes, and is dropped as a whole. */
const gathered = new WeakMap<CategoryBook, Map<Int64, readonly NodeAttribute[]>>();

/** Of a node that the taxonomy has. */
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
