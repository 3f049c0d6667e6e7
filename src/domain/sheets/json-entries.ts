/** Splits the text of a bulk file into its rows. Unlike JSON.parse, it keeps every row of a key that occurs twice. */
import { parseExactJson } from '../int64.ts';

/** Throws SyntaxError on text that is not JSON. A text that ends early gives the rows before its end. */
export function* jsonEntries(text: string): Generator<readonly [key: string, value: unknown]> {
  let at = text.indexOf('{') + 1;
  while (at > 0) {
    const start = text.indexOf('"', at);
    if (start === -1) return;
    const keyEnd = stringEnd(text, start);
    const colon = text.indexOf(':', keyEnd);
    const end = colon === -1 ? -1 : valueEnd(text, colon + 1);
    if (end === -1) return;
    yield [JSON.parse(text.slice(start, keyEnd)) as string, parseExactJson(text.slice(colon + 1, end))];
    at = text[end] === ',' ? end + 1 : 0;
  }
}

/** The index after the closing quote. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** The index of the comma or brace that follows the value; -1 when the text ends before it. */
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
