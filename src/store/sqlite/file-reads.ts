/** In charge of reading what is known of bulk files. Runs in the reader thread and inside writes. */

import type { FileProgress } from '../../domain/file-progress.ts';
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import type { BulkFile, KeptFile, NewFile } from '../port/files.ts';
import { type Connection, query } from './engine.ts';
import { inSnapshot } from './transactions.ts';

type FileRow = readonly [
  accountId: number,
  fileId: string,
  createdMs: number,
  type: FileType,
  name: string,
  bytes: number,
  receivedMs: number,
  number: number,
  status: FileStatus,
  startedMs: number | null,
  endedMs: number | null,
  phase: FileProgress['phase'],
  offset: number,
  bytesRead: number,
  rowsProcessed: number,
  rowsFailed: number,
  rowsSuperseded: number,
  rowsWaiting: number,
  fileFaults: number,
  errorBytes: number,
  retryBytes: number,
  asideBytes: number,
  errorExcerpt: string,
  ignoredFields: string,
];

type AgedRow = readonly [accountId: number, fileId: string, createdMs: number];

/** Of files that were handed over. */
const COLUMNS = `account_id, file_id, created_ms, type, name, bytes, received_ms, number, status, started_ms, ended_ms,
  phase, next_offset, bytes_read, rows_processed, rows_failed, rows_superseded, rows_waiting, file_faults,
  error_bytes, retry_bytes, aside_bytes, error_excerpt, ignored_fields`;

export const UNFINISHED = `status IN ('Acknowledged', 'Processing')`;

export class FileReads {
  readonly #connection: Connection;
  readonly #file;
  readonly #page;
  readonly #count;
  readonly #unfinished;
  readonly #isBefore;
  readonly #waitingBytes;
  readonly #keptBeyond;
  readonly #aged;
  readonly #agedUploads;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#file = query<FileRow>(
      connection,
      `SELECT ${COLUMNS} FROM bulk_file WHERE account_id = ? AND file_id = ? AND number IS NOT NULL`,
    );
    this.#page = query<FileRow>(
      connection,
      `SELECT ${COLUMNS} FROM bulk_file INDEXED BY bulk_file_by_number
       WHERE account_id = ? AND number IS NOT NULL AND created_ms > ? ORDER BY number DESC LIMIT ? OFFSET ?`,
    );
    this.#count = query<[total: number]>(
      connection,
      `SELECT count(*) FROM bulk_file INDEXED BY bulk_file_by_number
       WHERE account_id = ? AND number IS NOT NULL AND created_ms > ?`,
    );
    this.#unfinished = query<FileRow>(
      connection,
      `SELECT ${COLUMNS} FROM bulk_file INDEXED BY bulk_file_unfinished
       WHERE account_id = ? AND type = ? AND ${UNFINISHED} ORDER BY number LIMIT ?`,
    );
    this.#isBefore = query<[1]>(
      connection,
      `SELECT 1 FROM bulk_file INDEXED BY bulk_file_unfinished
       WHERE account_id = ? AND type = ? AND number < ? AND ${UNFINISHED} AND phase <> 'waiting' LIMIT 1`,
    );
    this.#waitingBytes = query<[bytes: number]>(
      connection,
      `SELECT ifnull(sum(bytes), 0) FROM (
         SELECT bytes FROM bulk_file INDEXED BY bulk_file_not_received WHERE account_id = ?1 AND number IS NULL
         UNION ALL
         SELECT bytes FROM bulk_file INDEXED BY bulk_file_unfinished WHERE account_id = ?1 AND ${UNFINISHED}
       )`,
    );
    this.#keptBeyond = query<[kind: KeptFile['kind'], id: string]>(
      connection,
      `SELECT kind, id FROM (
         SELECT kind, id, made_ms, bytes, sum(bytes) OVER (ORDER BY made_ms DESC, id) AS bytes_so_far FROM (
           SELECT 'file' AS kind, file_id AS id, created_ms AS made_ms, bytes + error_bytes + retry_bytes AS bytes
           FROM bulk_file INDEXED BY bulk_file_by_number
           WHERE account_id = ?1 AND number IS NOT NULL AND ended_ms IS NOT NULL
           UNION ALL
           SELECT 'report', report_id, requested_ms, bytes FROM report
           WHERE account_id = ?1 AND status = 'Ready' AND ended_ms > ?3
         )
       ) WHERE bytes_so_far - bytes >= ?2 ORDER BY made_ms, id LIMIT ?4`,
    );
    this.#agedUploads = query<AgedRow>(
      connection,
      `SELECT account_id, file_id, created_ms FROM bulk_file INDEXED BY bulk_file_not_received
       WHERE number IS NULL AND created_ms > 0 AND created_ms < ? LIMIT ?`,
    );
    this.#aged = query<AgedRow>(
      connection,
      'SELECT account_id, file_id, created_ms FROM bulk_file WHERE created_ms < ? ORDER BY created_ms LIMIT ?',
    );
  }

  readFile(accountId: number, fileId: string): BulkFile | undefined {
    const row = this.#file.get(accountId, fileId);
    return row === undefined ? undefined : fileOf(row);
  }

  listFiles(
    accountId: number,
    madeAfterMs: number,
    offset: number,
    limit: number,
  ): { files: BulkFile[]; total: number } {
    return inSnapshot(this.#connection, () => ({
      files: this.#page.all(accountId, madeAfterMs, limit, offset).map(fileOf),
      total: this.#count.get(accountId, madeAfterMs)?.[0] ?? 0,
    }));
  }

  readWaitingBytes(accountId: number): number {
    return this.#waitingBytes.get(accountId)?.[0] ?? 0;
  }

  listUnfinishedFiles(accountId: number, type: FileType, limit: number): BulkFile[] {
    return this.#unfinished.all(accountId, type, limit).map(fileOf);
  }

  hasUnfinishedBefore(accountId: number, type: FileType, number: number): boolean {
    return this.#isBefore.get(accountId, type, number) !== undefined;
  }

  listKeptBeyond(accountId: number, bytes_max: number, reportsAfterMs: number, limit: number): KeptFile[] {
    return this.#keptBeyond.all(accountId, bytes_max, reportsAfterMs, limit).map(([kind, id]) => ({ kind, id }));
  }

  listFilesBefore(beforeMs: number, limit: number): NewFile[] {
    return this.#aged.all(beforeMs, limit).map(newFileOf);
  }

  listUploadsBefore(beforeMs: number, limit: number): NewFile[] {
    return this.#agedUploads.all(beforeMs, limit).map(newFileOf);
  }
}

function newFileOf([accountId, fileId, createdMs]: AgedRow): NewFile {
  return { accountId, fileId, createdMs };
}

function fileOf(row: FileRow): BulkFile {
  const [accountId, fileId, createdMs, type, name, bytes, receivedMs, number, status, startedMs, endedMs, ...rest] =
    row;
  const [phase, offset, bytesRead, rowsProcessed, rowsFailed, rowsSuperseded, rowsWaiting, ...beside] = rest;
  const [fileFaults, errorBytes, retryBytes, asideBytes, errorExcerpt, ignoredFields] = beside;
  const counts = { rowsProcessed, rowsFailed, rowsSuperseded, rowsWaiting, fileFaults };
  const lengths = { errorBytes, retryBytes, asideBytes };
  const progress = { phase, offset, bytesRead, ...counts, ...lengths, errorExcerpt, ignoredFields };
  return { accountId, fileId, createdMs, type, name, bytes, receivedMs, number, status, startedMs, endedMs, progress };
}
