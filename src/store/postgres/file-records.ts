/**
 * Keeps the records of bulk files: what was sent, what is in work, and its progress. Only the retention sweep sees a
 * discarded file, whose `created_ms` is 0.
 */
import type { FileStatus, FileType } from '../../domain/vocabulary/file-types.ts';
import {
  type BulkFile,
  type FileProgress,
  fileKind,
  type HandedOverFile,
  type KeptFile,
  type NewFile,
} from '../port/files.ts';
import { announceMissing, announceWork } from '../shared/work/announcements.ts';
import type { Command } from './connection.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { drawNumber } from './write-numbers.ts';

/** In the order of the values of `progressValues`. */
const PROGRESS_COLUMNS: readonly string[] = Object.freeze([
  'phase',
  'next_offset',
  'bytes_read',
  'rows_processed',
  'rows_failed',
  'rows_superseded',
  'rows_waiting',
  'file_faults',
  'error_bytes',
  'retry_bytes',
  'aside_bytes',
  'error_excerpt',
  'ignored_fields',
]);

type ProgressRow = readonly [
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

type FileRow = readonly [
  fileId: string,
  createdMs: number,
  type: FileType,
  name: string,
  bytes: number,
  receivedMs: number,
  number: number | null,
  status: FileStatus,
  startedMs: number | null,
  endedMs: number | null,
  ...progress: ProgressRow,
];

/** Beside the number of all files, where none is on the page. */
type NoFile = readonly null[];

const COLUMNS = `file_id, created_ms, type, name, bytes, received_ms, number, status, started_ms, ended_ms,
   ${PROGRESS_COLUMNS.join(', ')}`;

const OF_KEY = 'account_id = $1 AND file_id = $2 AND created_ms > 0';
const HANDED_OVER = 'number IS NOT NULL';
/** As an index of the schema has it. */
const NOT_RECEIVED = 'number IS NULL';
const IN_WORK = `IN ('Acknowledged', 'Processing')`;
/** As an index of the schema has it. */
const UNFINISHED = `status ${IN_WORK}`;
/** Of one file: `coalesce` keeps the planner from that index, so that the file is found by its key. */
const STATUS = `coalesce(status, '')`;
/** Where whoever works on it has found it. */
const AT_ITS_PLACE = `${OF_KEY} AND phase = $3 AND next_offset = $4`;
const SET_PROGRESS = PROGRESS_COLUMNS.map((column, place) => `${column} = $${place + 5}`).join(', ');

const ADD = statement<[]>('add file', 'INSERT INTO bulk_file (account_id, file_id, created_ms) VALUES ($1, $2, $3)');
const NOTE_UPLOADED = statement<[1]>(
  'note uploaded file',
  `UPDATE bulk_file SET bytes = $3 WHERE ${OF_KEY} AND bytes IS NULL RETURNING 1`,
);
const FIND = statement<[1]>('find file', `SELECT 1 FROM bulk_file WHERE ${OF_KEY}`);
const LOCK_UPLOADED = statement<FileRow>(
  'lock uploaded file',
  `SELECT ${COLUMNS} FROM bulk_file WHERE ${OF_KEY} AND bytes IS NOT NULL FOR UPDATE`,
);
const RECEIVE = statement<FileRow>(
  'receive file',
  `UPDATE bulk_file SET type = $3, name = $4, received_ms = $5, number = $6, status = 'Acknowledged'
   WHERE ${OF_KEY} RETURNING ${COLUMNS}`,
);
const READ = statement<FileRow>('read file', `SELECT ${COLUMNS} FROM bulk_file WHERE ${OF_KEY} AND number IS NOT NULL`);
/** In one statement, for one moment: a file that is handed over between two of them is in one alone. */
const LIST = statement<readonly [total: number, ...(FileRow | NoFile)]>(
  'list files',
  `SELECT counted.total, page.* FROM (
     SELECT count(*) AS total FROM bulk_file WHERE account_id = $1 AND ${HANDED_OVER} AND created_ms > $2) counted
   LEFT JOIN (
     SELECT ${COLUMNS} FROM bulk_file WHERE account_id = $1 AND ${HANDED_OVER} AND created_ms > $2
     ORDER BY number DESC LIMIT $3::bigint OFFSET $4::bigint) page ON true`,
);
const SUM_WAITING = statement<[bytes: number]>(
  'sum waiting files',
  `SELECT coalesce(sum(bytes), 0)::bigint FROM (
     SELECT bytes FROM bulk_file WHERE account_id = $1 AND ${NOT_RECEIVED}
     UNION ALL
     SELECT bytes FROM bulk_file WHERE account_id = $1 AND ${UNFINISHED}
   ) waiting`,
);
const KEPT_BEYOND = statement<[kind: KeptFile['kind'], id: string]>(
  'list kept files beyond the limit',
  `SELECT kind, id FROM (
     SELECT kind, id, made_ms, bytes, sum(bytes) OVER (ORDER BY made_ms DESC, id) AS bytes_so_far FROM (
       SELECT 'file' AS kind, file_id AS id, created_ms AS made_ms, bytes + error_bytes + retry_bytes AS bytes
       FROM bulk_file WHERE account_id = $1 AND number IS NOT NULL AND ended_ms IS NOT NULL
       UNION ALL
       SELECT 'report', report_id, requested_ms, bytes FROM report
       WHERE account_id = $1 AND status = 'Ready' AND ended_ms > $3
     ) kept
   ) counted WHERE bytes_so_far - bytes >= $2 ORDER BY made_ms, id LIMIT $4::bigint`,
);
const LIST_UNFINISHED = statement<FileRow>(
  'list unfinished files',
  `SELECT ${COLUMNS} FROM bulk_file WHERE account_id = $1 AND type = $2 AND ${UNFINISHED}
   ORDER BY number LIMIT $3::bigint`,
);
const HAS_UNFINISHED = statement<[1]>(
  'find unfinished file',
  `SELECT 1 FROM bulk_file
   WHERE account_id = $1 AND type = $2 AND number < $3 AND ${UNFINISHED} AND phase <> 'waiting' LIMIT 1`,
);
const UNFINISHED_TYPES = statement<[type: FileType]>(
  'list types of unfinished files',
  `SELECT DISTINCT type FROM bulk_file WHERE account_id = $1 AND ${UNFINISHED} ORDER BY type`,
);

const CANCEL = statement<[1]>(
  'cancel file',
  `UPDATE bulk_file SET status = 'Cancelled', ended_ms = $3 WHERE ${OF_KEY} AND ${STATUS} ${IN_WORK} RETURNING 1`,
);
const SETTLE = statement<[1]>(
  'settle cancelled file',
  `UPDATE bulk_file SET ${SET_PROGRESS} WHERE ${AT_ITS_PLACE} AND ${STATUS} = 'Cancelled' RETURNING 1`,
);
const START = statement<[1]>(
  'start file',
  `UPDATE bulk_file SET status = 'Processing', started_ms = coalesce(started_ms, $5::bigint)
   WHERE ${AT_ITS_PLACE} AND ${STATUS} ${IN_WORK} RETURNING 1`,
);
const MOVE = statement<[1]>(
  'move file',
  `UPDATE bulk_file SET ${SET_PROGRESS} WHERE ${AT_ITS_PLACE} AND ${STATUS} = 'Processing' RETURNING 1`,
);
const HOLD = statement<[1]>(
  'hold file',
  `SELECT 1 FROM bulk_file WHERE ${AT_ITS_PLACE} AND ${STATUS} IN ('Processing', 'Cancelled') FOR UPDATE`,
);
const FINISH = statement<[1]>(
  'finish file',
  `UPDATE bulk_file SET ${SET_PROGRESS}, status = $${PROGRESS_COLUMNS.length + 5},
     ended_ms = $${PROGRESS_COLUMNS.length + 6}
   WHERE ${AT_ITS_PLACE} AND ${STATUS} = 'Processing' RETURNING 1`,
);

const DROP = statement<[]>('drop file', 'DELETE FROM bulk_file WHERE account_id = $1 AND file_id = $2');
/** Not readable, not in work, and old enough for the retention sweep. */
const DISCARD = statement<[]>(
  'discard files',
  `UPDATE bulk_file SET created_ms = 0, bytes = NULL, number = NULL, status = NULL, name = NULL, error_excerpt = '[]',
     ignored_fields = '[]' WHERE account_id = $1 AND created_ms > 0`,
);
const OLD_UPLOADS = statement<[accountId: number, fileId: string, createdMs: number]>(
  'find old uploads',
  `SELECT account_id, file_id, created_ms FROM bulk_file
   WHERE ${NOT_RECEIVED} AND created_ms > 0 AND created_ms < $1 LIMIT $2::bigint`,
);
const OLD = statement<[accountId: number, fileId: string, createdMs: number]>(
  'find old files',
  `SELECT account_id, file_id, created_ms FROM bulk_file WHERE created_ms < $1 ORDER BY created_ms LIMIT $2::bigint`,
);
const ALL_UNFINISHED = statement<[accountId: number, type: FileType]>(
  'find accounts with unfinished files',
  `SELECT DISTINCT account_id, type FROM bulk_file WHERE ${UNFINISHED} ORDER BY account_id, type`,
);

export async function addFile(connection: Connection, { accountId, fileId, createdMs }: NewFile): Promise<void> {
  await connection.run(ADD, [accountId, fileId, createdMs]);
}

export async function noteUploaded(
  connection: Connection,
  accountId: number,
  fileId: string,
  bytes: number,
): Promise<'stored' | 'repeated' | 'unknown'> {
  if ((await connection.run(NOTE_UPLOADED, [accountId, fileId, bytes])).length > 0) return 'stored';
  return (await connection.run(FIND, [accountId, fileId])).length > 0 ? 'repeated' : 'unknown';
}

/** The number is drawn behind the lock: of two who hand it over at once, the second finds what the first has made. */
export function receiveFile(
  database: Database,
  { accountId, fileId, type, name }: HandedOverFile,
  nowMs: number,
  madeAfterMs: number,
): Promise<BulkFile | 'unknown'> {
  return database.inTransaction(async (connection) => {
    const [uploaded] = await connection.run(LOCK_UPLOADED, [accountId, fileId]);
    if (uploaded === undefined) return 'unknown';
    const [, createdMs, , , , , handedOverNumber] = uploaded;
    if (handedOverNumber !== null) return fileOf(accountId, uploaded);
    if (createdMs <= madeAfterMs) return 'unknown';
    const number = await drawNumber(connection);
    const [received] = await connection.run(RECEIVE, [accountId, fileId, type, name, nowMs, number]);
    if (received === undefined) throw new Error('A file that is locked is there.');
    await announceWork(connection, fileKind(type), accountId, 0);
    return fileOf(accountId, received);
  });
}

export async function readFile(database: Database, accountId: number, fileId: string): Promise<BulkFile | undefined> {
  const [row] = await database.readQuickly(READ, [accountId, fileId]);
  return row === undefined ? undefined : fileOf(accountId, row);
}

export async function listFiles(
  connection: Connection,
  accountId: number,
  madeAfterMs: number,
  offset: number,
  limit: number,
): Promise<{ files: readonly BulkFile[]; total: number }> {
  const rows = await connection.run(LIST, [accountId, madeAfterMs, limit, offset]);
  const files = rows.flatMap(([, ...row]) => (isFile(row) ? [fileOf(accountId, row)] : []));
  // A join promises no order.
  return { files: files.sort((one, other) => other.number - one.number), total: rows[0]?.[0] ?? 0 };
}

export async function readWaitingBytes(connection: Connection, accountId: number): Promise<number> {
  const [summed] = await connection.run(SUM_WAITING, [accountId]);
  return summed?.[0] ?? 0;
}

export function cancelFile(
  database: Database,
  accountId: number,
  fileId: string,
  nowMs: number,
): Promise<BulkFile | undefined> {
  return database.inTransaction(async (connection) => {
    const cancelled = await connection.run(CANCEL, [accountId, fileId, nowMs]);
    if (cancelled.length > 0) await announceUnfinished(connection, accountId);
    const [row] = await connection.run(READ, [accountId, fileId]);
    return row === undefined ? undefined : fileOf(accountId, row);
  });
}

export async function settleCancelled(
  connection: Connection,
  file: BulkFile,
  progress: FileProgress,
): Promise<'stored' | 'stale'> {
  return storedOrStale(await connection.run(SETTLE, [...placeOf(file), ...progressValues(progress)]));
}

export async function listUnfinishedFiles(
  connection: Connection,
  accountId: number,
  type: FileType,
  limit: number,
): Promise<BulkFile[]> {
  const rows = await connection.run(LIST_UNFINISHED, [accountId, type, limit]);
  return rows.map((row) => fileOf(accountId, row));
}

export async function hasUnfinishedBefore(
  connection: Connection,
  accountId: number,
  type: FileType,
  number: number,
): Promise<boolean> {
  return (await connection.run(HAS_UNFINISHED, [accountId, type, number])).length > 0;
}

export async function startFile(connection: Connection, file: BulkFile, nowMs: number): Promise<'stored' | 'stale'> {
  return storedOrStale(await connection.run(START, [...placeOf(file), nowMs]));
}

/** Gives a row where the file stood at its place. */
export function moveCommand(file: BulkFile, progress: FileProgress): Command {
  return { statement: MOVE, values: [...placeOf(file), ...progressValues(progress)] };
}

/** Gives a row where the file stands at its place, in work or cancelled, and keeps it there to the end of the transaction. */
export function holdCommand(file: BulkFile): Command {
  return { statement: HOLD, values: placeOf(file) };
}

export async function moveFile(
  connection: Connection,
  file: BulkFile,
  progress: FileProgress,
): Promise<'stored' | 'stale'> {
  return storedOrStale(await connection.run(MOVE, [...placeOf(file), ...progressValues(progress)]));
}

export function finishFile(
  database: Database,
  file: BulkFile,
  status: FileStatus,
  progress: FileProgress,
  nowMs: number,
): Promise<'stored' | 'stale'> {
  return database.inTransaction(async (connection) => {
    const values = [...placeOf(file), ...progressValues(progress), status, nowMs];
    const finished = await connection.run(FINISH, values);
    if (finished.length > 0) await announceUnfinished(connection, file.accountId);
    return storedOrStale(finished);
  });
}

export async function listKeptBeyond(
  connection: Connection,
  accountId: number,
  bytes_max: number,
  reportsAfterMs: number,
  limit: number,
): Promise<KeptFile[]> {
  const rows = await connection.run(KEPT_BEYOND, [accountId, bytes_max, reportsAfterMs, limit]);
  return rows.map(([kind, id]) => ({ kind, id }));
}

export async function listFilesBefore(connection: Connection, beforeMs: number, limit: number): Promise<NewFile[]> {
  const rows = await connection.run(OLD, [beforeMs, limit]);
  return rows.map(([accountId, fileId, createdMs]) => ({ accountId, fileId, createdMs }));
}

export async function listUploadsBefore(connection: Connection, beforeMs: number, limit: number): Promise<NewFile[]> {
  const rows = await connection.run(OLD_UPLOADS, [beforeMs, limit]);
  return rows.map(([accountId, fileId, createdMs]) => ({ accountId, fileId, createdMs }));
}

export async function dropFile(connection: Connection, accountId: number, fileId: string): Promise<void> {
  await connection.run(DROP, [accountId, fileId]);
}

/** Waits for the slice that is being written, if any: behind it no row of these files is written. */
export async function discardFiles(connection: Connection, accountId: number): Promise<void> {
  await connection.run(DISCARD, [accountId]);
}

/** Of all accounts. */
export async function announceForgottenFiles(connection: Connection): Promise<void> {
  const unfinished = await connection.run(ALL_UNFINISHED);
  await announceMissing(
    connection,
    unfinished.map(([accountId, type]) => ({ kind: fileKind(type), accountId })),
  );
}

/** In the order of types, so that two who do this at once do not wait for each other in a circle. */
async function announceUnfinished(connection: Connection, accountId: number): Promise<void> {
  for (const [type] of await connection.run(UNFINISHED_TYPES, [accountId])) {
    await announceWork(connection, fileKind(type), accountId, 0);
  }
}

function storedOrStale(changed: readonly unknown[]): 'stored' | 'stale' {
  return changed.length === 0 ? 'stale' : 'stored';
}

function placeOf({ accountId, fileId, progress }: BulkFile): readonly unknown[] {
  return [accountId, fileId, progress.phase, progress.offset];
}

function progressValues(progress: FileProgress): ProgressRow {
  return [
    progress.phase,
    progress.offset,
    progress.bytesRead,
    progress.rowsProcessed,
    progress.rowsFailed,
    progress.rowsSuperseded,
    progress.rowsWaiting,
    progress.fileFaults,
    progress.errorBytes,
    progress.retryBytes,
    progress.asideBytes,
    progress.errorExcerpt,
    progress.ignoredFields,
  ];
}

function isFile(row: FileRow | NoFile): row is FileRow {
  return row[0] !== null;
}

/** Of one that was handed over. */
function fileOf(accountId: number, row: FileRow): BulkFile {
  const [fileId, createdMs, type, name, bytes, receivedMs, number, status, startedMs, endedMs, ...progress] = row;
  if (number === null) throw new Error('A file that was handed over has a number.');
  return {
    accountId,
    fileId,
    createdMs,
    type,
    name,
    bytes,
    receivedMs,
    number,
    status,
    startedMs,
    endedMs,
    progress: progressOf(progress),
  };
}

function progressOf(row: ProgressRow): FileProgress {
  const [phase, offset, bytesRead, rowsProcessed, rowsFailed, rowsSuperseded, rowsWaiting, ...rest] = row;
  const [fileFaults, errorBytes, retryBytes, asideBytes, errorExcerpt, ignoredFields] = rest;
  const rows = { rowsProcessed, rowsFailed, rowsSuperseded, rowsWaiting };
  const beside = { fileFaults, errorBytes, retryBytes, asideBytes, errorExcerpt, ignoredFields };
  return { phase, offset, bytesRead, ...rows, ...beside };
}
