/** Finds out what an uploaded file is: JSON, or a sheet (CSV, XLSX) with its rows. */
import { DATE_CELL } from '#domain/sheets/cells.ts';
import { delimiterOf, detectBodyType, detectSheetType } from '#domain/sheets/header.ts';
import { jsonEntries } from '#domain/sheets/json-entries.ts';
import type { FileType, SheetType } from '#domain/vocabulary/file-types.ts';
import { sizeText } from '#domain/vocabulary/sizes.ts';
import { readUpTo } from '../read-file.ts';
import { FileRefused, SHEET_BYTES_MAX, SHEET_ROWS_MAX } from './limits.ts';

export interface JsonFile {
  readonly format: 'JSON';
  /** The detected type; undefined when the user must choose. */
  readonly type: FileType | undefined;
}

export interface SheetFile {
  readonly format: 'CSV' | 'Excel';
  readonly type: SheetType | undefined;
  readonly headings: readonly string[];
  /** Rows without the header, so the first one is row 2. */
  readonly rows: readonly (readonly string[])[];
}

const PEEKED_BYTES = 64 * 1024;

export async function inspectFile(file: File): Promise<JsonFile | SheetFile> {
  const start = await readBytes(file.slice(0, PEEKED_BYTES));
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  if (start[0] === 0x50 && start[1] === 0x4b) return readXlsx(file);
  if (start[0] === 0xd0 && start[1] === 0xcf) {
    throw new FileRefused('This is an old Excel file (.xls). Save it as .xlsx or as CSV UTF-8.');
  }
  if (new TextDecoder().decode(start.subarray(0, 5)) === '%PDF-') {
    throw new FileRefused('This is a PDF. Upload a CSV, Excel or JSON file.');
  }
  const peeked = isGzip ? await readUnpacked(file, PEEKED_BYTES, 'cut') : start;
  const text = new TextDecoder().decode(peeked);
  if (/^\s*[{[]/.test(text)) return { format: 'JSON', type: detectJson(text) };
  // Damaged gzip and empty files are uploaded anyway, because the server reports what is wrong.
  if (text.trim() === '') return { format: 'JSON', type: undefined };
  return readCsv(isGzip ? await readUnpacked(file, SHEET_BYTES_MAX, 'refuse') : await readWhole(file));
}

function detectJson(text: string): FileType | undefined {
  try {
    for (const [, body] of jsonEntries(text)) return detectBodyType(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}

async function readCsv(bytes: Uint8Array<ArrayBuffer>): Promise<SheetFile> {
  const text = decodeText(bytes);
  const { default: Papa } = await import('papaparse');
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: delimiterOf(text), preview: SHEET_ROWS_MAX + 2 });
  const [unclosed] = errors.filter(({ type }) => type === 'Quotes');
  if (unclosed !== undefined) {
    throw new FileRefused(`Row ${(unclosed.row ?? 0) + 1} has an unclosed quote. Fix it and try again.`);
  }
  return toSheet('CSV', data);
}

async function readXlsx(file: File): Promise<SheetFile> {
  const { readSheet, InvalidInputError, InvalidSpreadsheetError } = await import('read-excel-file/universal');
  try {
    const bytes = await readWhole(file);
    const data = await readSheet<string>(bytes.buffer, { parseNumber: numberText, trim: false });
    return toSheet(
      'Excel',
      data.map((row) => row.map(cellText)),
    );
  } catch (error) {
    if (!(error instanceof InvalidInputError || error instanceof InvalidSpreadsheetError)) throw error;
    throw new FileRefused('This Excel file cannot be read. Open it in Excel and save it as .xlsx again.');
  }
}

function toSheet(format: SheetFile['format'], data: readonly (readonly string[])[]): SheetFile {
  const [headings = [], ...rows] = data;
  while (rows.at(-1)?.every((cell) => cell.trim() === '')) rows.pop();
  if (headings.every((heading) => heading.trim() === '')) {
    throw new FileRefused('The first row must have the column names. Download a template to see them.');
  }
  if (rows.length === 0) throw new FileRefused('The sheet has column names but no rows. Add at least one row.');
  if (rows.length > SHEET_ROWS_MAX) {
    throw new FileRefused(
      `The sheet has more than ${SHEET_ROWS_MAX.toLocaleString('en-US')} rows. Split it, or upload JSON.`,
    );
  }
  return { format, headings, rows, type: detectSheetType(headings) };
}

/** Decodes UTF-8, or UTF-16 as Excel writes it for "Unicode text". */
function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new FileRefused('The file is not UTF-8. In Excel, save it as "CSV UTF-8" or as .xlsx.');
  }
}

/** Excel keeps 15 digits. The rules for cells refuse a longer number, because it may have lost digits. */
function numberText(stored: string): string {
  const number = Number(stored);
  if (Math.abs(number) >= 1e15) return number.toExponential().toUpperCase();
  return String(Number(number.toPrecision(15)));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? DATE_CELL : String(cell);
}

async function readWhole(file: File): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > SHEET_BYTES_MAX) throw sheetTooLarge();
  return readBytes(file);
}

async function readBytes(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await blob.arrayBuffer());
}

/** Decompresses gzip up to a limit. With `cut`, damaged data ends the text, and the server reports what is wrong. */
async function readUnpacked(file: File, bytesMax: number, beyond: 'cut' | 'refuse'): Promise<Uint8Array<ArrayBuffer>> {
  const unpacked = file.stream().pipeThrough(new DecompressionStream('gzip'));
  const { bytes, isMore, fault } = await readUpTo(unpacked, bytesMax);
  if (beyond === 'cut') return bytes;
  if (fault !== undefined) throw new FileRefused(`The gzip file is damaged (${String(fault)}). Compress it again.`);
  if (isMore) throw sheetTooLarge();
  return bytes;
}

function sheetTooLarge(): FileRefused {
  return new FileRefused(`The sheet is larger than ${sizeText(SHEET_BYTES_MAX)}. Split it, or upload JSON.`);
}
