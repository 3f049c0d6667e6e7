/**
 * Writes the error file, the retry file and the list of deferred rows while a bulk file is processed. The progress
 * stores their lengths, and new bytes are written at that position. So if the progress of a slice was never stored, its
 * bytes are overwritten when the slice runs again.
 */

import type { BulkFile, FileProgress } from '../domain/bulk-files.ts';
import { type FileStorage, fileName } from '../files/file-storage.ts';
import { type FileFault, fileFault } from './file-fault.ts';
import { deferredBytes } from './rows/deferred-rows.ts';
import type { CheckedRow } from './rows/row-checks.ts';
import {
  EXCERPT_ERRORS_MAX,
  errorText,
  extendExcerpt,
  type FailedRow,
  faultText,
  retryRow,
} from './rows/row-errors.ts';
import { withColumns } from './rows/sheet-row.ts';

export type ErrorFileStorage = Pick<FileStorage, 'append'>;

const ERRORS_FULL =
  'The error file has reached its size limit. Later errors are only counted in rows_failed. Fix the listed rows, then upload the rows after byte_offset again.';
const RETRY_FULL =
  'The retry file has reached its size limit and lacks rows that failed later. Fix and upload its rows, then upload the rows after byte_offset again.';

/** The lengths, the first errors and the number of errors, once everything is written. */
type Lengths = Pick<FileProgress, 'errorBytes' | 'retryBytes' | 'deferredBytes' | 'errorExcerpt' | 'fileFaults'>;

/**
 * Writes failed and deferred rows, which are durable when it resolves. The error file and the retry file exceed `bytes_max` by at most one
 * row. Later rows are only counted, and the error file says so. The length shows whether a file is full, even after a crash.
 */
export async function noteRows(
  storage: ErrorFileStorage,
  file: BulkFile,
  progress: FileProgress,
  failed: readonly FailedRow[],
  deferred: readonly CheckedRow[],
  bytes_max: number,
): Promise<Lengths> {
  if (failed.length === 0 && deferred.length === 0) return progress;
  const append = (name: string, at: number, bytes: Buffer) =>
    bytes.length === 0 ? at : storage.append(name, at, bytes).then(() => at + bytes.length);
  const { errorBytes, retryBytes } = progress;
  const errors = growth((row, hasSome) => Buffer.from(errorText([row], hasSome)), failed, errorBytes, bytes_max);
  const retry = growth(retryRow, failed, retryBytes, bytes_max);
  const full = errorBytes >= bytes_max ? undefined : fullFault(errors, retry);
  const note = full === undefined ? [] : [Buffer.from(faultText(full, true))];
  const lengths = await Promise.all([
    append(fileName(file, 'errors'), errorBytes, Buffer.concat([...errors.entries, ...note])),
    append(fileName(file, 'retry'), retryBytes, Buffer.concat(retry.entries)),
    append(fileName(file, 'deferred'), progress.deferredBytes, deferredBytes(deferred)),
  ]);
  const reported = failed
    .slice(0, EXCERPT_ERRORS_MAX)
    .map(({ row, problems }) => ({ key: row.key, problems: withColumns(row.entry, problems) }));
  return {
    errorBytes: lengths[0],
    retryBytes: lengths[1],
    deferredBytes: lengths[2],
    fileFaults: progress.fileFaults + note.length,
    errorExcerpt: extendExcerpt(progress.errorExcerpt, reported),
  };
}

interface Growth {
  readonly entries: readonly Buffer[];
  /** The offset in the unpacked upload at which the file has just become full; undefined if it has space or was full before. */
  readonly fullAt: number | undefined;
}

function growth(
  bytesOf: (failed: FailedRow, hasSome: boolean) => Buffer,
  failed: readonly FailedRow[],
  at: number,
  bytes_max: number,
): Growth {
  const entries: Buffer[] = [];
  let length = at;
  for (const row of failed) {
    if (at >= bytes_max) break;
    const entry = bytesOf(row, length > 0);
    entries.push(entry);
    length += entry.length;
    if (length >= bytes_max) return { entries, fullAt: row.row.entry.offset };
  }
  return { entries, fullAt: undefined };
}

function fullFault(errors: Growth, retry: Growth): FileFault | undefined {
  if (errors.fullAt !== undefined) return fileFault('file_errors_too_many', ERRORS_FULL, errors.fullAt);
  if (retry.fullAt !== undefined) return fileFault('file_errors_too_many', RETRY_FULL, retry.fullAt);
  return undefined;
}

/** Lists an error of the whole file along with the errors of rows. There is no row to retry. */
export async function noteFault(
  storage: ErrorFileStorage,
  file: BulkFile,
  progress: FileProgress,
  fault: FileFault,
): Promise<Lengths> {
  const { errorBytes, retryBytes, deferredBytes } = progress;
  const bytes = Buffer.from(faultText(fault, errorBytes > 0));
  await storage.append(fileName(file, 'errors'), errorBytes, bytes);
  const errorExcerpt = extendExcerpt(progress.errorExcerpt, [{ key: '', problems: [fault.problem] }]);
  const fileFaults = progress.fileFaults + 1;
  return { errorBytes: errorBytes + bytes.length, retryBytes, deferredBytes, fileFaults, errorExcerpt };
}
