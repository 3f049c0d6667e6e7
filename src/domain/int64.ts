/**
 * Reads and writes whole numbers up to 2^63 - 1 exactly in JSON.
 *
 * An id is a `number` while that is exact and a `bigint` beyond. Bodies without large integers (nearly all) take V8's
 * plain JSON path; only 16 digits in a row trigger the exact path.
 */
import { mayHoldLargeInteger, restoreLargeIntegers } from './large-integers.ts';

export type Int64 = number | bigint;

const INT64_MAX = 9_223_372_036_854_775_807n;

export function isPositiveInt64(value: unknown): value is Int64 {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0;
  return typeof value === 'bigint' && value > 0n && value <= INT64_MAX;
}

/** Returns the id that the digits spell; undefined if it is not a positive int64 or has leading zeros. */
export function readId(digits: string): Int64 | undefined {
  if (!/^[1-9]\d{0,18}$/.test(digits)) return undefined;
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  const exact = BigInt(digits);
  return exact <= INT64_MAX ? exact : undefined;
}

/** Parses JSON; integers beyond 2^53 become bigints. Throws SyntaxError on text that is not JSON. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && mayHoldLargeInteger(text)) restoreLargeIntegers(text, value);
  return value;
}

/** The inverse of `parseExactJson`. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Plain JSON.stringify throws on a bigint, so the fast attempt also detects one.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? rawJSON(member.toString()) : member));
  }
}

// TypeScript's library does not declare raw JSON yet; Node 24 has it.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
