/** In charge of whether two brand names are the same brand. */

/** Equal for names that differ only in width, letter case, spacing and punctuation. */
export function brandKey(brand: string): string {
  // Down and up again folds what one of the two leaves apart: `ẞ`, `ß` and `SS`, or the two small sigmas.
  const folded = brand.normalize('NFKC').toLowerCase().toUpperCase();
  const key = folded.replace(/[\s\p{Z}\p{P}]+/gu, ' ').trim();
  // A name of nothing but punctuation is still a name.
  return key === '' ? folded : key;
}
