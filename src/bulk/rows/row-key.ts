/**
 * In charge of the key of a row: the SKU id that it is, or what is wrong with it and how it is written down then.
 *
 * What is written down is sent again: a key that is no SKU id must not become one on its way through the retry file, nor
 * two such keys the same. Bytes that a text in JSON cannot hold stand there as halves of surrogate pairs, which no SKU id
 * holds: U+DC00 and the byte, as Python does it (PEP 383).
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../domain/limits.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { readText } from './piece-text.ts';
import type { Entry } from './split-entries.ts';

/** Of a key that is far too long: more characters than a SKU id may have, whatever they are. */
const KEY_KEPT_BYTES = 4 * (LIMITS.sku_id_characters_max + 1);
const HALF_OF_PAIR = 0xdc00;
const UTF8_CHARACTER_BYTES = [1, 2, 3, 4] as const;

/** Characters that need JSON to be read, or that JSON does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const NEEDS_JSON = /[\\\u0000-\u001f]/;
const EACH_THAT_NEEDS_JSON = new RegExp(NEEDS_JSON, 'g');

export type RowKey = { readonly skuId: string } | { readonly fault: string; readonly kept: string };

export function readKey({ piece, keyStart, keyEnd }: Entry): RowKey {
  if (keyEnd - keyStart > LIMITS.sku_id_encoded_characters_max) {
    const beginning = piece.bytes.toString('utf8', keyStart, keyStart + KEY_KEPT_BYTES);
    return { fault: `must have at most ${LIMITS.sku_id_characters_max} characters`, kept: `${beginning}…` };
  }
  const text = readText(piece, keyStart, keyEnd);
  if (text === undefined) return { fault: 'must be UTF-8', kept: keepBytes(piece.bytes.subarray(keyStart, keyEnd)) };
  const skuId = NEEDS_JSON.test(text) ? readJsonString(text) : text;
  if (skuId === undefined) {
    const kept = text.replaceAll(EACH_THAT_NEEDS_JSON, (character) => halfOfPair(character.charCodeAt(0)));
    return { fault: 'is not a JSON string', kept };
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
