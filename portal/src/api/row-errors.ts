/** Reads the first row errors of a bulk file; the error file may be too large to show in full. */
import { noAnswer, refusal } from './problem.ts';

export interface RowError {
  readonly key: string;
  /** '' if the error concerns the entire file. */
  readonly sku: string;
  /** In the JSON file; for an uploaded sheet, also the row of the sheet. */
  readonly line: number | undefined;
  readonly field: string;
  readonly message: string;
}

interface FailedRow {
  readonly line?: number;
  readonly errors?: readonly string[];
  readonly details?: readonly { readonly field?: string; readonly message?: string }[];
}

/** Enough for the rows that are shown. */
const BYTES_MAX = 256 * 1024;

export async function readRowErrors(
  url: string,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly RowError[]; readonly more: boolean }> {
  const response = await fetch(url, { signal }).catch(() => {
    throw noAnswer();
  });
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => undefined));
  const { text, isComplete } = await readStart(response);
  const failed = parseRows(text, isComplete);
  const rows = failed.flatMap(([sku, row]) => errorsOfRow(sku, row));
  return { rows: rows.slice(0, limit), more: !isComplete || rows.length > limit };
}

async function readStart(response: Response): Promise<{ text: string; isComplete: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  if (reader === undefined) return { text, isComplete: true };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text, isComplete: true };
    text += value;
    if (text.length >= BYTES_MAX) {
      await reader.cancel();
      return { text, isComplete: false };
    }
  }
}

/** Parses the complete rows of a truncated file: tries each `},` as the end, from the last one back. */
function parseRows(text: string, isComplete: boolean): readonly (readonly [string, FailedRow])[] {
  if (isComplete) return Object.entries(JSON.parse(text) as Record<string, FailedRow>);
  for (let end = text.lastIndexOf('},'); end > 0; end = text.lastIndexOf('},', end - 1)) {
    try {
      return Object.entries(JSON.parse(`${text.slice(0, end + 1)}}`) as Record<string, FailedRow>);
    } catch {
      // This `},` is inside a row. Try the one before.
    }
  }
  return [];
}

function errorsOfRow(sku: string, { errors = [], details = [], line }: FailedRow): RowError[] {
  const found = details.length === 0 ? errors.map((message) => ({ field: '', message })) : details;
  return found.map(({ field = '', message = '' }, at) => ({ key: `${line} ${sku} ${at}`, sku, line, field, message }));
}
