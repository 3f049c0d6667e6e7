/** Ports of bulk files and of reports: their records, progress and rows. */
import type { FileProgress } from '../../domain/file-progress.ts';
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { GroupUpload, NodePrice, NodeQuantity, RecordPage, WriteOutcome } from './offers.ts';

/** Background work (see work.ts): the files of one type of an account, and its reports. */
export function fileKind(type: FileType): string {
  return `file-${type}`;
}

export interface NewFile {
  readonly accountId: number;
  readonly fileId: string;
  readonly createdMs: number;
}

/** What whoever hands a file over says of it. */
export interface HandedOverFile {
  readonly accountId: number;
  readonly fileId: string;
  readonly type: FileType;
  readonly name: string;
}

/** A file that was handed over by `POST /files/uploaded`. */
export interface BulkFile extends NewFile, HandedOverFile {
  /** As it lies on disk. */
  readonly bytes: number;
  readonly receivedMs: number;
  /** That its rows have; drawn when it was handed over. Files of an account are in order by it. */
  readonly number: number;
  readonly status: FileStatus;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly progress: FileProgress;
}

/** What a row asks for, checked by all rules that need no stored offer. */
export type RowWrite = { readonly skuId: string } & (
  | { readonly kind: 'sku'; readonly document: string }
  | { readonly kind: 'price'; readonly price: number; readonly nodes: readonly NodePrice[] }
  | { readonly kind: 'inventory'; readonly quantities: readonly NodeQuantity[] }
  | { readonly kind: 'shipping'; readonly exceptions: string | null }
  | { readonly kind: 'returns'; readonly locationIds: readonly string[] | null }
  | { readonly kind: 'archive'; readonly archived: boolean }
  | { readonly kind: 'group'; readonly group: GroupUpload }
);

/**
 * Whether the SKU is unknown or archived is looked at first, of a group also whether its children are; then the numbers.
 *
 * `superseded`: what it would change was written after the file was handed over; nothing was changed. A row of the
 * inventory is superseded when all its nodes are, else the others are written; one without nodes is `stored`. A group is
 * superseded when that of its parent or of any child is.
 *
 * A row that changes the archive flag zeroes and numbers the stock as `setArchived` does, except for nodes that were
 * written after the file was handed over: they keep quantity and number. (No buyer sees them: the offer is archived, and
 * what unarchives it zeroes them.) A row that finds the flag as it asks for numbers the flag alone, so that rows of older
 * files that were deferred do not set it back.
 */
export type RowOutcome =
  | WriteOutcome
  | 'superseded'
  | { readonly refused: readonly { readonly skuId: string; readonly state: 'unknown' | 'archived' }[] };

/**
 * Bulk files: what was sent, how far it has come, and rows that are written with the number of their file.
 *
 * Whoever works on a file moves its progress from the place where he found it, which is its phase and offset. Where it
 * stands elsewhere by then, or the file is not in work any more (finished, cancelled, gone), nothing is written: `stale`. A
 * slice whose first rows are committed is written to its end, also where the file is cancelled meanwhile.
 */
export interface FileStore {
  /** Rows that one `applyRows` takes at most, and takes best. */
  readonly slice_rows_max: number;
  /** As how many of them an upload counts: documents take longer than prices, and single calls wait for a slice of either. */
  readonly upload_weight: number;

  /** Notes that somebody was given an address to send a file to. */
  addFile(file: NewFile): Promise<void>;
  /** All its bytes are on disk. `repeated`: they were before, and are not to be replaced. */
  noteUploaded(accountId: number, fileId: string, bytes: number): Promise<'stored' | 'repeated' | 'unknown'>;
  /**
   * Hands it over to be worked on: draws its number and announces the work of its kind. One that was handed over before
   * stays as it is. `unknown`: there is none of that account that was made after `madeAfterMs`, or it was not uploaded.
   */
  receiveFile(file: HandedOverFile, nowMs: number, madeAfterMs: number): Promise<BulkFile | 'unknown'>;
  /** Of those that were uploaded and have not ended, whether they were handed over or not. */
  readWaitingBytes(accountId: number): Promise<number>;
  /** One that was handed over. */
  readFile(accountId: number, fileId: string): Promise<BulkFile | undefined>;
  /** Those that were handed over and were made after `madeAfterMs`, newest first. */
  listFiles(
    accountId: number,
    madeAfterMs: number,
    offset: number,
    limit: number,
  ): Promise<{ files: readonly BulkFile[]; total: number }>;
  /**
   * One that is not finished: rows that were applied stay. Gives what stands then. Announces the work of all types of
   * which the account has unfinished files, some of which may have waited for it.
   */
  cancelFile(accountId: number, fileId: string, nowMs: number): Promise<BulkFile | undefined>;
  /** Moves the progress of one that was cancelled to where whoever worked on it had come: so all that was applied counts. */
  settleCancelled(file: BulkFile, progress: FileProgress): Promise<'stored' | 'stale'>;

