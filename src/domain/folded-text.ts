/** In charge of how text is compared when people search: any letter case, with or without accents, word by word. */

const WORD = /[\p{L}\p{N}]+/gu;
/** Nothing in it to fold but letter case, as in nearly every English name. */
const PLAIN = /^[\w &,-]*$/;

/** Up and down again folds what one of the two leaves apart, such as `ß` and `SS`; apostrophes part no words. */
export function foldedText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’]+/gu, '')
    .toUpperCase()
    .toLowerCase();
}

/** Of folded text, in their order; hyphenated ones apart. */
export function wordsOf(folded: string): readonly string[] {
  return folded.match(WORD) ?? [];
}
