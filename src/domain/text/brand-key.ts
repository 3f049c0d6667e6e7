/** Decides whether two brand names are the same brand. */

/** Characters that people do not see, such as a zero-width space or a soft hyphen. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** Returns a key that is equal for names that differ only in width, letter case, spacing, punctuation or invisible characters. */
export function brandKey(brand: string): string {
  // Lower case, then upper case: either one alone leaves `ẞ`, `ß` and `SS`, or the two small sigmas, different.
  const folded = brand.normalize('NFKC').toLowerCase().toUpperCase();
  const key = folded
    .replace(INVISIBLE, '')
    .replace(/[\s\p{Z}\p{P}]+/gu, ' ')
    .trim();
  // Keeps a name that consists only of such characters.
  return key === '' ? folded : key;
}
