/** Maps the record of a bulk file to columns, and moves its progress. */
import type { FileProgress } from '../../../domain/file-progress.ts';
import type { FileStatus } from '../../../domain/vocabulary/file-types.ts';
import type { BulkFile } from '../../port/files.ts';
import { statement } from '../sql.ts';

const FILE_COLUMNS: Readonly<Record<keyof Omit<BulkFile, 'accountId' | 'progress'>, string>> = Object.freeze({
  fileId: 'file_id',
  createdMs: 'created_ms',
  type: 'type',
  name: 'name',
  bytes: 'bytes',
  receivedMs: 'received_ms',
  number: 'number',
  status: 'status',
  startedMs: 'started_ms',
  endedMs: 'ended_ms',
});

const PROGRESS_COLUMNS: Readonly<Record<keyof FileProgress, string>> = Object.freeze({
  phase: 'phase',
  format: 'format',
  compression: 'compression',
  offset: 'next_offset',
  bytesRead: 'bytes_read',
  rowsProcessed: 'rows_processed',
  rowsFailed: 'rows_failed',
  rowsSuperseded: 'rows_superseded',
  rowsWaiting: 'rows_waiting',
  fileFaults: 'file_faults',
  errorBytes: 'error_bytes',
  retryBytes: 'retry_bytes',
  deferredBytes: 'deferred_bytes',
  errorExcerpt: 'error_excerpt',
  ignoredFields: 'ignored_fields',
});

const FILE_FIELDS = Object.keys(FILE_COLUMNS);
const PROGRESS_FIELDS = Object.keys(PROGRESS_COLUMNS) as (keyof FileProgress)[];

/** The columns of `COLUMNS`. */
export type FileRow = readonly unknown[];

export const COLUMNS = [...Object.values(FILE_COLUMNS), ...Object.values(PROGRESS_COLUMNS)].join(', ');

/** Only the retention sweep sees a discarded file. */
export const OF_KEY = 'account_id = $1 AND file_id = $2 AND created_ms > 0';
/** The position that the process has read; values: `placeOf`. */
export const AT_ITS_PLACE = `${OF_KEY} AND phase = $3 AND next_offset = $4`;
const IN_WORK: readonly FileStatus[] = ['Acknowledged', 'Processing'];
/** The same condition as in an index of the schema. */
export const UNFINISHED = `status IN (${quoted(IN_WORK)})`;
/** The values of the progress follow those of `placeOf`; then comes the first free placeholder. */
export const SET_PROGRESS = Object.values(PROGRESS_COLUMNS)
  .map((column, place) => `${column} = $${place + 5}`)
  .join(', ');
export const BEHIND_PROGRESS = PROGRESS_FIELDS.length + 5;

/** For one file: `coalesce` keeps PostgreSQL from using the index on status, so that it finds the file by key. */
export function statusIs(...statuses: readonly FileStatus[]): string {
  return `coalesce(status, '') IN (${quoted(statuses)})`;
}

export const STATUS_IS_UNFINISHED = statusIs(...IN_WORK);

/** Returns a row if the file is in progress and at the expected position. Values: `moveValues`. */
export const MOVE = statement<[number: number]>(
  'move file',
  `UPDATE bulk_file SET ${SET_PROGRESS} WHERE ${AT_ITS_PLACE} AND ${statusIs('Processing')} RETURNING number`,
);

export function placeOf({ accountId, fileId, progress }: BulkFile): readonly unknown[] {
  return [accountId, fileId, progress.phase, progress.offset];
}

export function moveValues(file: BulkFile, progress: FileProgress): readonly unknown[] {
  return [...placeOf(file), ...PROGRESS_FIELDS.map((field) => progress[field])];
}

export function fileOf(accountId: number, row: FileRow): BulkFile {
  const progress = fieldsOf(PROGRESS_FIELDS, row.slice(FILE_FIELDS.length));
  return { accountId, ...fieldsOf(FILE_FIELDS, row), progress } as BulkFile;
}

function fieldsOf(fields: readonly string[], values: readonly unknown[]): object {
  return Object.fromEntries(fields.map((field, place) => [field, values[place]]));
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(', ');
}
