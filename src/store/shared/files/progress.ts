/**
 * Records bulk files from the upload URL to their end: submits them, moves their progress, removes and discards them.
 * Announces the work on unfinished files and reports.
 */
import type { BulkFile } from '../../../domain/bulk-files.ts';
import type { FileType } from '../../../domain/vocabulary/file-types.ts';
import { type FileStore, fileKind, REPORT_KIND } from '../../port/files.ts';
import { commandsWith } from '../command.ts';
import { addAccountEvent } from '../feed/event-rows.ts';
import { listsOf, type Sql, statement, type WriteSql } from '../sql.ts';
import { ANNOUNCE_MISSING, announceWork } from '../work.ts';
import {
  AT_ITS_PLACE,
  AT_ITS_STATUS,
  BEHIND_PROGRESS,
  MOVE,
  moveValues,
  OF_KEY,
  placeOf,
  SET_PROGRESS,
  STATUS_IS_UNFINISHED,
  UNFINISHED,
} from './file-row.ts';
import { readFile } from './lists.ts';

const { keptWrite } = commandsWith({ account: true });

const ADD = statement<[]>('add file')`INSERT INTO bulk_file (account_id, file_id, created_ms) VALUES ($1, $2, $3)`;
const NOTE_UPLOADED = statement<[1]>('note uploaded file')`
  UPDATE bulk_file SET bytes = $3 WHERE ${OF_KEY} AND bytes IS NULL RETURNING 1`;
const FIND = statement<[1]>('find file')`SELECT 1 FROM bulk_file WHERE ${OF_KEY}`;
/** `coalesce` keeps PostgreSQL from using the index of unsubmitted files. */
const RECEIVE = statement<[1]>('receive file')`
  UPDATE bulk_file SET type = $3, name = $4, received_ms = $5, status = 'Acknowledged', validate_only = $7
  WHERE ${OF_KEY} AND bytes IS NOT NULL AND coalesce(number, 0) = 0 AND created_ms > $6 RETURNING 1`;
const NUMBER = statement<[]>('number file')`UPDATE bulk_file SET number = $3 WHERE ${OF_KEY}`;
const DROP = {
  file: statement<[]>('drop file')`DELETE FROM bulk_file WHERE account_id = $1 AND file_id = $2`,
  report: statement<[]>('drop report')`DELETE FROM report WHERE account_id = $1 AND report_id = $2`,
};
const START = statement<[1]>('start file')`
  UPDATE bulk_file SET status = 'Processing', started_ms = coalesce(started_ms, $5)
  WHERE ${AT_ITS_PLACE} AND ${STATUS_IS_UNFINISHED} RETURNING 1`;
type EndedFile = [type: FileType, validateOnly: number];
const FINISH = statement<EndedFile>('finish file')`
  UPDATE bulk_file SET ${SET_PROGRESS}, status = $${BEHIND_PROGRESS}, ended_ms = $${BEHIND_PROGRESS + 1}
  WHERE ${AT_ITS_STATUS} RETURNING type, validate_only`;
const CANCEL = statement<EndedFile>('cancel file')`
  UPDATE bulk_file SET status = 'Cancelled', ended_ms = $3 WHERE ${OF_KEY} AND ${STATUS_IS_UNFINISHED}
  RETURNING type, validate_only`;

export const addFile = keptWrite<FileStore['addFile']>(async (sql, { accountId, fileId, createdMs }) => {
  await sql.run(ADD, [accountId, fileId, createdMs]);
});

export const noteUploaded = keptWrite<FileStore['noteUploaded']>(async (sql, accountId, fileId, bytes) => {
  if ((await sql.run(NOTE_UPLOADED, [accountId, fileId, bytes])).length > 0) return 'stored';
  return (await sql.run(FIND, [accountId, fileId])).length > 0 ? 'repeated' : 'unknown';
});

export const drawNumber = keptWrite<FileStore['drawNumber']>((sql) => sql.drawNumber());

/** The number is drawn under the row lock: of two concurrent submits, the second finds the result of the first. */
export const receiveFile = keptWrite<FileStore['receiveFile']>(
  async (sql, { accountId, fileId, type, name, validateOnly = false, number }, nowMs, madeAfterMs) => {
    const submitted = [accountId, fileId, type, name, nowMs, madeAfterMs, Number(validateOnly)];
    const received = await sql.run(RECEIVE, submitted);
    if (received.length > 0) {
      await sql.run(NUMBER, [accountId, fileId, number ?? (await sql.drawNumber())]);
      await announceWork(sql, fileKind(type), accountId, 0);
    }
    return (await readFile(sql, accountId, fileId)) ?? 'unknown';
  },
);

