/** Bodies of 1 MiB that are designed to be slow to read, check or refuse. */
import { LIMITS } from '../../src/domain/limits.ts';

const BYTES = LIMITS.body_bytes_max;

/** Returns `before`, as many separated pieces as fit, and `after`. */
function filled(before: string, piece: string | ((n: number) => string), after: string, separator = ','): string {
  const pieces: string[] = [];
  let bytes = Buffer.byteLength(before + after);
  for (let n = 0; ; n++) {
    const next = typeof piece === 'string' ? piece : piece(n);
    bytes += Buffer.byteLength(next) + separator.length;
    if (bytes > BYTES) return `${before}${pieces.join(separator)}${after}`;
    pieces.push(next);
  }
}

const LARGE = '"id":9007199254740993';
const inUnknown = (piece: string | ((n: number) => string)) => filled(`{${LARGE},"x":[`, piece, ']}');
const asFields = (piece: (n: number) => string) => filled(`{${LARGE},`, piece, '}');
const deep = (open: string, inner: string, close: string) => `${open.repeat(28)}${inner}${close.repeat(28)}`;

/** Padding for pieces of about 21 characters, with which a body reaches the limit of values. */
const PAD = 'x'.repeat(12);
const manyNames = (n: number, value: string) =>
  `{${Array.from({ length: 990 }, (_, field) => `"${PAD}${n}-${field}":${value}`).join(',')}}`;

/** Bodies by content. Half are within the limit of values, the others beyond it. */
export const HOSTILE_BODIES: Readonly<Record<string, string>> = {
  'closed brackets and colons': ']:'.repeat(BYTES / 2),
  'closed braces and colons': `{"a":1${'}:'.repeat(BYTES / 2 - 4)}`,
  'brackets closed twice': ']]:['.repeat(BYTES / 4),
  'integers of 16 digits': inUnknown('9999999999999999'),
  'integers of 19 digits': inUnknown('1234567890123456789'),
  'integers of 20 digits': inUnknown('-12345678901234567890'),
  'integers of 25 digits': inUnknown('1234567890123456789012345'),
  'one integer of a million digits': `{"x":${'9'.repeat(BYTES - 6)}}`,
  'large integers by name': asFields((n) => `"k${n}":9007199254740993`),
  'large integers by one name': asFields(() => '"a":9007199254740993'),
  'large integers in objects': inUnknown('{"id":9007199254740993}'),
  'large integers far down': inUnknown(deep('[', '9007199254740993', ']')),
  'large integers by escaped names': asFields((n) => `"\\u0061${n}":9007199254740993`),
  'large integers by many names': inUnknown((n) => manyNames(n, '9007199254740993')),
  'large integers by many escaped names': inUnknown((n) =>
    manyNames(n, '9007199254740993').replaceAll('"x', '"\\u0078'),
  ),
  'large integers far down, with room': inUnknown(
    `[${deep('[', '9007199254740993', ']').slice(1, -1)},"${PAD.repeat(40)}"]`,
  ),
  'many names': inUnknown((n) => manyNames(n, '1')),
  'many names with NUL characters': inUnknown((n) => manyNames(n, '1').replaceAll('"x', '"\\u0000')),
  'objects with another name each': inUnknown((n) => `{"${PAD}${PAD}${PAD}-${n}":1}`),
  'lists far down, with room': inUnknown(deep('[', `"${PAD.repeat(40)}"`, ']')),
  'objects far down, with room': inUnknown((n) => deep(`{"${PAD}${PAD}${n}":`, '1', '}')),
  'empty lists, with room': inUnknown(`"${PAD.repeat(2)}",[],[]`),
  'short strings, with room': inUnknown((n) => `"${PAD}${n}"`),
  'white space between numbers': inUnknown(`1${' '.repeat(20)}`),
  digits: inUnknown('1'),
  exponents: inUnknown('1e5'),
  'long fractions': inUnknown('0.12345678901234567'),
  'numbers beyond doubles': inUnknown('1e400'),
  'empty strings': inUnknown('""'),
  'short strings': inUnknown('"a"'),
  'digits in strings': inUnknown('"12345678901234567890"'),
  'numbers in strings': inUnknown('",1234567890123456789"'),
  'one long string': filled(`{${LARGE},"x":"`, 'a'.repeat(1000), '"}', ''),
  'escaped quotes': filled(`{${LARGE},"x":"`, '\\"', '"}', ''),
  'escaped backslashes': filled(`{${LARGE},"x":"`, '\\\\', '"}', ''),
  'escaped letters': filled(`{${LARGE},"x":"`, '\\u0061', '"}', ''),
  'escaped NUL characters': inUnknown('"\\u0000"'),
  'halves of pairs': inUnknown('"\\ud800"'),
  'names with NUL characters': asFields((n) => `"\\u0000${n}":1`),
  'empty lists': inUnknown('[]'),
  'empty objects': inUnknown('{}'),
  'lists far down': inUnknown(deep('[', '', ']')),
  'objects far down': inUnknown(deep('{"a":', '1', '}')),
  'lists too far down': `${'['.repeat(BYTES / 2)}${']'.repeat(BYTES / 2)}`,
  'opening brackets': '['.repeat(BYTES),
  'brackets in strings': inUnknown('"[{[{"'),
  'short names': asFields((n) => `"${n.toString(36)}":1`),
  'names like indexes': asFields((n) => `"${n}":1`),
  'names like large indexes': asFields((n) => `"${4_294_000_000 - n * 7}":1`),
  'names of the language': asFields(() => '"__proto__":{}'),
  'objects of other names each': inUnknown((n) => `{"k${n}":1}`),
  nulls: inUnknown('null'),
  'truth values': inUnknown('false'),
  spaces: `{${LARGE}${' '.repeat(BYTES - LARGE.length - 2)}}`,
  'line breaks before a fault': `${'\n'.repeat(BYTES - 1)}x`,
  'lines before a fault': filled('{"x":[', '1\n', ',x]}'),
  'a fault at the end': filled('{"x":[9007199254740993,', '1234567890123456789', ',]}'),
  'an open string': `{"x":"${'a'.repeat(BYTES - 6)}`,
  'letters of two bytes': inUnknown('"ü"'),
  'letters of three bytes': inUnknown('"漢字"'),
  'letters of four bytes': filled(`{${LARGE},"x":"`, '😀', '"}', ''),
  'marks that combine': filled(`{${LARGE},"x":"`, 'e\u0301', '"}', ''),
};

/** Returns bodies in which `field` has many entries or a very long text. */
export function overfullBodies(field: string): Readonly<Record<string, string>> {
  return {
    [`${field} with many numbers`]: filled(`{"${field}":[`, '1', ']}'),
    [`${field} with many texts`]: filled(`{"${field}":[`, (n) => `"${n}"`, ']}'),
    [`${field} with many empty objects`]: filled(`{"${field}":[`, '{}', ']}'),
    [`${field} with a long text`]: filled(`{"${field}":"`, 'a', '"}', ''),
    [`${field} with long text that is wide`]: filled(`{"${field}":["`, '😀', '"]}', ''),
  };
}
