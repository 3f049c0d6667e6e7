/** Decides whether two brand names are the same brand. */

/** Returns a key that is equal for names that differ only in width, letter case, spacing or punctuation. */
export function brandKey(brand: string): string {
  // Lower case, then upper case: either one alone leaves `ẞ`, `ß` and `SS`, or the two small sigmas, different.
  const folded = brand.normalize('NFKC').toLowerCase().toUpperCase();
  const key = folded.replace(/[\s\p{Z}\p{P}]+/gu, ' ').trim();
  // Keeps a name that consists only of punctuation.
  return key === '' ? folded : key;
}
