/**
 * Splits a bulk file, `{"<sku>": <body>, ...}`, into entries while its bytes arrive. Finds the start and end of each
 * key and value by quotes and brackets alone, without parsing the content.
 *
 * It holds only the current entry, and only the start of an oversized one, so memory does not grow with the file. A
 * value that is not JSON inside its brackets affects only its own row. Anything but a comma between two rows is an
 * error of the file, because the start of the next row is unknown.
 */
import { LIMITS } from '../../domain/limits.ts';
import { type FileFault, fileFault, REST_UNREAD } from '../file-fault.ts';
import {
  CUT_ENTRY_BYTES,
  type Entry,
  HeldBytes,
  isWhiteSpace,
  NO_CELLS,
  type Piece,
  pieceOf,
  type Splitter,
} from './entry.ts';
import { LineCounter } from './line-counter.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The classes of bytes inside a value, so that the loop makes one comparison for most of them. */
const PLAIN = 0;
const QUOTES = 1;
const OPENS = 2;
const CLOSES = 3;
const KINDS = new Uint8Array(256);
KINDS[QUOTE] = QUOTES;
for (const bracket of '{[') KINDS[bracket.charCodeAt(0)] = OPENS;
for (const bracket of '}]') KINDS[bracket.charCodeAt(0)] = CLOSES;

/** The state is the next expected token. Short string literals are fast, because V8 compares them by address. */
type State =
  | 'start'
  | 'first_key'
  | 'key'
  | 'in_key'
  | 'colon'
  | 'value'
  | 'in_brackets'
  | 'in_string'
  | 'in_scalar'
  | 'comma'
  | 'end';

/** The expected token, for error messages. */
const EXPECTED: Readonly<Record<State, string>> = {
  start: 'an object',
  first_key: 'a SKU id in quotes, or }',
  key: 'a SKU id in quotes',
  in_key: 'the end of a SKU id',
  colon: 'a colon',
  value: 'the body of a row',
  in_brackets: 'the end of a row',
  in_string: 'the end of a row',
  in_scalar: 'the end of a row',
  comma: 'a comma or }',
  end: 'the end of the file',
};

export class EntrySplitter implements Splitter {
  #state: State;
  /** Offset of the next chunk in the unpacked file. */
  #offset: number;
  /** Levels of brackets inside the current value. */
  #depth = 0;
  #inString = false;
  /** The last byte was a backslash inside a string. */
  #isEscaped = false;

  readonly #lines = new LineCounter();

  /** Start of the current entry in the unpacked file. */
  #keyAt = 0;
  #keyPosition = { line: 1, column: 1 };
  #keyEndAt = 0;
  #valueAt = 0;
  /** The bytes of the current entry from earlier chunks. */
  readonly #held = new HeldBytes();

  /** Starts at the beginning, or right after the value of an entry. */
  constructor(offset: number) {
    this.#offset = offset;
    this.#state = offset === 0 ? 'start' : 'comma';
  }

  skip(bytes: Buffer, offset: number): void {
    this.#lines.skip(bytes, offset);
  }

