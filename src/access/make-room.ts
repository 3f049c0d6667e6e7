/** Bounds the maps and sets that hold what clients send. */

/** Removes the oldest entry of a full map or set, so that another one can be added. */
export function makeRoom<Key>(
  kept: { readonly size: number; keys(): Iterator<Key>; delete(key: Key): boolean },
  entries_max: number,
): void {
  if (kept.size < entries_max) return;
  const oldest = kept.keys().next();
  if (!oldest.done) kept.delete(oldest.value);
}
