/**
 * Reads the key of a row. Returns its SKU id, or the problem with the key and the form in which the retry file shows
 * it.
 *
 * The retry file is uploaded again, so an invalid key must not turn into a valid SKU id there, nor two such keys into
 * the same one. Bytes that JSON text cannot hold become unpaired surrogates, which no SKU id contains: U+DC00 plus the
 * byte, as in Python (PEP 383).
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../domain/limits.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { type Entry, readText } from './entry.ts';

/** How many bytes of a key that is far too long are kept: more than a SKU id may have. */
const KEY_KEPT_BYTES = 4 * (LIMITS.sku_id_characters_max + 1);
const HALF_OF_PAIR = 0xdc00;
const UTF8_CHARACTER_BYTES = [1, 2, 3, 4] as const;

/** Characters that need JSON parsing, or that JSON does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must find these characters.
const NEEDS_JSON = /[\\\u0000-\u001f]/;
const EACH_THAT_NEEDS_JSON = new RegExp(NEEDS_JSON, 'g');

export type RowKey = { readonly skuId: string } | { readonly fault: string; readonly kept: string };

export function readKey({ piece, keyStart, keyEnd }: Entry): RowKey {
  if (keyStart === -1) return { fault: 'is required, as a string', kept: '' };
  if (keyEnd - keyStart > LIMITS.sku_id_encoded_characters_max) {
    const beginning = piece.bytes.toString('utf8', keyStart, keyStart + KEY_KEPT_BYTES);
    return { fault: `must have at most ${LIMITS.sku_id_characters_max} characters`, kept: `${beginning}…` };
  }
  const text = readText(piece, keyStart, keyEnd);
  if (text === undefined) return { fault: 'must be UTF-8', kept: keepBytes(piece.bytes.subarray(keyStart, keyEnd)) };
  const skuId = NEEDS_JSON.test(text) ? readJsonString(text) : text;
  if (skuId === undefined) {
    const kept = text.replaceAll(EACH_THAT_NEEDS_JSON, (character) => halfOfPair(character.charCodeAt(0)));
    return { fault: 'must be a JSON string', kept };
  }
  const fault = skuIdFault(skuId);
  return fault === undefined ? { skuId } : { fault, kept: skuId };
}

function readJsonString(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function keepBytes(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = UTF8_CHARACTER_BYTES.find((count) => isUtf8(bytes.subarray(at, at + count)));
    text += length === undefined ? halfOfPair(bytes[at] as number) : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}

function halfOfPair(byte: number): string {
  return String.fromCharCode(HALF_OF_PAIR + byte);
}
