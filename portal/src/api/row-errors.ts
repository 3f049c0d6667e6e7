/** In charge of the first errors of a bulk file, of which there may be far more than a page can hold. */
import { noAnswer, refusal } from './problem.ts';

export interface RowError {
  readonly key: string;
  /** '' where the fault is the file's own. */
  readonly sku: string;
  readonly field: string;
  readonly message: string;
}

interface FailedRow {
  readonly errors?: readonly string[];
  readonly details?: readonly { readonly field?: string; readonly message?: string }[];
}

/** Files of errors have a row on each line; the first of them are enough. */
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
  const { text, isWhole } = await readBeginning(response);
  const failed = parseRows(text, isWhole);
  const rows = failed.flatMap(([sku, row]) => errorsOfRow(sku, row));
  return { rows: rows.slice(0, limit), more: !isWhole || rows.length > limit };
}

async function readBeginning(response: Response): Promise<{ text: string; isWhole: boolean }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  if (reader === undefined) return { text, isWhole: true };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text, isWhole: true };
    text += value;
    if (text.length >= BYTES_MAX) {
      await reader.cancel();
      return { text, isWhole: false };
    }
  }
}

/** Of a beginning, the rows that are there whole: they are found by trying the ends of lines from behind. */
function parseRows(text: string, isWhole: boolean): readonly (readonly [string, FailedRow])[] {
  if (isWhole) return Object.entries(JSON.parse(text) as Record<string, FailedRow>);
  for (let end = text.lastIndexOf('},'); end > 0; end = text.lastIndexOf('},', end - 1)) {
    try {
      return Object.entries(JSON.parse(`${text.slice(0, end + 1)}}`) as Record<string, FailedRow>);
    } catch {
      // The end of something inside a row: the next one from behind.
    }
  }
  return [];
}

function errorsOfRow(sku: string, { errors = [], details = [] }: FailedRow): RowError[] {
  if (details.length === 0) return errors.map((message, at) => ({ key: `${sku} ${at}`, sku, field: '', message }));
  return details.map(({ field = '', message = '' }, at) => ({ key: `${sku} ${at}`, sku, field, message }));
}
