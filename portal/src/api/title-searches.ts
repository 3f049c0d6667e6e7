/** Derives searches for a category from the title of an offer. */

const WORD_CHARACTERS_MIN = 3;
const SEARCHES_MAX = 4;

/** In a title, the product is usually the last word before the first comma, dash or number: "Stoneware mug, 12 oz". The best comes first. */
export function titleSearches(title: string): readonly string[] {
  const [named = ''] = title.split(/[,;:(|\d]| [-–—] | (?:for|with|in|of|from) /i);
  const words = named.match(/[\p{L}'-]+/gu)?.filter((word) => word.length >= WORD_CHARACTERS_MIN) ?? [];
  const pair = words.length > 1 ? [words.slice(-2).join(' ')] : [];
  const searches = [...pair, ...words.toReversed()].map((search) => search.toLowerCase());
  return [...new Set(searches)].slice(0, SEARCHES_MAX);
}
