/** In charge of whether two brand names are the same brand. */

/** Equal for names that differ only in width, letter case, spacing and punctuation. */
export function brandKey(brand: string): string {
  return (
    brand
      .normalize('NFKC')
      // Upper case first folds what lower case alone leaves apart, `ß` and `SS` among it.
      .toUpperCase()
      .toLowerCase()
      .replace(/[\s\p{Z}\p{P}]+/gu, ' ')
      .trim()
  );
}
