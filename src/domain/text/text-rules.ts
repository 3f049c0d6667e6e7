/** Checks text: length in code points, URLs, forbidden characters. Compares it by code point. */

/** True for at least `min` code points. Counts them only when the UTF-16 length does not decide. */
export function hasAtLeast(text: string, min: number): boolean {
  if (text.length >= min * 2) return true;
  return text.length >= min && countCodePoints(text) >= min;
}

/** True for at most `max` code points. */
export function hasAtMost(text: string, max: number): boolean {
  if (text.length <= max) return true;
  return text.length <= max * 2 && countCodePoints(text) <= max;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _codePoint of text) count++;
  return count;
}

/** Stricter than the URL parser, which silently corrects `http:shop.example`, spaces and line breaks. */
const HTTP_URL = /^https?:\/\/[^\s/?#]\S*$/i;

export function isHttpUrl(text: string): boolean {
  return HTTP_URL.test(text) && URL.canParse(text);
}

export const IMAGE_EXTENSIONS = 'jpe?g|jfif|png|gif|webp|avif|bmp|tiff?|svg|heic|heif|ico';
const IMAGE_EXTENSION = new RegExp(`\\.(?:${IMAGE_EXTENSIONS})$`, 'i');

export function isImageUrl(text: string): boolean {
  return isHttpUrl(text) && IMAGE_EXTENSION.test(new URL(text).pathname);
}

/** NUL cannot be stored as text everywhere, and an unpaired surrogate is not valid text. */
export function hasForbiddenCharacter(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/** A regular expression with the flag `u`. */
export const VISIBLE_CHARACTER = '[^\\s\\p{Cf}\\p{Z}]';
const VISIBLE = new RegExp(VISIBLE_CHARACTER, 'u');

/** True for text without a visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Compares by code point, as databases do. JavaScript puts surrogates before U+E000 to U+FFFF. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
  }
  return a.length - b.length;
}

/** Moves surrogates behind all other code units. */
function rank(unit: number): number {
  return (unit & 0xf800) === 0xd800 ? unit + 0x2800 : unit;
}
