/**
 * In charge of the records of bulk files: handed over once, moved on by whoever finds them where he left them. Runs in the
 * writer thread, inside a transaction that is not its own.
 */
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import { type BulkFile, type FileProgress, fileKind, type HandedOverFile } from '../port/files.ts';
import { ANNOUNCE, ANNOUNCE_MISSING } from '../shared/work/announcements.ts';
import { type Connection, query } from './engine.ts';
import { FileReads, UNFINISHED } from './file-reads.ts';
import { runStatement } from './sql.ts';
import type { WriteNumbers } from './write-numbers.ts';

/** Where whoever works on a file found it. */
export interface FilePlace {
  readonly accountId: number;
  readonly fileId: string;
  readonly phase: FileProgress['phase'];
  readonly offset: number;
}

/** The parameters from ?5 on. */
const MOVE = `phase = ?5, next_offset = ?6, bytes_read = ?7, rows_processed = ?8, rows_failed = ?9, rows_superseded = ?10,
  rows_waiting = ?11, file_faults = ?12, error_bytes = ?13, retry_bytes = ?14, aside_bytes = ?15, error_excerpt = ?16,
  ignored_fields = ?17`;

const AT_PLACE = 'account_id = ?1 AND file_id = ?2 AND phase = ?3 AND next_offset = ?4';

