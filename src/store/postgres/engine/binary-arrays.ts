/**
 * Encodes lists in PostgreSQL's binary array format. In text format the driver quotes every element and the server unquotes it,
 * character by character: for JSON that takes as long as all other work on a row.
 *
 * The element type must be the one that the statement names: `$4::text[]`.
 */

interface ElementType<Element> {
  /** The OID of the type in `pg_type`. */
  readonly oid: number;
  bytesOf(element: Element): number;
  write(target: Buffer, element: Element, offset: number): void;
}

const TEXT: ElementType<string> = {
  oid: 25,
  bytesOf: (text) => Buffer.byteLength(text),
  write: (target, text, offset) => void target.write(text, offset),
};

/** A format version precedes the text. */
const JSONB: ElementType<string> = {
  oid: 3802,
  bytesOf: (text) => 1 + Buffer.byteLength(text),
  write: (target, text, offset) => void target.write(text, target.writeUInt8(1, offset)),
};

const INTEGER: ElementType<number> = {
  oid: 23,
  bytesOf: () => 4,
  write: (target, integer, offset) => void target.writeInt32BE(integer, offset),
};

const HALF = 2 ** 32;

const BIGINT: ElementType<number> = {
  oid: 20,
  bytesOf: () => 8,
  write(target, integer, offset) {
    if (!Number.isSafeInteger(integer)) throw new Error(`${integer} is not a safe integer.`);
    const high = Math.floor(integer / HALF);
    target.writeUInt32BE(integer - high * HALF, target.writeInt32BE(high, offset));
  },
};

const FLOAT8: ElementType<number> = {
  oid: 701,
  bytesOf: () => 8,
  write: (target, number, offset) => void target.writeDoubleBE(number, offset),
};

type List<Element> = readonly (Element | null)[];

export const texts = (list: List<string>): Buffer => binaryArray(TEXT, list);
/** Takes JSON texts. */
export const jsonbs = (list: List<string>): Buffer => binaryArray(JSONB, list);
export const integers = (list: List<number>): Buffer => binaryArray(INTEGER, list);
export const bigints = (list: List<number>): Buffer => binaryArray(BIGINT, list);
export const floats = (list: List<number>): Buffer => binaryArray(FLOAT8, list);

const NULL_LENGTH = -1;
/** The head: number of dimensions, whether there are nulls, type; for a list with elements also its length and first index. */
const EMPTY_HEAD_BYTES = 12;
const HEAD_BYTES = 20;

function binaryArray<Element>(type: ElementType<Element>, list: List<Element>): Buffer {
  const lengths = list.map((element) => (element === null ? NULL_LENGTH : type.bytesOf(element)));
  const bytes = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), HEAD_BYTES);
  const array = Buffer.allocUnsafe(list.length === 0 ? EMPTY_HEAD_BYTES : bytes);
  array.writeInt32BE(list.length === 0 ? 0 : 1, 0);
  array.writeInt32BE(lengths.includes(NULL_LENGTH) ? 1 : 0, 4);
  array.writeInt32BE(type.oid, 8);
  if (list.length === 0) return array;
  array.writeInt32BE(list.length, 12);
  array.writeInt32BE(1, 16);
  let offset = HEAD_BYTES;
  for (const [index, element] of list.entries()) {
    const length = lengths[index] as number;
    offset = array.writeInt32BE(length, offset);
    if (element === null) continue;
    type.write(array, element, offset);
    offset += length;
  }
  return array;
}

/** Returns the elements of a list, each as a parameter of the element's type. Those of a binary list stay binary. */
export function elementsOf(list: Buffer | readonly unknown[]): readonly unknown[] {
  if (!Buffer.isBuffer(list)) return list;
  const elements: (Buffer | null)[] = [];
  let offset = HEAD_BYTES;
  while (offset < list.length) {
    const length = list.readInt32BE(offset);
    offset += 4;
    elements.push(length === NULL_LENGTH ? null : list.subarray(offset, offset + length));
    offset += Math.max(0, length);
  }
  return elements;
}
