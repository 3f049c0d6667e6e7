/** Splits the text of a bulk file into its rows. Unlike JSON.parse, it keeps every row of a key that occurs twice. */
import { parseExactJson } from '../int64.ts';

/** Offsets of one member of an object: its key with the quotes, and its value with the surrounding white space. */
export interface JsonMember {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  readonly end: number;
}

/** Yields the members of the first object in the text. If the text ends early, yields the members before its end. */
export function* jsonMembers(text: string): Generator<JsonMember> {
  let at = text.indexOf('{') + 1;
  while (at > 0) {
    const keyStart = text.indexOf('"', at);
    if (keyStart === -1) return;
    const keyEnd = stringEnd(text, keyStart);
    const colon = text.indexOf(':', keyEnd);
    const end = colon === -1 ? -1 : valueEnd(text, colon + 1);
    if (end === -1) return;
    yield { keyStart, keyEnd, start: colon + 1, end };
    at = text[end] === ',' ? end + 1 : 0;
  }
}

/** Yields the rows; if the text ends early, those before its end. Throws SyntaxError on text that is not JSON. */
export function* jsonEntries(text: string): Generator<readonly [key: string, value: unknown]> {
  for (const { keyStart, keyEnd, start, end } of jsonMembers(text)) {
    yield [JSON.parse(text.slice(keyStart, keyEnd)) as string, parseExactJson(text.slice(start, end))];
  }
}

/** Returns the index after the closing quote. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Returns the index of the comma or brace that follows the value; -1 if the text ends before it. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (depth === 0 && (character === ',' || character === '}')) return at;
    else if (character === '}' || character === ']') depth--;
  }
  return -1;
}
