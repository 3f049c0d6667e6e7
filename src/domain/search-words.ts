/**
 * In charge of the words by which offers are found and ordered in a list. Stores keep the words as they are made here, so
 * that all find the same; they consist of letters and digits alone.
 */
import { foldedText, wordsOf } from './folded-text.ts';
import { LIMITS } from './limits.ts';
import type { SentCodes } from './review/product-code.ts';

/** The beginning of a longer word is kept, and looked for. */
const WORD_UNITS_MAX = 40;
/** Titles have a dozen. Beyond this, of an offer with many product codes perhaps, words are not found. */
const WORDS_MAX = 120;
/** Titles that differ only behind this are in the order of their upload. */
const TITLE_KEY_UNITS_MAX = 80;

export interface NamedOffer extends SentCodes {
  readonly product_title: string;
  readonly brand: string;
}

/** Each once: of title, brand, SKU id and product codes. */
export function offerWords(
  skuId: string,
  { product_title, brand, standard_product_codes, ASIN }: NamedOffer,
): string[] {
  const codes = (standard_product_codes ?? []).map(({ standard_product_code: code }) => code);
  const text = [product_title, brand, skuId, ...codes, ASIN ?? ''].join(' ');
  return keptWords(text, WORDS_MAX);
}

/** What somebody typed: an offer is found when each of these begins one of its words. */
export function searchWords(text: string): string[] {
  const words = keptWords(text, LIMITS.offer_search_words_max);
  // One that begins another says nothing more.
  return words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
}

/** By which titles are put in order: compared as bytes of UTF-8, that is by code point. */
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

/** Never ends with half of a surrogate pair. */
function beginningOf(text: string, units_max: number): string {
  if (text.length <= units_max) return text;
  const cut = text.slice(0, units_max);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
