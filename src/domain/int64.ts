/**
 * In charge of whole numbers up to 2^63 - 1, exact in and out of JSON.
 *
 * An id is a `number` while that is exact and a `bigint` beyond, so that bodies without large integers (nearly all)
 * take V8's plain JSON path; the exact path costs some five times as much and is entered only on sight of 16 digits.
 */

export type Int64 = number | bigint;

const INT64_MAX = 9_223_372_036_854_775_807n;

export function isPositiveInt64(value: unknown): value is Int64 {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'bigint' && value > 0n && value <= INT64_MAX;
}

/** The id that the digits write; undefined where they write no positive int64, or write it with zeros in front. */
export function readId(digits: string): Int64 | undefined {
  if (!/^[1-9]\d{0,18}$/.test(digits)) return undefined;
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  const exact = BigInt(digits);
  return exact <= INT64_MAX ? exact : undefined;
}

/** A number that is not exact as a double has 16 digits at least. */
const DIGITS_MIN = 16;

/** So many digits where a JSON number may start; a hit inside a string only costs time. */
const LARGE_INTEGER = /[:[,]\s*-?\d{16}/;

/**
 * Looks at one character in sixteen, since a run of so many digits has one of those: a fifth of what the expression above
 * takes for a whole body, which is used only where there is such a run.
 */
function mayHoldLargeInteger(text: string): boolean {
  for (let at = DIGITS_MIN - 1; at < text.length; at += DIGITS_MIN) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start--;
    let end = at + 1;
    while (end - start < DIGITS_MIN && isDigit(text, end)) end++;
    if (end - start >= DIGITS_MIN) return LARGE_INTEGER.test(text);
  }
  return false;
}

/** False outside of the text. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** As many digits as an int64 can have, and one more to be refused; a million of them would take BigInt a second. */
const PLAIN_DIGITS = /^-?\d{1,20}$/;

/** Parses JSON; integers beyond 2^53 come out as bigint. Throws SyntaxError on text that is not JSON. */
export function parseExactJson(text: string): unknown {
  if (!mayHoldLargeInteger(text)) return JSON.parse(text);
  return parseWithSource(text, (_key, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    return context.source !== undefined && PLAIN_DIGITS.test(context.source) ? BigInt(context.source) : value;
  });
}

/** The inverse of `parseExactJson`. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Plain JSON.stringify refuses a bigint, which makes the quick attempt also the test for one.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? rawJSON(member.toString()) : member));
  }
}

// TypeScript's library does not describe source text access and raw JSON yet; Node 24 has both.
type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;
const parseWithSource = JSON.parse as unknown as (text: string, reviver: SourceReviver) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
