/** Defines one row of a bulk file as sent, and how splitters find it; the same for all formats. */
import { isAscii, isUtf8 } from 'node:buffer';
import { LIMITS } from '../../domain/limits.ts';
import type { CellReader } from '../../domain/sheets/read-cells.ts';
import type { FileFormat, FileType } from '../../domain/vocabulary/file-types.ts';
import type { FileFault } from '../file-fault.ts';

/** Some bytes of the file, as bytes and as text. */
export interface Piece {
  readonly bytes: Buffer;
  /** One character per byte: offsets are the same, and V8 searches text twice as fast as it loops over bytes. */
  readonly text: string;
  readonly isAscii: boolean;
}

/** One row as sent. Offsets are relative to `piece`. */
export interface Entry {
  readonly format: FileFormat;
  /** The offset in the unpacked file at which the row begins: at its key in JSON, else at its first byte. */
  readonly offset: number;
  /** The line and the column, in bytes, of `offset`; both from 1. */
  readonly line: number;
  readonly column: number;
  /** The offset in the unpacked file at which the row ends: after its value in JSON, else at or after its line break. */
  readonly end: number;
  readonly piece: Piece;
  /** Start and end of the key, without its quotes. Both are -1 in an NDJSON line without a `sku`, and in CSV. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** In NDJSON, the offset in `piece` after the comma that follows `sku`, if `sku` is the first member and simple to read; else -1. */
  readonly membersStart: number;
  /** In CSV only: the cells, one character per byte, and how to read them. No cells if a quote is misplaced. */
  readonly cells: readonly string[];
  readonly sheet: Sheet | undefined;
  /** True if the value exceeds the maximum size of a body; then `piece` has only its start. */
  readonly isCut: boolean;
}

/** The format of a CSV file, as its header shows it. */
export interface Sheet {
  readonly reader: CellReader;
  readonly delimiter: string;
  readonly newline: '\n' | '\r';
  /** The header as sent, with its line break, for the retry file. */
  readonly header: Buffer;
  /** The line break of the header. Usually all rows have the same, but the last row may lack one. */
  readonly lineBreak: string;
}

/** Returns the name of the member with the SKU id in NDJSON. `Offers` use the name in `GET …/offer`, because `sku` is a part there. */
export function keyNameOf(type: FileType | undefined): string {
  return type === 'Offers' ? 'merchant_sku' : 'sku';
}

/** Splits the bytes of an unpacked file into rows while they arrive. */
export interface Splitter {
  /** Counts the lines of the bytes before the first entry. They begin at `offset` of the unpacked file. */
  skip(bytes: Buffer, offset: number): void;
  /** Adds the entries that end in this chunk. The chunk must not be modified afterwards, because entries refer to it. */
  write(chunk: Buffer, entries: Entry[]): FileFault | undefined;
  /** Ends the file. Adds the last entry if only the end of the file terminates it. */
  end(entries: Entry[]): FileFault | undefined;
}

/** Bytes of an oversized row that are kept for the retry file; more than any key may have. */
export const CUT_ENTRY_BYTES = 65_536;
/** Room for key, colon and white space, in addition to a body of the maximum size. */
const HEAD_BYTES_MAX = CUT_ENTRY_BYTES;
const HELD_BYTES_MAX = LIMITS.body_bytes_max + HEAD_BYTES_MAX;

/** Holds the bytes of an entry that began in an earlier chunk; only the start of an oversized one. */
export class HeldBytes {
  #parts: Buffer[] = [];
  /** All bytes added, including dropped ones. */
  length = 0;
  isCut = false;

  /** Copies the bytes, because their whole chunk may be many times as large. */
  add(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.isCut) return;
    this.#parts.push(Buffer.from(bytes));
    if (this.length <= HELD_BYTES_MAX) return;
    // Copied again, because the small piece would otherwise keep the large one in memory.
    this.#parts = [Buffer.from(Buffer.concat(this.#parts).subarray(0, CUT_ENTRY_BYTES))];
    this.isCut = true;
  }

  /** Returns the held bytes with the rest of the entry, and holds nothing afterwards. */
  take(rest: Buffer): Piece {
    const piece = pieceOf(Buffer.concat(this.isCut ? this.#parts : [...this.#parts, rest]));
    this.#parts = [];
    this.length = 0;
    this.isCut = false;
    return piece;
  }
}

export const NO_CELLS: readonly string[] = Object.freeze([]);

export function pieceOf(bytes: Buffer): Piece {
  return { bytes, text: bytes.toString('latin1'), isAscii: isAscii(bytes) };
}

/** Reads a part of a piece as text. Returns undefined if the bytes are not UTF-8. For ASCII, the existing text is used. */
export function readText(piece: Piece, start: number, end: number): string | undefined {
  if (piece.isAscii) return piece.text.slice(start, end);
  const bytes = piece.bytes.subarray(start, end);
  if (isAscii(bytes)) return piece.text.slice(start, end);
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