export const startFile = keptWrite<FileStore['startFile']>(async (sql, file, nowMs) => {
  return storedOrStale(await sql.run(START, [...placeOf(file), nowMs]));
});

export const moveFile = keptWrite<FileStore['moveFile']>(async (sql, file, progress, status) => {
  return storedOrStale(await sql.run(MOVE, moveValues(file, progress, status)));
});

export const finishFile = keptWrite<FileStore['finishFile']>(async (sql, file, status, progress, nowMs) => {
  const finished = await sql.run(FINISH, [...moveValues(file, progress), status, nowMs]);
  for (const ended of finished) await noteEnd(sql, file, ended, status, nowMs);
  return storedOrStale(finished);
});

export const cancelFile = keptWrite<FileStore['cancelFile']>(async (sql, accountId, fileId, nowMs) => {
  const cancelled = await sql.run(CANCEL, [accountId, fileId, nowMs]);
  for (const ended of cancelled) await noteEnd(sql, { accountId, fileId }, ended, 'Cancelled', nowMs);
  return readFile(sql, accountId, fileId);
});

export const dropKept = keptWrite<FileStore['dropKept']>(async (sql, { kind, accountId, id }) => {
  await sql.run(DROP[kind], [accountId, id]);
});

async function noteEnd(
  sql: WriteSql,
  { accountId, fileId }: Pick<BulkFile, 'accountId' | 'fileId'>,
  [fileType, validateOnly]: EndedFile,
  status: string,
  nowMs: number,
): Promise<void> {
  // Other files may have waited for this one. They are announced in order of type, so that concurrent calls do not deadlock.
  for (const [type] of await sql.run(TYPES, [accountId])) await announceWork(sql, fileKind(type), accountId, 0);
  const checked = validateOnly ? ({ validateOnly: true } as const) : {};
  await addAccountEvent(sql, accountId, { type: 'file.finished', fileId, fileType, status, ...checked }, nowMs);
}

function storedOrStale(changed: readonly unknown[]): 'stored' | 'stale' {
  return changed.length === 0 ? 'stale' : 'stored';
}

const TYPES = statement<[type: FileType]>('list types of unfinished files')`
  SELECT DISTINCT type FROM bulk_file WHERE account_id = $1 AND ${UNFINISHED} ORDER BY type`;
const ALL = statement<[accountId: number, type: FileType]>('find accounts with unfinished files')`
  SELECT DISTINCT account_id, type FROM bulk_file WHERE ${UNFINISHED} ORDER BY account_id, type`;
const ALL_REPORTS = statement<[accountId: number]>('find accounts with requested reports')`
  SELECT DISTINCT account_id FROM report WHERE status = 'Requested' ORDER BY account_id`;

/**
 * Makes files and reports unreadable, stops their processing, and makes them old enough for the retention sweep to delete them.
 * Waits for a slice that is being written; no row of these files is written afterwards.
 */
const DISCARD_FILES_AND_REPORTS = [
  statement<[]>('discard files')`
    UPDATE bulk_file SET created_ms = 0, bytes = NULL, number = NULL, status = NULL, name = NULL, error_excerpt = '[]',
      ignored_fields = '[]' WHERE account_id = $1 AND created_ms > 0`,
  statement<[]>('discard reports')`
    UPDATE report SET requested_ms = 0, status = 'Failed' WHERE account_id = $1 AND requested_ms > 0`,
] as const;

export async function discardFilesAndReports(sql: Sql, accountId: number): Promise<void> {
  for (const discard of DISCARD_FILES_AND_REPORTS) await sql.run(discard, [accountId]);
}

/** Announces files and reports of all accounts whose announcement was lost. */
export async function announceForgottenFilesAndReports(sql: Sql): Promise<void> {
  const files = await sql.run(ALL);
  const reports = await sql.run(ALL_REPORTS);
  const work = [
    ...files.map(([accountId, type]) => ({ kind: fileKind(type), accountId })),
    ...reports.map(([accountId]) => ({ kind: REPORT_KIND, accountId })),
  ];
  if (work.length > 0) await sql.run(ANNOUNCE_MISSING, listsOf(work, 'kind', 'accountId'));
}