  /**
   * Of the files of that type that are Acknowledged or Processing, in order of their number, so many at most; those that
   * only wait for others (phase `waiting`) included.
   */
  listUnfinishedFiles(accountId: number, type: FileType, limit: number): Promise<readonly BulkFile[]>;
  /** Whether a file of that type that was handed over before `number` is unfinished, those in phase `waiting` excluded. */
  hasUnfinishedBefore(accountId: number, type: FileType, number: number): Promise<boolean>;
  /** Begins it: Processing. One that was begun before, by somebody who went away, keeps the time of that. */
  startFile(file: BulkFile, nowMs: number): Promise<'stored' | 'stale'>;
  /**
   * Moves the progress from `file.progress` to `done`, and writes the rows that follow, in their order, in one commit.
   * They are all of one kind, that of the file's type; each key may come several times. Every row applies only where what
   * it changes has no higher number than the file's, and gives it that of the file; offers are marked as due for review
   * as single calls mark them. At most `slice_rows_max` rows: single calls wait for it.
   */
  applyRows(
    file: BulkFile,
    done: FileProgress,
    rows: readonly RowWrite[],
    nowMs: number,
  ): Promise<readonly RowOutcome[] | 'stale'>;
  /** Moves the progress alone. */
  moveFile(file: BulkFile, progress: FileProgress): Promise<'stored' | 'stale'>;
  /** Announces work as `cancelFile` does. */
  finishFile(file: BulkFile, status: FileStatus, progress: FileProgress, nowMs: number): Promise<'stored' | 'stale'>;

  /**
   * Some of the files, over all accounts, that were made before `beforeMs`, those that were never handed over included;
   * for retention.
   */
  listFilesBefore(beforeMs: number, limit: number): Promise<readonly NewFile[]>;
  /** As that, of those that were not handed over. */
  listUploadsBefore(beforeMs: number, limit: number): Promise<readonly NewFile[]>;
  dropFile(accountId: number, fileId: string): Promise<void>;
  /**
   * Some of what the account keeps beyond `bytes_max`, the newest counted first: files that have ended, with what they
   * left, and reports that were made after `reportsAfterMs`. The newest of all stays, however large it is.
   */
  listKeptBeyond(
    accountId: number,
    bytes_max: number,
    reportsAfterMs: number,
    limit: number,
  ): Promise<readonly KeptFile[]>;
}

export interface KeptFile {
  readonly kind: 'file' | 'report';
  readonly id: string;
}

export const REPORT_KIND = 'report';

export interface Report {
  readonly accountId: number;
  readonly reportId: string;
  readonly requestedMs: number;
  readonly status: 'Requested' | 'Ready' | 'Failed';
  readonly endedMs: number | null;
  readonly bytes: number;
}

/** One line of the report ProductStatus. */
export interface ReportRow {
  readonly skuId: string;
  /** Empty where the document has none. */
  readonly title: string;
  /** Of the last review; null before the first. */
  readonly status: Status | null;
  readonly subStatuses: readonly SubStatus[];
  readonly price: number | null;
  /** In order of node id. */
  readonly nodes: readonly NodeQuantity[];
  readonly documentUpdatedMs: number;
  readonly priceUpdatedMs: number | null;
  /** Of the node that was written last; null without any. */
  readonly inventoryUpdatedMs: number | null;
}

export interface ReportStore {
  /** Announces the work. `too_many`: so many of the account are not made yet. */
  addReport(accountId: number, reportId: string, nowMs: number, waiting_max: number): Promise<'stored' | 'too_many'>;
  readReport(accountId: number, reportId: string): Promise<Report | undefined>;
  /** In the order in which they were asked for, by the times given, then by id. */
  listRequestedReports(accountId: number, limit: number): Promise<readonly Report[]>;
  /** `repeated`: it was ended before, and stays as it is. `gone`: nobody will ever read it. */
  endReport(
    report: Report,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): Promise<'stored' | 'repeated' | 'gone'>;
  /** Some of the reports, over all accounts, that were asked for before `beforeMs`; for retention. */
  listReportsBefore(beforeMs: number, limit: number): Promise<readonly Report[]>;
  dropReport(accountId: number, reportId: string): Promise<void>;
  /** In order of first upload, from behind `after`, which is 0 or the `next` of the page before; see RecordPage. */
  readReportRows(accountId: number, after: number, limit: number): Promise<RecordPage<ReportRow>>;
}
