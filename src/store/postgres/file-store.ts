/** In charge of the part of the store that bulk files and reports use. */
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import type {
  BulkFile,
  FileProgress,
  FileStore,
  HandedOverFile,
  KeptFile,
  NewFile,
  RowOutcome,
  RowWrite,
} from '../port/files.ts';
import type { RecordPage } from '../port/parts.ts';
import type { Report, ReportRow, ReportStore } from '../port/reports.ts';
import type { WorkStore } from '../port/work.ts';
import { methodsOf } from '../shared/aggregates.ts';
import type { Authors } from './authors.ts';
import type { Database } from './engine.ts';
import {
  addFile,
  cancelFile,
  dropFile,
  finishFile,
  hasUnfinishedBefore,
  listFiles,
  listFilesBefore,
  listKeptBeyond,
  listUnfinishedFiles,
  listUploadsBefore,
  moveFile,
  noteUploaded,
  readFile,
  readWaitingBytes,
  receiveFile,
  settleCancelled,
  startFile,
} from './file-records.ts';
import { FileRows, SLICE_ROWS_MAX, UPLOAD_WEIGHT } from './file-rows.ts';
import {
  addReport,
  dropReport,
  endReport,
  listReportsBefore,
  listRequestedReports,
  readReport,
} from './report-records.ts';
import { readReportRows } from './report-rows.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';
import { PostgresSetupStore } from './setup.ts';
import { runCommandsOn } from './shared-commands.ts';

export class PostgresFileStore extends PostgresSetupStore implements FileStore, ReportStore {
  readonly slice_rows_max = SLICE_ROWS_MAX;
  readonly upload_weight = UPLOAD_WEIGHT;
  readonly work: WorkStore;
  readonly #database: Database;
  readonly #rows: FileRows;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    super(database);
    this.work = methodsOf('work', runCommandsOn(database));
    this.#database = database;
    this.#rows = new FileRows(database, announcer, authors);
  }

  addFile(file: NewFile): Promise<void> {
    return addFile(this.#database, file);
  }

  noteUploaded(accountId: number, fileId: string, bytes: number): Promise<'stored' | 'repeated' | 'unknown'> {
    return noteUploaded(this.#database, accountId, fileId, bytes);
  }

  receiveFile(file: HandedOverFile, nowMs: number, madeAfterMs: number): Promise<BulkFile | 'unknown'> {
    return receiveFile(this.#database, file, nowMs, madeAfterMs);
  }

  readFile(accountId: number, fileId: string): Promise<BulkFile | undefined> {
    return readFile(this.#database, accountId, fileId);
  }

  readWaitingBytes(accountId: number): Promise<number> {
    return readWaitingBytes(this.#database, accountId);
  }

  listFiles(
    accountId: number,
    madeAfterMs: number,
    offset: number,
    limit: number,
  ): Promise<{ files: readonly BulkFile[]; total: number }> {
    return listFiles(this.#database, accountId, madeAfterMs, offset, limit);
  }

  cancelFile(accountId: number, fileId: string, nowMs: number): Promise<BulkFile | undefined> {
    return cancelFile(this.#database, accountId, fileId, nowMs);
  }

  settleCancelled(file: BulkFile, progress: FileProgress): Promise<'stored' | 'stale'> {
    return settleCancelled(this.#database, file, progress);
  }

  listUnfinishedFiles(accountId: number, type: FileType, limit: number): Promise<readonly BulkFile[]> {
    return listUnfinishedFiles(this.#database, accountId, type, limit);
  }

  hasUnfinishedBefore(accountId: number, type: FileType, number: number): Promise<boolean> {
    return hasUnfinishedBefore(this.#database, accountId, type, number);
  }

  startFile(file: BulkFile, nowMs: number): Promise<'stored' | 'stale'> {
    return startFile(this.#database, file, nowMs);
  }

  applyRows(
    file: BulkFile,
    done: FileProgress,
    rows: readonly RowWrite[],
    nowMs: number,
  ): Promise<readonly RowOutcome[] | 'stale'> {
    return this.#rows.apply(file, done, rows, nowMs);
  }

  moveFile(file: BulkFile, progress: FileProgress): Promise<'stored' | 'stale'> {
    return moveFile(this.#database, file, progress);
  }

  finishFile(file: BulkFile, status: FileStatus, progress: FileProgress, nowMs: number): Promise<'stored' | 'stale'> {
    return finishFile(this.#database, file, status, progress, nowMs);
  }

  listKeptBeyond(
    accountId: number,
    bytes_max: number,
    reportsAfterMs: number,
    limit: number,
  ): Promise<readonly KeptFile[]> {
    return listKeptBeyond(this.#database, accountId, bytes_max, reportsAfterMs, limit);
  }

  listFilesBefore(beforeMs: number, limit: number): Promise<readonly NewFile[]> {
    return listFilesBefore(this.#database, beforeMs, limit);
  }

  listUploadsBefore(beforeMs: number, limit: number): Promise<readonly NewFile[]> {
    return listUploadsBefore(this.#database, beforeMs, limit);
  }

  dropFile(accountId: number, fileId: string): Promise<void> {
    return dropFile(this.#database, accountId, fileId);
  }

  addReport(accountId: number, reportId: string, nowMs: number, waiting_max: number): Promise<'stored' | 'too_many'> {
    return addReport(this.#database, accountId, reportId, nowMs, waiting_max);
  }

  readReport(accountId: number, reportId: string): Promise<Report | undefined> {
    return readReport(this.#database, accountId, reportId);
  }

  listRequestedReports(accountId: number, limit: number): Promise<readonly Report[]> {
    return listRequestedReports(this.#database, accountId, limit);
  }

  endReport(
    report: Report,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): Promise<'stored' | 'repeated' | 'gone'> {
    return endReport(this.#database, report, status, bytes, nowMs);
  }

  listReportsBefore(beforeMs: number, limit: number): Promise<readonly Report[]> {
    return listReportsBefore(this.#database, beforeMs, limit);
  }

  dropReport(accountId: number, reportId: string): Promise<void> {
    return dropReport(this.#database, accountId, reportId);
  }

  readReportRows(accountId: number, after: number, limit: number): Promise<RecordPage<ReportRow>> {
    return readReportRows(this.#database, accountId, after, limit);
  }

  /** Waits for slices that are being written. */
  protected closeFiles(): Promise<void> {
    return this.#rows.close();
  }
}
