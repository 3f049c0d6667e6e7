/**
 * Splits a CSV file into rows while its bytes arrive. Papa Parse finds the cells in text with one character per byte, so
 * that its positions are byte offsets; rows that are not ASCII are decoded when they are read.
 */
import Papa from 'papaparse';
import { LIMITS } from '../../domain/limits.ts';
import { type FileFault, fileFault, REST_UNREAD } from '../file-fault.ts';
import { type Entry, NO_CELLS, type Piece, pieceOf, type Sheet, type Splitter } from '../rows/entry.ts';
import { LineCounter } from '../rows/line-counter.ts';

interface Step {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly { readonly code: string }[];
  readonly meta: { readonly cursor: number };
}

/**
 * Calls `onRow` with the cells of each row and the offset after its line break, until `onRow` returns false. `isWhole`: the last row needs
 * no line break.
 */
export function parseRows(
  text: string,
  { delimiter, newline }: Pick<Sheet, 'delimiter' | 'newline'>,
  isWhole: boolean,
  onRow: (cells: readonly string[], end: number, quotes: 'right' | 'misplaced' | 'unclosed') => boolean,
): void {
  const step = ({ data, errors, meta }: Step): void => {
    const isUnclosed = errors.some(({ code }) => code === 'MissingQuotes');
    const quotes = isUnclosed ? 'unclosed' : errors.length > 0 ? 'misplaced' : 'right';
    if (!onRow(data[0] ?? [], meta.cursor, quotes)) parser.abort();
  };
  const config = { delimiter, newline, step } as unknown as ConstructorParameters<typeof Papa.Parser>[0];
  const parser = new Papa.Parser(config);
  parser.parse(text, 0, !isWhole);
}

export class SheetSplitter implements Splitter {
  readonly #sheet: Sheet;
  /** Offset of the next chunk in the unpacked file. */
  #offset: number;
  readonly #lines: LineCounter;
  /** The start of the current row from earlier chunks. */
  #held: Buffer = Buffer.alloc(0);

  constructor(sheet: Sheet, offset: number) {
    this.#sheet = sheet;
    this.#lines = new LineCounter(sheet.newline);
    this.#offset = offset;
  }

  skip(bytes: Buffer, offset: number): void {
    this.#lines.skip(bytes, offset);
  }

  write(chunk: Buffer, entries: Entry[]): FileFault | undefined {
    return this.#parse(chunk, false, entries);
  }

  end(entries: Entry[]): FileFault | undefined {
    return this.#held.length === 0 ? undefined : this.#parse(Buffer.alloc(0), true, entries);
  }

  #parse(chunk: Buffer, isWhole: boolean, entries: Entry[]): FileFault | undefined {
    const piece = pieceOf(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]));
    const origin = this.#offset - this.#held.length;
    this.#lines.begin(piece.text, origin);
    let start = 0;
    let isUnending = false;
    parseRows(piece.text, this.#sheet, isWhole, (cells, end, quotes) => {
      isUnending = quotes === 'unclosed' || end - start > LIMITS.body_bytes_max;
      if (isUnending) return false;
      if (!cells.every(isBlank)) {
        entries.push(this.#entry(piece, origin, start, end, quotes === 'right' ? cells : NO_CELLS));
      }
      start = end;
      return true;
    });
    this.#offset += chunk.length;
    // Copied, because the row may be a small part of the chunk.
    this.#held = Buffer.from(piece.bytes.subarray(start));
    const offset = origin + start;
    const position = this.#lines.positionOf(offset);
    if (isUnending || this.#held.length > LIMITS.body_bytes_max) return unending(offset, position);
    return undefined;
  }

  #entry(piece: Piece, origin: number, start: number, end: number, cells: readonly string[]): Entry {
    return {
      format: 'CSV',
      offset: origin + start,
      ...this.#lines.positionOf(origin + start),
      end: origin + end,
      piece,
      keyStart: -1,
      keyEnd: -1,
      valueStart: start,
      valueEnd: end,
      membersStart: -1,
      cells,
      sheet: this.#sheet,
      isCut: false,
    };
  }
}

/** Whether a cell with one character per byte has only white space, as the reader of its row decides after decoding it. */
function isBlank(cell: string): boolean {
  return !/[!-~]/.test(cell) && Buffer.from(cell, 'latin1').toString('utf8').trim() === '';
}

function unending(offset: number, position: { readonly line: number; readonly column: number }): FileFault {
  const text = `The row that starts on line ${position.line} has no closing quote or is longer than ${LIMITS.body_bytes_max} bytes. ${REST_UNREAD}`;
  return { ...fileFault('file_row_unending', text, offset), ...position };
}
