/** Folds text for searching: ignores letter case and accents, and splits it into words. */

const WORD = /[\p{L}\p{N}]+/gu;
/** ASCII text only needs its letter case folded, and nearly every English name is ASCII. */
const PLAIN = /^[\w &,-]*$/;

/** Upper case, then lower case: either one alone leaves `ß` and `SS` different. Apostrophes do not split words. */
export function foldedText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’]+/gu, '')
    .toUpperCase()
    .toLowerCase();
}

/** Splits folded text into words, in order. Hyphens split words. */
export function wordsOf(folded: string): readonly string[] {
  return folded.match(WORD) ?? [];
}
