/** Maps the record of a bulk file to columns, and moves its progress. */
import type { BulkFile, FileProgress } from '../../../domain/bulk-files.ts';
import type { FileStatus } from '../../../domain/vocabulary/file-types.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { statement } from '../sql.ts';

const FILE = columnsOf<BulkFile>({ validateOnly: FLAG })(
  ...(['accountId', 'fileId', 'createdMs', 'type', 'name', 'bytes', 'receivedMs', 'number'] as const),
  ...(['status', 'startedMs', 'endedMs', 'validateOnly'] as const),
);
const PROGRESS = columnsOf<FileProgress>({ errorExcerpt: JSON_TEXT, ignoredFields: JSON_TEXT })(
  ...(['phase', 'format', 'compression', 'offset', 'bytesRead', 'rowsProcessed', 'rowsFailed'] as const),
  ...(['rowsSuperseded', 'rowsWaiting', 'fileFaults', 'errorBytes', 'retryBytes', 'deferredBytes'] as const),
  ...(['errorExcerpt', 'ignoredFields'] as const),
);

export const COLUMNS = `${FILE.list}, ${PROGRESS.list}`;

/** Excludes discarded files, which only the retention sweep may see. */
export const OF_KEY = 'account_id = $1 AND file_id = $2 AND created_ms > 0';
/** The file is still at the position that the process has read. Values: `placeOf`. */
export const AT_ITS_PLACE = `${OF_KEY} AND phase = $3 AND next_offset = $4`;
const IN_WORK: readonly FileStatus[] = ['Acknowledged', 'Processing'];
/** Must match the WHERE clause of the partial index `bulk_file_unfinished`; otherwise the planner cannot use the index. */
export const UNFINISHED = `status IN (${quoted(IN_WORK)})`;
/** Moves the progress of a file that is at the expected position. Values: `moveValues`. Further values start at BEHIND_PROGRESS. */
export const SET_PROGRESS = PROGRESS.names.map((column, index) => `${column} = $${index + 5}`).join(', ');
export const AT_ITS_STATUS = `${AT_ITS_PLACE} AND coalesce(status, '') = $${PROGRESS.names.length + 5}`;
export const BEHIND_PROGRESS = PROGRESS.names.length + 6;

/** Compares the status of one file: `coalesce` keeps PostgreSQL from using the index on status, so that it finds the file by key. */
export function statusIs(...statuses: readonly FileStatus[]): string {
  return `coalesce(status, '') IN (${quoted(statuses)})`;
}

export const STATUS_IS_UNFINISHED = statusIs(...IN_WORK);

/** Returns a row if the file has the status and is at the expected position. Values: `moveValues`. */
export const MOVE = statement<[number: number]>('move file')`
  UPDATE bulk_file SET ${SET_PROGRESS} WHERE ${AT_ITS_STATUS} RETURNING number`;

export function placeOf({ accountId, fileId, progress }: BulkFile): readonly unknown[] {
  return [accountId, fileId, progress.phase, progress.offset];
}

export function moveValues(
  file: BulkFile,
  progress: FileProgress,
  status: FileStatus = 'Processing',
): readonly unknown[] {
  return [...placeOf(file), ...PROGRESS.valuesOf(progress), status];
}

export function fileOf(row: readonly unknown[]): BulkFile {
  return { ...FILE.of(row), progress: PROGRESS.of(row.slice(FILE.names.length)) };
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(', ');
}
