/**
 * Splits an NDJSON file into rows while its bytes arrive: each line is an object with the SKU id in one member. A line that is
 * not JSON affects only its own row. Memory holds the current line, and only the start of an oversized one.
 */
import { LIMITS } from '../../domain/limits.ts';
import { jsonMembers } from '../../domain/sheets/json-entries.ts';
import {
  CUT_ENTRY_BYTES,
  type Entry,
  HeldBytes,
  isWhiteSpace,
  NO_CELLS,
  type Piece,
  pieceOf,
  type Splitter,
} from '../rows/entry.ts';
import { LineCounter } from '../rows/line-counter.ts';

/** Without a member after the comma, the line is not JSON. */
const COMMA_FOLLOWS = /[ \t]*,(?!\s*\})/y;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;

export class LineSplitter implements Splitter {
  /** Offset of the next chunk in the unpacked file. */
  #offset: number;
  readonly #lines = new LineCounter();
  /** The start of the current line from earlier chunks. */
  readonly #held = new HeldBytes();
  #lineAt = 0;
  #linePosition = { line: 1, column: 1 };

  readonly #keyName: string;
  /** Finds the key of nearly all lines without a walk over their members. */
  readonly #keyIsFirst: RegExp;

  /** `keyName`: the name of the member with the SKU id. */
  constructor(offset: number, keyName: string) {
    this.#offset = offset;
    this.#keyName = keyName;
    this.#keyIsFirst = new RegExp(`\\{[ \\t]*"${keyName}"[ \\t]*:[ \\t]*"`, 'y');
  }

  skip(bytes: Buffer, offset: number): void {
    this.#lines.skip(bytes, offset);
  }

  write(chunk: Buffer, entries: Entry[]): undefined {
    const piece = pieceOf(chunk);
    const { text } = piece;
    this.#lines.begin(text, this.#offset);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const lineEnd = this.#offset + end;
      if (this.#held.length > 0) this.#addHeld(chunk.subarray(0, end), lineEnd, entries);
      else this.#add({ piece, origin: this.#offset, from: start, to: end, lineEnd, isCut: false }, entries);
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start), this.#offset + start);
    this.#offset += chunk.length;
    this.#lines.positionOf(this.#offset);
  }

  end(entries: Entry[]): undefined {
    if (this.#held.length > 0) this.#addHeld(Buffer.alloc(0), this.#offset, entries);
  }

  #hold(bytes: Buffer, offset: number): void {
    if (this.#held.length === 0) {
      this.#lineAt = offset;
      this.#linePosition = this.#lines.positionOf(offset);
    }
    this.#held.add(bytes);
  }

  #addHeld(rest: Buffer, lineEnd: number, entries: Entry[]): void {
    const { isCut } = this.#held;
    const piece = this.#held.take(rest);
    const line = { piece, origin: this.#lineAt, from: 0, to: piece.bytes.length, lineEnd, isCut };
    this.#add(line, entries, this.#linePosition);
  }

  #add(
    { piece, origin, from, to, lineEnd, isCut: isHeldCut }: Line,
    entries: Entry[],
    heldPosition?: Pick<Entry, 'line' | 'column'>,
  ): void {
    const { bytes, text } = piece;
    let start = from;
    let end = to;
    while (start < end && isWhiteSpace(bytes[start] as number)) start++;
    if (start === end) return;
    while (isWhiteSpace(bytes[end - 1] as number)) end--;
    const { line, column } = heldPosition ?? this.#lines.positionOf(origin + from);
    const isCut = isHeldCut || end - start > LIMITS.body_bytes_max;
    const key = keyAtStart(this.#keyIsFirst, text, start, end) ?? keyAnywhere(this.#keyName, text, start, end);
    entries.push({
      format: 'NDJSON',
      offset: origin + start,
      line,
      column: column + start - from,
      end: lineEnd,
      piece,
      keyStart: key.start,
      keyEnd: key.end,
      valueStart: start,
      valueEnd: isCut ? Math.min(end, start + CUT_ENTRY_BYTES) : end,
      membersStart: key.membersStart,
      cells: NO_CELLS,
      sheet: undefined,
      isCut,
    });
  }
}

interface Line {
  readonly piece: Piece;
  /** The offset of the piece in the unpacked file. */
  readonly origin: number;
  /** Start and end of the line in the piece. */
  readonly from: number;
  readonly to: number;
  /** The offset of the line break in the unpacked file. */
  readonly lineEnd: number;
  /** Whether the piece has only the start of the line. */
  readonly isCut: boolean;
}

interface Key {
  readonly start: number;
  readonly end: number;
  readonly membersStart: number;
}

function keyAtStart(first: RegExp, text: string, lineStart: number, lineEnd: number): Key | undefined {
  first.lastIndex = lineStart;
  if (!first.test(text)) return undefined;
  const start = first.lastIndex;
  const end = text.indexOf('"', start);
  if (end === -1 || end >= lineEnd || text.charCodeAt(end - 1) === BACKSLASH) return undefined;
  COMMA_FOLLOWS.lastIndex = end + 1;
  return COMMA_FOLLOWS.test(text) ? { start, end, membersStart: COMMA_FOLLOWS.lastIndex } : undefined;
}

function keyAnywhere(name: string, text: string, lineStart: number, lineEnd: number): Key {
  const line = text.slice(lineStart, lineEnd);
  for (const { keyStart, keyEnd, start, end } of line.startsWith('{') ? jsonMembers(line) : []) {
    if (line.slice(keyStart, keyEnd) !== `"${name}"`) continue;
    const value = line.slice(start, end);
    const first = start + value.length - value.trimStart().length;
    const last = start + value.trimEnd().length;
    if (line.charCodeAt(first) !== QUOTE) break;
    return { start: lineStart + first + 1, end: lineStart + last - 1, membersStart: -1 };
  }
  return { start: -1, end: -1, membersStart: -1 };
}