  write(chunk: Buffer, entries: Entry[]): FileFault | undefined {
    const { length } = chunk;
    const piece = pieceOf(chunk);
    this.#lines.begin(piece.text, this.#offset);
    for (let at = 0; at < length; ) {
      switch (this.#state) {
        case 'in_brackets':
          at = this.#skipBrackets(piece, at, entries);
          break;
        case 'in_key':
        case 'in_string':
          at = this.#skipString(piece, at, entries);
          break;
        case 'in_scalar':
          at = this.#skipScalar(piece, at, entries);
          break;
        default: {
          const byte = chunk[at] as number;
          if (!isWhiteSpace(byte) && !this.#step(byte, at)) return this.#misplaced(piece, at);
          at++;
        }
      }
    }
    if (this.#isInEntry()) this.#held.add(chunk.subarray(Math.max(0, this.#keyAt - this.#offset)));
    this.#offset += length;
    this.#lines.positionOf(this.#offset);
    return undefined;
  }

  end(): FileFault | undefined {
    if (this.#state === 'end') return undefined;
    if (this.#state === 'start') return fileFault('file_empty', 'The file is empty.', 0);
    // A missing bracket in a row is only noticed here, so the message names the start of that row.
    const row = this.#isInEntry() ? ` The last row begins at byte ${this.#keyAt}.` : '';
    const text = `The file ends early, at byte ${this.#offset}: expected ${EXPECTED[this.#state]}.${row}`;
    return { ...fileFault('file_truncated', text, this.#offset), ...this.#lines.positionOf(this.#offset) };
  }

  /** Handles one byte outside strings and values; returns false if it is not allowed here. */
  #step(byte: number, at: number): boolean {
    switch (this.#state) {
      case 'start':
        if (byte === OPEN_BRACE) this.#state = 'first_key';
        else return this.#offset + at < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[this.#offset + at];
        return true;
      case 'first_key':
      case 'key':
        if (byte === QUOTE) {
          this.#state = 'in_key';
          this.#keyAt = this.#offset + at;
          this.#keyPosition = this.#lines.positionOf(this.#keyAt);
        } else if (byte === CLOSE_BRACE && this.#state === 'first_key') {
          this.#state = 'end';
        } else {
          return false;
        }
        return true;
      case 'colon':
        if (byte !== COLON) return false;
        this.#state = 'value';
        return true;
      case 'value':
        return this.#beginValue(byte, at);
      case 'comma':
        if (byte === COMMA) this.#state = 'key';
        else if (byte === CLOSE_BRACE) this.#state = 'end';
        else return false;
        return true;
      default:
        return false;
    }
  }

  #beginValue(byte: number, at: number): boolean {
    this.#valueAt = this.#offset + at;
    const kind = KINDS[byte];
    if (kind === OPENS) {
      this.#state = 'in_brackets';
      this.#depth = 1;
    } else if (kind === QUOTES) {
      this.#state = 'in_string';
    } else if (kind === CLOSES || byte === COMMA || byte === COLON) {
      return false;
    } else {
      this.#state = 'in_scalar';
    }
    return true;
  }

  /** The hot loop: skips strings by searching for their end, and other bytes by one table lookup each. */
  #skipBrackets(piece: Piece, from: number, entries: Entry[]): number {
    const { text } = piece;
    const { length } = text;
    let at = from;
    let depth = this.#depth;
    if (this.#inString) {
      at = this.#endOfString(text, at);
      if (at === -1) return length;
      this.#inString = false;
    }
    while (at < length) {
      const kind = KINDS[text.charCodeAt(at)];
      at++;
      if (kind === PLAIN) continue;
      if (kind === QUOTES) {
        at = this.#endOfString(text, at);
        if (at === -1) {
          this.#inString = true;
          this.#depth = depth;
          return length;
        }
      } else if (kind === OPENS) {
        depth++;
      } else if (--depth === 0) {
        this.#finish(piece, at, entries);
        return at;
      }
    }
    this.#depth = depth;
    return length;
  }

  /** Reads a key, or a value that is a string. */
  #skipString(piece: Piece, from: number, entries: Entry[]): number {
    const end = this.#endOfString(piece.text, from);
    if (end === -1) return piece.text.length;
    if (this.#state === 'in_key') {
      this.#keyEndAt = this.#offset + end - 1;
      this.#state = 'colon';
    } else {
      this.#finish(piece, end, entries);
    }
    return end;
  }

  #skipScalar(piece: Piece, from: number, entries: Entry[]): number {
    const { bytes } = piece;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === COMMA || byte === CLOSE_BRACE || isWhiteSpace(byte)) {
        this.#finish(piece, at, entries);
        return at;
      }
    }
    return bytes.length;
  }

  /**
   * Returns the offset after the closing quote of the string that contains `from`; -1 if it does not end in this chunk.
   */
  #endOfString(text: string, from: number): number {
    let start = from;
    if (this.#isEscaped && start < text.length) {
      this.#isEscaped = false;
      start++;
    }
    for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
      if (!endsEscaped(text, start, quote)) return quote + 1;
    }
    if (endsEscaped(text, start, text.length)) this.#isEscaped = true;
    return -1;
  }

  /** The value ends before `to`, in this chunk. */
  #finish(chunk: Piece, to: number, entries: Entry[]): void {
    const end = this.#offset + to;
    const isCut = this.#held.isCut || end - this.#valueAt > LIMITS.body_bytes_max;
    const isHeld = this.#held.length > 0;
    const piece = isHeld ? this.#held.take(chunk.bytes.subarray(0, to)) : chunk;
    /** The offset of the piece in the unpacked file. */
    const origin = isHeld ? this.#keyAt : this.#offset;
    const last = origin + piece.bytes.length;
    entries.push({
      format: 'JSON',
      offset: this.#keyAt,
      line: this.#keyPosition.line,
      column: this.#keyPosition.column,
      end,
      piece,
      keyStart: Math.min(this.#keyAt + 1, last) - origin,
      keyEnd: Math.min(this.#keyEndAt, last) - origin,
      valueStart: Math.min(this.#valueAt, last) - origin,
      valueEnd: Math.min(end, last, isCut ? this.#valueAt + CUT_ENTRY_BYTES : end) - origin,
      membersStart: -1,
      cells: NO_CELLS,
      sheet: undefined,
      isCut,
    });
    this.#state = 'comma';
  }

  #isInEntry(): boolean {
    switch (this.#state) {
      case 'in_key':
      case 'colon':
      case 'value':
      case 'in_brackets':
      case 'in_string':
      case 'in_scalar':
        return true;
      default:
        return false;
    }
  }

  #misplaced({ bytes }: Piece, at: number): FileFault {
    const offset = this.#offset + at;
    const position = this.#lines.positionOf(offset);
    const found = printable(bytes[at] as number);
    if (this.#state === 'start') {
      const text = `Unrecognized file format: the file begins with ${found}. Upload a JSON object, {"<SKU id>": <body>, ...}, NDJSON or CSV.`;
      return { ...fileFault('file_not_object', text, offset), ...position };
    }
    const text = `Invalid JSON at byte ${offset}: expected ${EXPECTED[this.#state]}, but found ${found}. ${REST_UNREAD}`;
    return { ...fileFault('file_not_json', text, offset), ...position };
  }
}

/** The byte order mark that some programs write before UTF-8. It is not JSON, but harmless. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Whether the bytes from `from` to `to` end in a backslash that is not itself escaped. */
function endsEscaped(text: string, from: number, to: number): boolean {
  let start = to;
  while (start > from && text.charCodeAt(start - 1) === BACKSLASH) start--;
  return (to - start) % 2 === 1;
}

function printable(byte: number): string {
  if (byte === 0x22) return `'"'`;
  return byte > 0x20 && byte < 0x7f
    ? `"${String.fromCharCode(byte)}"`
    : `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}
