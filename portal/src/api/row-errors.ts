/** Reads the first row errors of a bulk file; the error file may be too large to show in full. */
import { jsonEntries } from '#domain/sheets/json-entries.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import { noAnswer } from './problem.ts';
import { readUpTo, requestFile } from './read-file.ts';

export interface RowError {
  readonly key: string;
  /** '' if the error concerns the entire file. */
  readonly sku: string;
  /** Line in the JSON file. For an uploaded sheet, this is also the row of the sheet. */
  readonly line: number | undefined;
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface FailedRow {
  readonly line?: number;
  readonly errors?: readonly string[];
  readonly details?: readonly { readonly code?: string; readonly field?: string; readonly message?: string }[];
}

type Details = NonNullable<FailedRow['details']>;
type InColumns = (details: Details) => readonly { readonly column: string; readonly message: string }[];

/** Enough bytes for the rows that are shown. */
const BYTES_MAX = 256 * 1024;

/** `sheetType` is the type of a sheet that was uploaded as JSON. If given, errors name columns instead of fields. */
export async function readRowErrors(
  url: string,
  limit: number,
  sheetType: SheetType | undefined,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly RowError[]; readonly more: boolean }> {
  const { body } = await requestFile(url, signal);
  if (body === null) throw noAnswer();
  const { bytes, isMore, fault } = await readUpTo(body, BYTES_MAX);
  if (fault !== undefined) throw noAnswer();
  // The last row may end within a character. It is incomplete, and left out.
  const text = new TextDecoder().decode(bytes);
  const inColumns = sheetType && (await import('#domain/sheets/write-rows.ts')).problemsOfError;
  const rows = rowErrors(text, inColumns && ((details) => inColumns(sheetType, details, undefined)));
  return { rows: rows.slice(0, limit), more: isMore || rows.length > limit };
}

/** Reads the errors of each row. An incomplete last row is left out, and a SKU that failed twice occurs twice. */
export function rowErrors(text: string, inColumns?: InColumns): RowError[] {
  return Array.from(jsonEntries(text)).flatMap(([sku, row]) => errorsOfRow(sku, row as FailedRow, inColumns));
}

function errorsOfRow(sku: string, { errors = [], details = [], line }: FailedRow, inColumns?: InColumns): RowError[] {
  const found: Details = details.length === 0 ? errors.map((message) => ({ message })) : details;
  const columns = inColumns?.(found);
  return found.map(({ code = '', field = '', message = '' }, at) => {
    const shown = columns?.[at] ?? { column: field, message };
    return { key: `${line} ${sku} ${at}`, sku, line, field: shown.column, code, message: shown.message };
  });
}
