/** Has the server check rows before they are uploaded, by the rules that only it knows: whether SKUs and categories exist. */
import { SKU_COLUMN } from '#domain/sheets/columns.ts';
import { jsonEntries } from '#domain/sheets/json-entries.ts';
import type { RowProblem } from '#domain/sheets/read-cells.ts';
import type { ReadRow } from '#domain/sheets/read-row.ts';
import { problemsOfError } from '#domain/sheets/write-rows.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import { type BulkFile, cancelFile, isInProgress, readFileRecord, sameOrigin, uploadFile } from '../files.ts';
import { noAnswer } from '../problem.ts';
import { readUpTo, requestFile } from '../read-file.ts';
import type { FailedRow } from '../row-errors.ts';
import type { Environment } from '../session.ts';
import { bulkFile } from './check-sheet.ts';
import { FileRefused, SHEET_BYTES_MAX } from './limits.ts';

/** The check waits for earlier files of the account. */
const WAIT_MS_MAX = 60_000;
const POLL_MS = 500;

export type ProblemsByRow = ReadonlyMap<number, readonly RowProblem[]>;

interface ServerCheck {
  readonly environment: Environment;
  readonly fileName: string;
  readonly type: SheetType;
  readonly rows: readonly ReadRow[];
  readonly signal: AbortSignal;
}

/** Returns the problems of the rows that an upload would refuse now. */
export async function checkOnServer({
  environment,
  fileName,
  type,
  rows,
  signal,
}: ServerCheck): Promise<ProblemsByRow> {
  const file = bulkFile(fileName, rows);
  const sent = await uploadFile({ environment, type, file, isOnlyCheck: true, onSent: () => undefined, signal });
  const { error_url: errorUrl } = await checked(environment, sent, signal);
  if (errorUrl === undefined) return new Map();
  const { body } = await requestFile(sameOrigin(errorUrl), signal);
  if (body === null) throw noAnswer();
  const { bytes, fault } = await readUpTo(body, SHEET_BYTES_MAX);
  signal.throwIfAborted();
  if (fault !== undefined) throw noAnswer();
  return problemsByRow(new TextDecoder().decode(bytes), type, rows);
}

async function checked(environment: Environment, sent: BulkFile, signal: AbortSignal): Promise<BulkFile> {
  const { marketplace_file_id: fileId } = sent;
  const endMs = Date.now() + WAIT_MS_MAX;
  let record = sent;
  while (isInProgress(record)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signal.aborted || Date.now() > endMs) {
      await cancelFile(environment, fileId);
      signal.throwIfAborted();
      throw new FileRefused('The server has not checked the rows within a minute. Earlier files come first.');
    }
    record = await readFileRecord(environment, fileId);
  }
  // The caller may have stopped while the last record was read.
  signal.throwIfAborted();
  if (record.status === 'Cancelled') throw new FileRefused('The check was cancelled.');
  return record;
}

/** A row of the bulk file is on the line of its row in the sheet. */
function problemsByRow(text: string, type: SheetType, rows: readonly ReadRow[]): ProblemsByRow {
  const bodies = new Map(rows.map(({ row, body }) => [row, body]));
  const found = new Map<number, readonly RowProblem[]>();
  for (const [, value] of jsonEntries(text)) {
    const { line, details = [] } = value as FailedRow;
    if (line === undefined) throw new FileRefused(details[0]?.message ?? 'The server refused the file.');
    const problems = problemsOfError(type, details, bodies.get(line)).map((problem, at) =>
      withCode(problem, details[at]?.code ?? ''),
    );
    found.set(line, [...(found.get(line) ?? []), ...problems]);
  }
  return found;
}

/** Names the cell to correct, and no call of the API. */
function withCode(problem: RowProblem, code: string): RowProblem {
  if (code === 'browse_node_unknown')
    return { ...problem, message: 'is not a category. Correct the id or clear the cell' };
  return code.startsWith('sku_') ? { ...problem, column: SKU_COLUMN } : problem;
}
