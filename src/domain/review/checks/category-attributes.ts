/** Caches the attributes of each category. */
import type { Int64 } from '../../int64.ts';
import { memoized } from '../../memoized.ts';
import type { NodeAttribute } from '../../taxonomy/tree.ts';
import type { CategoryBook } from '../facts.ts';

/** Collecting them from all parent nodes takes about 2 us. A taxonomy never changes: a new one replaces it. */
const attributesIn = memoized((book: CategoryBook) => memoized((id: Int64) => book.attributes(id)), new WeakMap());

/** Returns the attributes of a node, which must be in the taxonomy. */
export function categoryAttributes(book: CategoryBook, id: Int64): readonly NodeAttribute[] {
  return attributesIn(book)(id);
}
