/**
 * Derives the words by which offers are found and sorted in a list. Both databases store the words made here, so that
 * they find the same offers. Words consist of letters and digits only.
 */

import { LIMITS } from '../limits.ts';
import type { SentCodes } from '../review/product-code.ts';
import { foldedText, wordsOf } from './folded-text.ts';

/** Longer words are cut to this length, both when stored and when searched. */
const WORD_UNITS_MAX = 40;
/** Maximum number of words of an offer. A title has about a dozen. Further words, for example of many codes, are not searchable. */
const WORDS_MAX = 120;
/** Maximum length of a title's sort key. Titles that differ only after it are sorted by upload. */
const TITLE_KEY_UNITS_MAX = 80;

/** Maximum number of words per lookup: it reads every entry of each word, even if few offers have all words. */
const LOOKED_UP_WORDS_MAX = 3;
/** Minimum length of a word for a lookup: nearly every offer has a word that begins with a given letter. */
const LOOKED_UP_CHARACTERS_MIN = 2;

export interface NamedOffer extends SentCodes {
  readonly product_title: string;
  readonly brand: string;
}

/**
 * People leave out the leading zeros of a product code, as spreadsheets do, or add some: a UPC is also an EAN with a zero before
 * it. So a number of this length is stored without them too, and searched without them when it is as long as a code.
 */
const ZEROS = /^0+(?=\d{7})(?=\d+$)/;
const CODE_DIGITS_MIN = 11;

/** Returns the words of title, brand, SKU id and product codes, without duplicates. */
export function offerWords(
  skuId: string,
  { product_title, brand, standard_product_codes, ASIN }: NamedOffer,
): string[] {
  const codes = (standard_product_codes ?? []).map(({ standard_product_code: code }) => code);
  const text = [product_title, brand, skuId, ...codes, ASIN ?? ''].join(' ');
  const words = keptWords(text, WORDS_MAX);
  return [...new Set([...words, ...words.map((word) => word.replace(ZEROS, ''))])].slice(0, WORDS_MAX);
}

/** Returns all words of a search text for whole words, without duplicates. */
export function wholeWords(text: string): string[] {
  return keptWords(text, Number.POSITIVE_INFINITY).map(withoutZeros);
}

/** Returns the words of a search text. An offer matches if each of these is a prefix of one of the offer's words. */
export function searchWords(text: string): string[] {
  const words = keptWords(text, LIMITS.offer_search_words_max).map(withoutZeros);
  // A word that is the start of another one adds nothing.
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

function withoutZeros(word: string): string {
  return word.length < CODE_DIGITS_MIN ? word : word.replace(ZEROS, '');
}

/** Returns the words to look up: the longest, which usually match the fewest offers. */
export function wordsLookedUp(words: readonly string[]): readonly string[] {
  return words
    .filter((word) => [...word].length >= LOOKED_UP_CHARACTERS_MIN)
    .sort((one, other) => other.length - one.length)
    .slice(0, LOOKED_UP_WORDS_MAX);
}

/** Returns the sort key of a title, which is compared as UTF-8 bytes, that is by code point. */
export function titleKey(title: string): string {
  return beginningOf(wordsOf(foldedText(title)).join(' '), TITLE_KEY_UNITS_MAX);
}

function keptWords(text: string, words_max: number): string[] {
  const words = new Set<string>();
  for (const word of wordsOf(foldedText(text))) {
    if (words.size === words_max) break;
    words.add(beginningOf(word, WORD_UNITS_MAX));
  }
  return [...words];
}

/** Never cuts a surrogate pair. */
function beginningOf(text: string, units_max: number): string {
  if (text.length <= units_max) return text;
  const cut = text.slice(0, units_max);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
