/**
 * Formats failed rows for the merchant: entries of the error file, rows of the retry file (to fix and resend), and an excerpt with
 * the first error messages.
 *
 * The error file is stored as a JSON object without its closing brace, so that entries can be appended. The brace is added when the
 * file is served. If two rows with the same key fail, the key appears twice. The retry file has the format of the upload; a JSON
 * retry file also lacks the closing brace.
 */
import type { Problem } from '../../domain/problem.ts';
import type { FileFault } from '../file-fault.ts';
import { CUT_ENTRY_BYTES, type Entry } from './entry.ts';
import type { CheckedRow } from './row-checks.ts';
import { withColumns } from './sheet-row.ts';

export interface FailedRow {
  readonly row: CheckedRow;
  readonly problems: readonly Problem[];
}

export const EXCERPT_ERRORS_MAX = 10;
const EXCERPT_CHARACTERS_MAX = 500;

/** Returns the text to append to the error file. `hasSome`: the file already has an entry. */
export function errorText(failed: readonly FailedRow[], hasSome: boolean): string {
  return entriesText(
    failed.map(({ row, problems }) => [row.key, errorJson(withColumns(row.entry, problems), row.entry)]),
    hasSome,
  );
}

/** Returns the error file entry for an error of the whole file. Its key is the empty string, which is never a valid SKU id. */
export function faultText(fault: FileFault, hasSome: boolean): string {
  return entriesText([['', errorJson([fault.problem], fault)]], hasSome);
}

/** Returns a row for the retry file. In formats other than JSON, the row is copied as it was sent, byte by byte. */
export function retryRow({ row }: FailedRow, hasSome: boolean): Buffer {
  const { format, sheet, piece, valueStart, valueEnd } = row.entry;
  if (format === 'JSON') return Buffer.from(entriesText([[row.key, bodyJson(row)]], hasSome));
  if (sheet === undefined) return Buffer.concat([piece.bytes.subarray(valueStart, lineEnd(row.entry)), NEWLINE]);
  const bytes = piece.bytes.subarray(valueStart, valueEnd);
  const isEnded = piece.text[valueEnd - 1] === sheet.newline;
  return Buffer.concat([...(hasSome ? [] : [sheet.header]), bytes, ...(isEnded ? [] : [Buffer.from(sheet.lineBreak)])]);
}

const NEWLINE = Buffer.from('\n');

/** Returns where the line of an NDJSON row ends, with the white space after its value, such as CR before LF. */
function lineEnd({ piece, valueEnd, isCut }: Entry): number {
  const end = piece.text.indexOf('\n', valueEnd);
  if (isCut) return valueEnd;
  return end === -1 ? piece.bytes.length : end;
}

/** Returns the list with the new errors, up to its limit. */
export function extendExcerpt(
  excerpt: readonly string[],
  failed: readonly { readonly key: string; readonly problems: readonly Problem[] }[],
): readonly string[] {
  if (excerpt.length >= EXCERPT_ERRORS_MAX || failed.length === 0) return excerpt;
  const texts = failed
    .slice(0, EXCERPT_ERRORS_MAX)
    .flatMap(({ key, problems }) =>
      problems.map(({ message }) => (key === '' ? message : `${key}: ${message}`).slice(0, EXCERPT_CHARACTERS_MAX)),
    );
  return [...excerpt, ...texts.map((text) => text.toWellFormed())].slice(0, EXCERPT_ERRORS_MAX);
}

function entriesText(entries: readonly (readonly [key: string, json: string])[], hasSome: boolean): string {
  let text = '';
  for (const [key, json] of entries) {
    text += `${text === '' && !hasSome ? '{\n' : ',\n'}${JSON.stringify(key)}: ${json}`;
  }
  return text;
}

/** Formats problems like API errors, with the position of the row. */
function errorJson(
  problems: readonly Problem[],
  { offset, line, column }: Pick<FileFault, 'offset' | 'line' | 'column'>,
): string {
  return JSON.stringify({
    errors: problems.map(({ message }) => message),
    details: problems,
    line,
    column,
    byte_offset: offset,
  });
}

/** Returns the body as sent, byte by byte; as a string if it is not JSON. */
function bodyJson(row: CheckedRow): string {
  const { piece, valueStart, valueEnd } = row.entry;
  if (row.write !== undefined || row.isJson) return piece.bytes.toString('utf8', valueStart, valueEnd);
  return JSON.stringify(sentText(row.entry));
}

function sentText({ piece, valueStart, valueEnd }: Entry): string {
  return piece.bytes.toString('utf8', valueStart, Math.min(valueEnd, valueStart + CUT_ENTRY_BYTES)).toWellFormed();
}
