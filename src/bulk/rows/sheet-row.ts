/** Reads a row of a CSV file, and names the columns in its problems. */
import { isAscii, isUtf8 } from 'node:buffer';
import { readBodyValue, type SentBody } from '../../domain/body-text.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { type ReadCells, withoutField } from '../../domain/sheets/read-cells.ts';
import type { Entry, Sheet } from './entry.ts';

type ReadRow = Omit<ReadCells, 'body'> & { readonly body: SentBody };

export function readSheetRow(
  { piece, valueStart, valueEnd, cells }: Entry,
  { reader }: Sheet,
): ReadRow | { readonly unreadable: Problem } {
  if (cells.length === 0) {
    const rule = 'The row has a misplaced quote. Double every quote inside a quoted cell.';
    return { unreadable: requestProblem('cell_invalid', rule) };
  }
  const bytes = piece.bytes.subarray(valueStart, valueEnd);
  const isPlain = piece.isAscii || isAscii(bytes);
  if (!isPlain && !isUtf8(bytes)) return { unreadable: requestProblem('body_not_utf8', 'The row must be UTF-8.') };
  const texts = isPlain ? cells : cells.map((cell) => Buffer.from(cell, 'latin1').toString('utf8'));
  const read = reader.read(texts);
  if (read === undefined) throw new Error('An empty row is not an entry.');
  // UTF-8 cannot hold the other forbidden characters.
  const body = bytes.includes(0) ? readBodyValue(read.body) : { value: read.body, problems: [] };
  return { ...read, body };
}

/** Adds column names to the problems of a CSV row. */
export function withColumns(entry: Entry, problems: readonly Problem[]): readonly Problem[] {
  const { sheet } = entry;
  if (sheet === undefined || problems.every(({ field }) => field === '')) return problems;
  const read = readSheetRow(entry, sheet);
  if ('unreadable' in read) return problems;
  return problems.map((problem) => {
    const column = sheet.reader.columnOf(problem.field, read.slots);
    if (column === '') return problem;
    return { ...problem, message: `${column}: ${withoutField(problem.message)}`, column_name: column };
  });
}
