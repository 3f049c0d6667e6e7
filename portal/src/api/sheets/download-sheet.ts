/** Saves sheets as CSV or Excel files: templates, exported offers, rows with problems, and failed rows of a bulk file. */

import { csvText, failedEntries, rowsWithProblems, sheetRows, templateColumns } from '#domain/sheets/write-rows.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import { sizeText } from '#domain/vocabulary/sizes.ts';
import { noAnswer } from '../problem.ts';
import { readUpTo, requestFile } from '../read-file.ts';
import { FileRefused, SHEET_BYTES_MAX, SHEET_ROWS_MAX } from './limits.ts';

export type SheetFormat = 'csv' | 'xlsx';
type Rows = readonly (readonly string[])[];

export async function downloadTemplate(
  type: SheetType,
  label: string,
  format: SheetFormat,
  locations: number,
): Promise<void> {
  const columns = templateColumns(type, locations);
  const about: Rows = [
    ['column', 'required', 'description'],
    ...columns.map((column) => [column.name, column.isRequired ? 'yes' : '', column.about]),
  ];
  const header = [columns.map(({ name }) => name)];
  await save(`${fileNameOf(label)}-template`, format, header, about);
}

export async function downloadBadRows(
  fileName: string,
  format: SheetFormat,
  headings: readonly string[],
  rows: Parameters<typeof rowsWithProblems>[1],
): Promise<void> {
  await save(`${withoutEnding(fileName)}-problems`, format, rowsWithProblems(headings, rows));
}

export interface FailedRows {
  readonly type: SheetType;
  readonly errorUrl: string;
  readonly retryUrl: string;
}

/** Returns the failed rows of a bulk file as a sheet: the headings, and the rows. */
export async function readFailedRows({ type, errorUrl, retryUrl }: FailedRows): Promise<string[][]> {
  const [errors, retry] = await Promise.all([readText(errorUrl), readText(retryUrl)]);
  return sheetRows(type, failedEntries(type, errors, retry));
}

interface FailedRowsFile extends FailedRows {
  readonly fileName: string;
  readonly format: SheetFormat;
}

export async function downloadFailedRows({ fileName, format, ...failed }: FailedRowsFile): Promise<void> {
  await save(`${withoutEnding(fileName)}-failed`, format, await readFailedRows(failed));
}

/** `url` returns CSV. The browser saves it while the server sends it; an Excel file is written in memory. */
export async function downloadExport(url: string, label: string, format: SheetFormat): Promise<void> {
  if (format === 'csv') {
    startDownload(url, '');
    return;
  }
  const { body } = await requestFile(url);
  if (body === null) throw noAnswer();
  const { bytes, isMore, fault } = await readUpTo(body, SHEET_BYTES_MAX);
  if (fault !== undefined) throw noAnswer();
  if (isMore) throw exportTooLarge(sizeText(SHEET_BYTES_MAX));
  const { default: Papa } = await import('papaparse');
  const { data } = Papa.parse<string[]>(new TextDecoder().decode(bytes), { delimiter: ',', skipEmptyLines: true });
  if (data.length > SHEET_ROWS_MAX + 1) throw exportTooLarge(`${SHEET_ROWS_MAX.toLocaleString('en-US')} rows`);
  await save(`${fileNameOf(label)}-${new Date().toISOString().slice(0, 10)}`, format, data);
}

function exportTooLarge(limit: string): FileRefused {
  return new FileRefused(`The Excel file would be too large (more than ${limit}). Filter the list, or export CSV.`);
}

async function readText(url: string): Promise<string> {
  return (await requestFile(url)).text();
}

async function save(name: string, format: SheetFormat, rows: Rows, about?: Rows): Promise<void> {
  const blob = format === 'csv' ? new Blob([csvText(rows)], { type: 'text/csv' }) : await xlsxBlob(rows, about);
  const url = URL.createObjectURL(blob);
  startDownload(url, `${name}.${format}`);
  // After a minute, the browser has read the bytes.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** `name`: '' if the server names the file. */
function startDownload(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

/** All cells are text, so that a spreadsheet neither drops leading zeros nor shortens long numbers. */
async function xlsxBlob(rows: Rows, about: Rows | undefined): Promise<Blob> {
  const { default: writeXlsxFile } = await import('write-excel-file/universal');
  const text = (value: string) => ({ value, type: String, format: '@' });
  const bold = (value: string) => ({ ...text(value), fontWeight: 'bold' as const });
  const data = (of: Rows) => of.map((cells, at) => cells.map((cell) => (at === 0 ? bold(cell) : text(cell))));
  const columns = (rows[0] ?? []).map((heading) => ({ width: Math.max(14, heading.length + 2) }));
  const sheets = [{ sheet: 'Rows', data: data(rows), columns, stickyRowsCount: 1 }];
  if (about !== undefined) {
    sheets.push({
      sheet: 'Columns',
      data: data(about),
      columns: [{ width: 30 }, { width: 10 }, { width: 100 }],
      stickyRowsCount: 1,
    });
  }
  return writeXlsxFile(sheets).toBlob();
}

function fileNameOf(label: string): string {
  return label.toLowerCase().replaceAll(' ', '-');
}

function withoutEnding(fileName: string): string {
  return fileName.replace(/(?:\.(?:csv|xlsx|tsv|txt|json|gz))+$/i, '');
}
