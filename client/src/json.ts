/**
 * Reads and writes JSON with exact integers. Ids go up to 2^63 - 1, and numbers beyond 2^53 are not exact, so such integers are read as
 * bigint and written unchanged. Works without `JSON.rawJSON` and the source text of values, which Node.js 20 does not have.
 */

/** Marks an integer inside a string. The API refuses text with NUL, so no real value begins like this. */
const MARK = '\u0000int:';
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const LARGE_INTEGER = /^-?\d{16,}$/;
const MARKED = /"\\u0000int:(-?\d+)"/g;

export function parseJson(text: string): unknown {
  // Hardly any response has such an integer.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(STRING_OR_NUMBER, (found) =>
    LARGE_INTEGER.test(found) ? `"\\u0000int:${found}"` : found,
  );
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const number = Number(value.slice(MARK.length));
    return Number.isSafeInteger(number) ? number : BigInt(value.slice(MARK.length));
  });
}

export function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${MARK}${item}` : item));
  return text.replace(MARKED, '$1');
}
