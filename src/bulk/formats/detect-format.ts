/** Detects the format of an unpacked file by its first bytes, and reads the header of a CSV file. */
import { isUtf8 } from 'node:buffer';
import { misspelling, suggestion } from '../../domain/check/near-names.ts';
import { columnsOf } from '../../domain/sheets/columns.ts';
import { delimiterOf, isKnownHeading, isProblemsHeading, matchHeader } from '../../domain/sheets/header.ts';
import { jsonMembers } from '../../domain/sheets/json-entries.ts';
import { CellReader } from '../../domain/sheets/read-cells.ts';
import type { FileFormat, FileType } from '../../domain/vocabulary/file-types.ts';
import { type FileFault, fileFault } from '../file-fault.ts';
import { keyNameOf, type Sheet } from '../rows/entry.ts';
import { parseRows } from './split-sheet.ts';

export interface DetectedFormat {
  readonly format: FileFormat;
  /** The offset of the first row in the unpacked file, or of white space before it. */
  readonly start: number;
  readonly sheet?: Sheet;
  /** Why no row can be read. */
  readonly fault?: FileFault;
}

/** The result depends on at most this many bytes, so that a resumed file gets the same result. */
export const HEAD_BYTES_MAX = 65_536;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
export const JSON_FILE: DetectedFormat = Object.freeze({ format: 'JSON', start: 0 });

/** Returns undefined if more bytes are needed. `isWhole`: there are no more bytes. */
export function detectFormat(type: FileType, bytes: Buffer, isWhole: boolean): DetectedFormat | undefined {
  const head = bytes.subarray(0, HEAD_BYTES_MAX);
  const isEnough = isWhole || bytes.length >= HEAD_BYTES_MAX;
  if (head.length < BYTE_ORDER_MARK.length && !isEnough) return undefined;
  const start = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const text = head.toString('latin1', start).trimStart();
  // A file without a row is an error of the JSON splitter, which also refuses a list.
  if (text === '') return isEnough ? JSON_FILE : undefined;
  if (text.startsWith('[')) return JSON_FILE;
  if (text.startsWith('{')) {
    const format = formatOfObject(text, keyNameOf(type)) ?? (isEnough ? 'JSON' : undefined);
    return format === 'NDJSON' ? { format, start } : format === 'JSON' ? JSON_FILE : undefined;
  }
  return readHeader(type, text, head.length - text.length, isWhole, isEnough);
}

/**
 * Tells JSON from NDJSON by the first members. An object value means JSON, where each value is the body of a row. The key of a row before
 * it means NDJSON. Returns undefined if neither is found.
 */
function formatOfObject(text: string, keyName: string): 'JSON' | 'NDJSON' | undefined {
  for (const { keyStart, keyEnd, start, end } of jsonMembers(text)) {
    if (text.slice(start, end).trimStart().startsWith('{')) return 'JSON';
    if (text.slice(keyStart, keyEnd) === `"${keyName}"`) return 'NDJSON';
  }
  // The first value may be longer than the head.
  return /^\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{/.test(text) ? 'JSON' : undefined;
}

function readHeader(
  type: FileType,
  text: string,
  start: number,
  isWhole: boolean,
  isEnough: boolean,
): DetectedFormat | undefined {
  const lineBreak = /\r\n|\n|\r(?!$)/.exec(text)?.[0];
  if (lineBreak === undefined && !isEnough) return undefined;
  const shape = { delimiter: delimiterOf(text), newline: lineBreak === '\r' ? '\r' : '\n' } as const;
  let end = -1;
  let headings: readonly string[] = [];
  parseRows(text, shape, isWhole, (cells, cursor) => {
    headings = cells;
    end = cursor;
    return false;
  });
  if (end === -1) {
    const rule = `The header of a CSV file must have at most ${HEAD_BYTES_MAX} bytes.`;
    return isEnough ? { format: 'CSV', start, fault: headerFault(rule, start) } : undefined;
  }
  const header = Buffer.from(text.slice(0, end), 'latin1');
  if (header.includes(0) || !isUtf8(header)) {
    const rule = 'Unrecognized file format: the file is not UTF-8 text. Upload a JSON object, NDJSON or CSV.';
    return { ...JSON_FILE, fault: fileFault('file_not_object', rule, 0) };
  }
  const names = headings.map((heading) => Buffer.from(heading, 'latin1').toString('utf8').trim());
  const mapping = matchHeader(type, names);
  const fault = headingsFault(type, names, mapping, start);
  const sheet = { ...shape, header, lineBreak: lineBreak ?? shape.newline, reader: new CellReader(type, mapping) };
  return { format: 'CSV', start: start + end, sheet, ...(fault === undefined ? {} : { fault }) };
}

function headingsFault(
  type: FileType,
  headings: readonly string[],
  mapping: ReturnType<typeof matchHeader>,
  offset: number,
): FileFault | undefined {
  const rest = headings.filter(
    (heading, at) => mapping[at] === undefined && heading !== '' && !isProblemsHeading(heading),
  );
  const shown = (names: readonly string[]) => names.slice(0, HEADINGS_SHOWN_MAX).join(', ').slice(0, SHOWN_CHARACTERS);
  const missing = columnsOf(type)
    .filter((column) => column.isRequired && !mapping.includes(column))
    .map(({ name }) => name + misspelling(name, rest));
  if (missing.length > 0) {
    const rule = `The CSV header (the first line) lacks required columns for ${type}: ${shown(missing)}. Add them.`;
    return headerFault(rule, offset);
  }
  const repeated = rest.filter((heading) => isKnownHeading(type, heading));
  if (repeated.length > 0)
    return headerFault(`The CSV header repeats a column: ${shown(repeated)}. Remove it.`, offset);
  if (rest.length === 0) return undefined;
  const free = columnsOf(type)
    .filter((column) => !mapping.includes(column))
    .map(({ name }) => name);
  const rule = `The CSV header contains unknown columns for ${type}: ${shown(rest.map((name) => name + suggestion(name, free)))}. Remove or rename them.`;
  return { ...fileFault('file_column_unknown', rule, offset), line: 1, column: 1 };
}

const HEADINGS_SHOWN_MAX = 10;
const SHOWN_CHARACTERS = 300;

function headerFault(rule: string, offset: number): FileFault {
  return { ...fileFault('file_header_invalid', rule, offset), line: 1, column: 1 };
}
