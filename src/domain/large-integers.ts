/**
 * Finds integers beyond 2^53 in JSON text and puts their exact values into the result of plain JSON.parse.
 *
 * A reviver with source text does the same but takes up to 0.6 s for 1 MiB, because it is called for every value. This
 * single pass adds 1 to 20 ms: it tracks keys and indexes, and reads the value only at numbers that may have lost
 * digits.
 */

/** A number that is not exact as a double has at least 16 digits. */
const DIGITS_MIN = 16;

/**
 * Integers with more digits exceed every double: JSON.parse makes them infinite, which every field refuses. A million
 * of them would take BigInt a second.
 */
const EXACT_DIGITS_MAX = 309;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const LETTER_F = 0x66;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether 16 digits start where a JSON number may start; a match inside a string only costs time. Reads one character
 * in sixteen, since a run of 16 digits always covers one of those.
 */
export function mayHoldLargeInteger(text: string): boolean {
  for (let at = DIGITS_MIN - 1; at < text.length; at += DIGITS_MIN) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start--;
    while (isDigit(text, at + 1)) at++;
    if (at - start + 1 >= DIGITS_MIN && mayStartNumber(text, start)) return true;
  }
  return false;
}

/** Returns false outside the text. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

function mayStartNumber(text: string, digits: number): boolean {
  let before = text.charCodeAt(digits - 1) === MINUS ? digits - 2 : digits - 1;
  while (text.charCodeAt(before) <= SPACE) before--;
  const code = text.charCodeAt(before);
  return code === COLON || code === COMMA || code === OPEN_LIST;
}

/** An object or list of the text, and its position in its parent. */
interface Level {
  /** Undefined until a number inside it is read, or if a later member of the same name replaced it. */
  holder: unknown;
  /** Start of its key in the text; -1 in a list. */
  keyStart: number;
  /** End of its key in the text; its index in a list. */
  keyEnd: number;
}

/**
 * `text` is JSON, and `root` is the object or list that JSON.parse made of it.
 *
 * If a key is repeated, its last value wins. Numbers from an earlier value may be written into the last value first, but the last value's
 * own numbers come later in the text and overwrite them.
 */
export function restoreLargeIntegers(text: string, root: object): void {
  const { length } = text;
  // The first `known` levels below the root have their holder.
  const levels: Level[] = [{ holder: root, keyStart: -1, keyEnd: 0 }];
  let known = 0;
  let depth = -1;
  let keyStart = -1;
  let keyEnd = 0;
  let stringStart = 0;
  let stringEnd = 0;
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) {
      at++;
    } else if (code === QUOTE) {
      stringStart = at;
      at = endOfString(text, at + 1);
      stringEnd = at;
    } else if (code === COMMA) {
      keyEnd++;
      at++;
    } else if (code === COLON) {
      keyStart = stringStart;
      keyEnd = stringEnd;
      at++;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth++;
      const level = levels[depth];
      if (level === undefined) {
        levels[depth] = { holder: undefined, keyStart, keyEnd };
      } else {
        level.keyStart = keyStart;
        level.keyEnd = keyEnd;
      }
      keyStart = -1;
      keyEnd = 0;
      at++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      ({ keyStart, keyEnd } = levels[depth] as Level);
      depth--;
      known = Math.max(0, Math.min(known, depth));
      at++;
    } else if (code <= NINE) {
      const start = at;
      let isInteger = true;
      for (at++; at < length; at++) {
        const next = text.charCodeAt(at);
        if (next >= ZERO && next <= NINE) continue;
        if (next <= SPACE || next === COMMA || next === CLOSE_LIST || next === CLOSE_OBJECT) break;
        isInteger = false;
      }
      if (isInteger && at - start < DIGITS_MIN) continue;
      for (; known < depth; known++) {
        const below = levels[known + 1] as Level;
        below.holder = ownMember((levels[known] as Level).holder, keyAt(text, below.keyStart, below.keyEnd));
      }
      const { holder } = levels[depth] as Level;
      if (isHolder(holder)) setNumber(holder, keyAt(text, keyStart, keyEnd), text.slice(start, at), isInteger);
    } else {
      // true, false or null.
      at += code === LETTER_F ? 5 : 4;
    }
  }
}

function setNumber(holder: Holder, key: string | number, literal: string, isInteger: boolean): void {
  const member = holder[key];
  const isExact = isInteger && literal.length - (literal.charCodeAt(0) === MINUS ? 1 : 0) <= EXACT_DIGITS_MAX;
  if (typeof member === 'bigint') holder[key] = isExact ? BigInt(literal) : Number(literal);
  else if (isExact && typeof member === 'number' && !Number.isSafeInteger(member)) holder[key] = BigInt(literal);
}

type Holder = Record<string | number, unknown>;

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

function ownMember(holder: unknown, key: string | number): unknown {
  return isHolder(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function keyAt(text: string, start: number, end: number): string | number {
  if (start === -1) return end;
  const key = text.slice(start + 1, end - 1);
  return key.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : key;
}

/** Up to this length, a loop is faster than `indexOf`. */
const SHORT_STRING = 32;

/** Returns the position after the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < start + SHORT_STRING; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  for (let quote = text.indexOf('"', start); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
}