export class FileRecords {
  readonly #numbers: WriteNumbers;
  readonly #connection: Connection;
  readonly #reads: FileReads;
  readonly #add;
  readonly #upload;
  readonly #isThere;
  readonly #receive;
  readonly #cancel;
  readonly #settle;
  readonly #start;
  readonly #move;
  readonly #finish;
  readonly #drop;
  readonly #unfinishedTypes;
  readonly #allUnfinishedTypes;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#numbers = numbers;
    this.#connection = connection;
    this.#reads = new FileReads(connection);
    const ofKey = 'account_id = ?1 AND file_id = ?2 AND created_ms > 0';
    this.#add = query(connection, 'INSERT INTO bulk_file (account_id, file_id, created_ms) VALUES (?, ?, ?)');
    this.#upload = query(connection, `UPDATE bulk_file SET bytes = ?3 WHERE ${ofKey} AND bytes IS NULL`);
    this.#isThere = query<[1]>(connection, `SELECT 1 FROM bulk_file WHERE ${ofKey}`);
    this.#receive = query(
      connection,
      `UPDATE bulk_file SET type = ?3, name = ?4, received_ms = ?5, number = ?6, status = 'Acknowledged'
       WHERE ${ofKey} AND bytes IS NOT NULL AND number IS NULL AND created_ms > ?7`,
    );
    this.#cancel = query(
      connection,
      `UPDATE bulk_file SET status = 'Cancelled', ended_ms = ?3 WHERE ${ofKey} AND ${UNFINISHED}`,
    );
    this.#settle = query(connection, `UPDATE bulk_file SET ${MOVE} WHERE ${AT_PLACE} AND status = 'Cancelled'`);
    this.#start = query(
      connection,
      `UPDATE bulk_file SET status = 'Processing', started_ms = ifnull(started_ms, ?5) WHERE ${AT_PLACE} AND ${UNFINISHED}`,
    );
    this.#move = query<[number: number]>(
      connection,
      `UPDATE bulk_file SET ${MOVE} WHERE ${AT_PLACE} AND status = 'Processing' RETURNING number`,
    );
    this.#finish = query(
      connection,
      `UPDATE bulk_file SET ${MOVE}, status = ?18, ended_ms = ?19 WHERE ${AT_PLACE} AND status = 'Processing'`,
    );
    this.#drop = query(connection, 'DELETE FROM bulk_file WHERE account_id = ? AND file_id = ?');
    this.#unfinishedTypes = query<[type: FileType]>(
      connection,
      `SELECT DISTINCT type FROM bulk_file INDEXED BY bulk_file_unfinished WHERE account_id = ? AND ${UNFINISHED}`,
    );
    this.#allUnfinishedTypes = query<[accountId: number, type: FileType]>(
      connection,
      `SELECT DISTINCT account_id, type FROM bulk_file INDEXED BY bulk_file_unfinished WHERE ${UNFINISHED}`,
    );
  }

  addFile(accountId: number, fileId: string, createdMs: number): void {
    this.#add.run(accountId, fileId, createdMs);
  }

  noteUploaded(accountId: number, fileId: string, bytes: number): 'stored' | 'repeated' | 'unknown' {
    if (this.#upload.run(accountId, fileId, bytes).changes > 0) return 'stored';
    return this.#isThere.get(accountId, fileId) === undefined ? 'unknown' : 'repeated';
  }

  receiveFile(
    { accountId, fileId, type, name }: HandedOverFile,
    nowMs: number,
    madeAfterMs: number,
  ): BulkFile | 'unknown' {
    const known = this.#reads.readFile(accountId, fileId);
    if (known !== undefined) return known;
    const number = this.#numbers.drawApart();
    if (this.#receive.run(accountId, fileId, type, name, nowMs, number, madeAfterMs).changes === 0) return 'unknown';
    runStatement(this.#connection, ANNOUNCE, [fileKind(type), accountId, 0]);
    return this.#reads.readFile(accountId, fileId) ?? 'unknown';
  }

  cancelFile(accountId: number, fileId: string, nowMs: number): BulkFile | undefined {
    if (this.#cancel.run(accountId, fileId, nowMs).changes > 0) this.#announceUnfinished(accountId);
    return this.#reads.readFile(accountId, fileId);
  }

  settleCancelled({ accountId, fileId, phase, offset }: FilePlace, progress: FileProgress): 'stored' | 'stale' {
    const { changes } = this.#settle.run(accountId, fileId, phase, offset, ...columnsOf(progress));
    return changes > 0 ? 'stored' : 'stale';
  }

  startFile({ accountId, fileId, phase, offset }: FilePlace, nowMs: number): 'stored' | 'stale' {
    return this.#start.run(accountId, fileId, phase, offset, nowMs).changes > 0 ? 'stored' : 'stale';
  }

  /** Gives the number of the file; undefined: stale. */
  move({ accountId, fileId, phase, offset }: FilePlace, to: FileProgress): number | undefined {
    return this.#move.get(accountId, fileId, phase, offset, ...columnsOf(to))?.[0];
  }

  finishFile(place: FilePlace, status: FileStatus, progress: FileProgress, nowMs: number): 'stored' | 'stale' {
    const { accountId, fileId, phase, offset } = place;
    const { changes } = this.#finish.run(accountId, fileId, phase, offset, ...columnsOf(progress), status, nowMs);
    if (changes === 0) return 'stale';
    this.#announceUnfinished(accountId);
    return 'stored';
  }

  dropFile(accountId: number, fileId: string): void {
    this.#drop.run(accountId, fileId);
  }

  announceForgotten(): void {
    for (const [accountId, type] of this.#allUnfinishedTypes.all()) {
      runStatement(this.#connection, ANNOUNCE_MISSING, [fileKind(type), accountId]);
    }
  }

  /** Some of them may have waited for a file that has ended now. */
  #announceUnfinished(accountId: number): void {
    for (const [type] of this.#unfinishedTypes.all(accountId)) {
      runStatement(this.#connection, ANNOUNCE, [fileKind(type), accountId, 0]);
    }
  }
}

function columnsOf(progress: FileProgress): (string | number)[] {
  const { phase, offset, bytesRead, rowsProcessed, rowsFailed, rowsSuperseded, rowsWaiting } = progress;
  const { fileFaults, errorBytes, retryBytes, asideBytes, errorExcerpt, ignoredFields } = progress;
  const counts = [rowsProcessed, rowsFailed, rowsSuperseded, rowsWaiting, fileFaults];
  return [phase, offset, bytesRead, ...counts, errorBytes, retryBytes, asideBytes, errorExcerpt, ignoredFields];
}

/** What was discarded: neither read nor worked on, and old enough for the sweep for retention. */
export function discardFiles(connection: Connection, accountId: number): void {
  query(
    connection,
    `UPDATE bulk_file SET created_ms = 0, bytes = NULL, number = NULL, status = NULL, name = NULL, error_excerpt = '[]',
       ignored_fields = '[]' WHERE account_id = ?`,
  ).run(accountId);
  query(connection, `UPDATE report SET requested_ms = 0, status = 'Failed' WHERE account_id = ?`).run(accountId);
}
