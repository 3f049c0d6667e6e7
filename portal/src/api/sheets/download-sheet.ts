/** Saves sheets as CSV or Excel files: templates, rows with problems, and failed rows of a bulk file. */

import {
  csvText,
  failedEntries,
  rowsWithProblems,
  sheetRows,
  templateColumns,
} from '../../../../src/domain/sheets/write-rows.ts';
import type { SheetType } from '../../../../src/domain/vocabulary/file-types.ts';
import { noAnswer, refusal } from '../problem.ts';
import type { BadRow } from './check-sheet.ts';

export type SheetFormat = 'csv' | 'xlsx';
type Rows = readonly (readonly string[])[];

export async function downloadTemplate(type: SheetType, label: string, format: SheetFormat): Promise<void> {
  const columns = templateColumns(type);
  const about: Rows = [
    ['column', 'required', 'description'],
    ...columns.map((column) => [column.name, column.isRequired ? 'yes' : '', column.about]),
  ];
  const header = [columns.map(({ name }) => name)];
  await save(`${label.toLowerCase()}-template`, format, header, about);
}

export async function downloadBadRows(
  fileName: string,
  format: SheetFormat,
  headings: readonly string[],
  rows: readonly BadRow[],
): Promise<void> {
  await save(`${withoutEnding(fileName)}-problems`, format, rowsWithProblems(headings, rows));
}

interface FailedRows {
  readonly fileName: string;
  readonly type: SheetType;
  readonly errorUrl: string;
  readonly retryUrl: string;
  readonly format: SheetFormat;
}

export async function downloadFailedRows({ fileName, type, errorUrl, retryUrl, format }: FailedRows): Promise<void> {
  const [errors, retry] = await Promise.all([readText(errorUrl), readText(retryUrl)]);
  const entries = failedEntries(type, errors, retry);
  await save(`${withoutEnding(fileName)}-failed`, format, sheetRows(type, entries));
}

async function readText(url: string): Promise<string> {
  const response = await fetch(url).catch(() => {
    throw noAnswer();
  });
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => undefined));
  return response.text();
}

async function save(name: string, format: SheetFormat, rows: Rows, about?: Rows): Promise<void> {
  const blob = format === 'csv' ? new Blob([csvText(rows)], { type: 'text/csv' }) : await xlsxBlob(rows, about);
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${format}`;
  link.click();
  // After a minute, the browser has read the bytes.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
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

function withoutEnding(fileName: string): string {
  return fileName.replace(/(?:\.(?:csv|xlsx|tsv|txt|json|gz))+$/i, '');
}
