/**
 * In charge of the part of the store that bulk files and reports use: which thread does what. Rows go in the second lane of
 * the writer thread, lines of reports in that of the reader thread; all else is as quick as a single call.
 */
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
import type { Connection } from './engine.ts';
import type { FilePlace } from './file-records.ts';
import type { ReaderService } from './reader-service.ts';
import { charactersOf, columnsOf } from './row-columns.ts';
import { SqliteSetupStore } from './setup.ts';
import { runCommandsOnThreads } from './shared-commands.ts';
import type { ThreadClient } from './thread-client.ts';
import type { WriterService } from './writer-service.ts';

/**
 * The writer takes some 5 ms for as many prices, or a third as many documents of 1.4 KB, and a single call may wait for all of
 * a slice. A commit has its own cost: in slices of 400 documents a row takes a tenth less of its time.
 */
const SLICE_ROWS_MAX = 800;
const UPLOAD_WEIGHT = 3;

export class SqliteFileStore extends SqliteSetupStore implements FileStore, ReportStore {
  readonly slice_rows_max = SLICE_ROWS_MAX;
  readonly upload_weight = UPLOAD_WEIGHT;
  /** Of the parts of the store that follow, too. */
  protected readonly writer: ThreadClient<WriterService>;
  protected readonly scanner: ThreadClient<ReaderService>;

  constructor(writing: Connection, writer: ThreadClient<WriterService>, scanner: ThreadClient<ReaderService>) {
    super(writing, runCommandsOnThreads(writing, writer, scanner));
    this.writer = writer;
    this.scanner = scanner;
  }

  addFile({ accountId, fileId, createdMs }: NewFile): Promise<void> {
    return this.writer.call('addFile', [accountId, fileId, createdMs], fileId.length);
  }

  noteUploaded(accountId: number, fileId: string, bytes: number): Promise<'stored' | 'repeated' | 'unknown'> {
    return this.writer.call('noteUploaded', [accountId, fileId, bytes], fileId.length);
  }

  receiveFile(file: HandedOverFile, nowMs: number, madeAfterMs: number): Promise<BulkFile | 'unknown'> {
    return this.writer.call('receiveFile', [file, nowMs, madeAfterMs], file.fileId.length + file.name.length);
  }

  readFile(accountId: number, fileId: string): Promise<BulkFile | undefined> {
    return this.scanner.call('readFile', [accountId, fileId], fileId.length);
  }

  readWaitingBytes(accountId: number): Promise<number> {
    return this.scanner.call('readWaitingBytes', [accountId], 0);
  }

  listFiles(
    accountId: number,
    madeAfterMs: number,
    offset: number,
    limit: number,
  ): Promise<{ files: readonly BulkFile[]; total: number }> {
    return this.scanner.call('listFiles', [accountId, madeAfterMs, offset, limit], 0);
  }

  cancelFile(accountId: number, fileId: string, nowMs: number): Promise<BulkFile | undefined> {
    return this.writer.call('cancelFile', [accountId, fileId, nowMs], fileId.length);
  }

  settleCancelled(file: BulkFile, progress: FileProgress): Promise<'stored' | 'stale'> {
    return this.writer.call('settleCancelled', [placeOf(file), progress], progress.errorExcerpt.length);
  }

  listUnfinishedFiles(accountId: number, type: FileType, limit: number): Promise<readonly BulkFile[]> {
    return this.scanner.call('listUnfinishedFiles', [accountId, type, limit], 0);
  }

  hasUnfinishedBefore(accountId: number, type: FileType, number: number): Promise<boolean> {
    return this.scanner.call('hasUnfinishedBefore', [accountId, type, number], 0);
  }

  startFile(file: BulkFile, nowMs: number): Promise<'stored' | 'stale'> {
    return this.writer.call('startFile', [placeOf(file), nowMs], 0);
  }

  async applyRows(
    file: BulkFile,
    done: FileProgress,
    rows: readonly RowWrite[],
    nowMs: number,
  ): Promise<readonly RowOutcome[] | 'stale'> {
    if (rows.length > SLICE_ROWS_MAX) throw new Error(`${rows.length} rows are too many for one slice.`);
    const columns = columnsOf(rows);
    const characters = charactersOf(columns) + done.errorExcerpt.length;
    return this.writer.callBehind('applyRows', [placeOf(file), done, columns, nowMs], characters);
  }

  moveFile(file: BulkFile, progress: FileProgress): Promise<'stored' | 'stale'> {
    return this.writer.call('moveFile', [placeOf(file), progress], progress.errorExcerpt.length);
  }

  finishFile(file: BulkFile, status: FileStatus, progress: FileProgress, nowMs: number): Promise<'stored' | 'stale'> {
    const args = [placeOf(file), status, progress, nowMs] as const;
    return this.writer.call('finishFile', args, progress.errorExcerpt.length);
  }

  listKeptBeyond(
    accountId: number,
    bytes_max: number,
    reportsAfterMs: number,
    limit: number,
  ): Promise<readonly KeptFile[]> {
    return this.scanner.call('listKeptBeyond', [accountId, bytes_max, reportsAfterMs, limit], 0);
  }

  listFilesBefore(beforeMs: number, limit: number): Promise<readonly NewFile[]> {
    return this.scanner.call('listFilesBefore', [beforeMs, limit], 0);
  }

  listUploadsBefore(beforeMs: number, limit: number): Promise<readonly NewFile[]> {
    return this.scanner.call('listUploadsBefore', [beforeMs, limit], 0);
  }

  dropFile(accountId: number, fileId: string): Promise<void> {
    return this.writer.call('dropFile', [accountId, fileId], fileId.length);
  }

  addReport(accountId: number, reportId: string, nowMs: number, waiting_max: number): Promise<'stored' | 'too_many'> {
    return this.writer.call('addReport', [accountId, reportId, nowMs, waiting_max], reportId.length);
  }

  readReport(accountId: number, reportId: string): Promise<Report | undefined> {
    return this.scanner.call('readReport', [accountId, reportId], reportId.length);
  }

  listRequestedReports(accountId: number, limit: number): Promise<readonly Report[]> {
    return this.scanner.call('listRequestedReports', [accountId, limit], 0);
  }

  endReport(
    report: Report,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): Promise<'stored' | 'repeated' | 'gone'> {
    const { accountId, reportId } = report;
    return this.writer.call('endReport', [accountId, reportId, status, bytes, nowMs], reportId.length);
  }

  listReportsBefore(beforeMs: number, limit: number): Promise<readonly Report[]> {
    return this.scanner.call('listReportsBefore', [beforeMs, limit], 0);
  }

  dropReport(accountId: number, reportId: string): Promise<void> {
    return this.writer.call('dropReport', [accountId, reportId], reportId.length);
  }

  readReportRows(accountId: number, after: number, limit: number): Promise<RecordPage<ReportRow>> {
    return this.scanner.callBehind('readReportRows', [accountId, after, limit], 0);
  }
}

/** People wait for these, as for single calls. */
function placeOf({ accountId, fileId, progress: { phase, offset } }: BulkFile): FilePlace {
  return { accountId, fileId, phase, offset };
}
