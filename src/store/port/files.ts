/** Ports for bulk files and reports: their records, progress and rows. */
import type {
  BulkFile,
  FileProgress,
  Fingerprint,
  KeptFile,
  NewFile,
  Report,
  ReportOffer,
  ReportRow,
  RowOutcome,
} from '../../domain/bulk-files.ts';
import type { FileRow } from '../../domain/offers/part.ts';
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import type { RecordPage } from './offers.ts';

/** Background work (see work.ts) on an account's files of one type. */
export function fileKind(type: FileType): string {
  return `file-${type}`;
}

export interface FilePageRequest {
  readonly madeAfterMs: number;
  readonly offset: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly validateOnly?: boolean | undefined;
}

/**
 * Bulk files: their records and progress, and rows that are written with the sequence number of their file.
 *
 * A process advances the progress of a file from the position it has read (phase and offset). If the progress has changed, or the
 * file is no longer being processed (finished, cancelled, gone), the result is `stale` and nothing is written. A slice whose
 * first rows are committed is completed even if the file is cancelled meanwhile.
 */
export interface FileStore {
  /** The maximum number of rows per `applyRows` call. Larger slices are faster, but single calls may have to wait for a whole slice. */
  readonly slice_rows_max: number;
  /** How many rows an upload counts as, because a document takes longer to write than a price. */
  readonly upload_weight: number;

  /** Records that an upload URL was issued. */
  addFile(file: NewFile): Promise<void>;
  /** Records that the upload is complete. `repeated`: it was already complete, and must not be replaced. */
  noteUploaded(accountId: number, fileId: string, bytes: number): Promise<'stored' | 'repeated' | 'unknown'>;
  /**
   * Draws a number for a file whose rows will be derived from stored values. Submitted with it, the file does not overwrite what was written
   * after the number was drawn.
   */
  drawNumber(accountId: number): Promise<number>;
  /**
   * Submits the file: draws its number unless `number` has it, and announces the work. A file that was submitted before is returned unchanged.
   * `unknown`: the account has no such file created after `madeAfterMs`, or it was not uploaded.
   */
  receiveFile(
    file: Pick<BulkFile, 'accountId' | 'fileId' | 'type' | 'name'> & Partial<Pick<BulkFile, 'validateOnly' | 'number'>>,
    nowMs: number,
    madeAfterMs: number,
  ): Promise<BulkFile | 'unknown'>;
  /** Returns the total size of uploaded files that have not ended, submitted or not. */
  readWaitingBytes(accountId: number): Promise<number>;
  /** Returns undefined for a file that was not submitted. */
  readFile(accountId: number, fileId: string): Promise<BulkFile | undefined>;
  /**
   * Lists submitted files created after `madeAfterMs`, newest first. With `search`: the file with this id, and files whose name contains
   * it. `validateOnly`: only files that are validated, or only those that are applied.
   */
  listFiles(accountId: number, page: FilePageRequest): Promise<{ files: readonly BulkFile[]; total: number }>;
  /** Cancels an unfinished file; applied rows stay. Announces work on unfinished files of all types: some may have waited for it. */
  cancelFile(accountId: number, fileId: string, nowMs: number): Promise<BulkFile | undefined>;

  /** Lists Acknowledged and Processing files in order of their number, including those in phase `waiting`. */
  listUnfinishedFiles(accountId: number, type: FileType, limit: number): Promise<readonly BulkFile[]>;
  /** Lists files of all accounts that ended without an applied row and were created after `madeAfterMs`, newest first. */
  listRejectedFiles(madeAfterMs: number, limit: number): Promise<readonly BulkFile[]>;
  /**
   * Whether an unfinished file of these types has a lower number than `number`. Files in phase `waiting`, and files that are only
   * validated, do not count.
   */
  hasUnfinishedBefore(accountId: number, types: readonly FileType[], number: number): Promise<boolean>;
  /**
   * Whether a file with a lower number than `number` has not ended, or was submitted since `sinceMs`. Files that are only validated do not
   * count.
   */
  hasEarlierSince(accountId: number, number: number, sinceMs: number): Promise<boolean>;
  /** Sets the status Processing; a file that was started before keeps its start time. */
  startFile(file: BulkFile, nowMs: number): Promise<'stored' | 'stale'>;
  /**
   * Moves the progress to `done` and writes the next rows, in order, in one commit. All rows are of the file's kind, and may repeat a key.
   * A row changes a part only if the part's number is not higher than the file's, and then sets it to the file's number. A row of several
   * parts is written whole, without the parts that have a higher number, or not at all. Marks offers as due for review, as single calls do.
   */
  applyRows(
    file: BulkFile,
    done: FileProgress,
    rows: readonly FileRow[],
    nowMs: number,
  ): Promise<readonly RowOutcome[] | 'stale'>;
  /** Moves the progress. `Cancelled`: moves that of a cancelled file to where its process stopped, so that all applied rows count. */
  moveFile(file: BulkFile, progress: FileProgress, status?: 'Processing' | 'Cancelled'): Promise<'stored' | 'stale'>;
  /** Ends the file, and announces work as `cancelFile` does. */
  finishFile(file: BulkFile, status: FileStatus, progress: FileProgress, nowMs: number): Promise<'stored' | 'stale'>;

  /**
   * Lists some files and reports, of all accounts, that are past their retention: those created before `beforeMs`, and unsubmitted files
   * created before `uploadsBeforeMs`. At most `limit` of each.
   */
  listKeptBefore(beforeMs: number, uploadsBeforeMs: number, limit: number): Promise<readonly KeptFile[]>;
  /**
   * Lists some files and reports of the account beyond `bytes_max`, counted from the newest: ended files with their error files
   * (cancelled ones also with their deferred rows), and reports that ended after `reportsAfterMs`. The newest is never listed.
   */
  listKeptBeyond(
    accountId: number,
    bytes_max: number,
    reportsAfterMs: number,
    limit: number,
  ): Promise<readonly KeptFile[]>;
  /** Drops the record of a file or report. */
  dropKept(kept: KeptFile): Promise<void>;
}

export const REPORT_KIND = 'report';

export interface ReportStore {
  /** Adds a report, unless it exists, and announces the work. `too_many`: the account has `waiting_max` unfinished reports. */
  addReport(
    report: Pick<Report, 'accountId' | 'reportId' | 'type'> & Partial<Pick<Report, 'format' | 'feedCursor'>>,
    nowMs: number,
    waiting_max: number,
  ): Promise<'stored' | 'too_many'>;
  readReport(accountId: number, reportId: string): Promise<Report | undefined>;
  /** Lists reports in order of request time, then id. */
  listRequestedReports(accountId: number, limit: number): Promise<readonly Report[]>;
  /** Ends a report. `repeated`: it had already ended, and is unchanged. `gone`: it was discarded. */
  endReport(
    report: Report,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): Promise<'stored' | 'repeated' | 'gone'>;
  /** Reads lines in order of first upload; `after` is 0 or the `next` of the page before. */
  readReportRows(accountId: number, after: number, limit: number): Promise<RecordPage<ReportRow>>;
  /** Reads offers in the same order. */
  readReportOffers(accountId: number, after: number, limit: number): Promise<RecordPage<ReportOffer>>;
  /** Reads lines in the same order. */
  readFingerprints(accountId: number, after: number, limit: number): Promise<RecordPage<Fingerprint>>;
}
