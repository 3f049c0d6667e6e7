/** Records bulk files from the upload address to their end: submits them, moves their progress, and removes them. */
import type { FileType } from '../../../domain/vocabulary/file-types.ts';
import { type FileStore, fileKind } from '../../port/files.ts';
import { keptWrite } from '../command.ts';
import { addAccountEvent } from '../feed/event-rows.ts';
import { statement, type WriteSql } from '../sql.ts';
import { announceWork } from '../work.ts';
import {
  AT_ITS_PLACE,
  BEHIND_PROGRESS,
  MOVE,
  moveValues,
  OF_KEY,
  placeOf,
  SET_PROGRESS,
  STATUS_IS_UNFINISHED,
  statusIs,
} from './file-row.ts';
import { readFile } from './lists.ts';
import { announceUnfinished } from './unfinished.ts';

const ADD = statement<[]>('add file', 'INSERT INTO bulk_file (account_id, file_id, created_ms) VALUES ($1, $2, $3)');
const NOTE_UPLOADED = statement<[1]>(
  'note uploaded file',
  `UPDATE bulk_file SET bytes = $3 WHERE ${OF_KEY} AND bytes IS NULL RETURNING 1`,
);
const FIND = statement<[1]>('find file', `SELECT 1 FROM bulk_file WHERE ${OF_KEY}`);
/** `coalesce` keeps PostgreSQL from using the index of unsubmitted files. */
const RECEIVE = statement<[1]>(
  'receive file',
  `UPDATE bulk_file SET type = $3, name = $4, received_ms = $5, status = 'Acknowledged'
   WHERE ${OF_KEY} AND bytes IS NOT NULL AND coalesce(number, 0) = 0 AND created_ms > $6 RETURNING 1`,
);
const NUMBER = statement<[]>('number file', `UPDATE bulk_file SET number = $3 WHERE ${OF_KEY}`);
const DROP = statement<[]>('drop file', 'DELETE FROM bulk_file WHERE account_id = $1 AND file_id = $2');
const START = statement<[1]>(
  'start file',
  `UPDATE bulk_file SET status = 'Processing', started_ms = coalesce(started_ms, $5)
   WHERE ${AT_ITS_PLACE} AND ${STATUS_IS_UNFINISHED} RETURNING 1`,
);
const FINISH = statement<[type: FileType]>(
  'finish file',
  `UPDATE bulk_file SET ${SET_PROGRESS}, status = $${BEHIND_PROGRESS}, ended_ms = $${BEHIND_PROGRESS + 1}
   WHERE ${AT_ITS_PLACE} AND ${statusIs('Processing')} RETURNING type`,
);
const CANCEL = statement<[type: FileType]>(
  'cancel file',
  `UPDATE bulk_file SET status = 'Cancelled', ended_ms = $3 WHERE ${OF_KEY} AND ${STATUS_IS_UNFINISHED} RETURNING type`,
);
const SETTLE = statement<[1]>(
  'settle cancelled file',
  `UPDATE bulk_file SET ${SET_PROGRESS} WHERE ${AT_ITS_PLACE} AND ${statusIs('Cancelled')} RETURNING 1`,
);

export const addFile = keptWrite<FileStore['addFile']>(async (sql, { accountId, fileId, createdMs }) => {
  await sql.run(ADD, [accountId, fileId, createdMs]);
});

export const noteUploaded = keptWrite<FileStore['noteUploaded']>(async (sql, accountId, fileId, bytes) => {
  if ((await sql.run(NOTE_UPLOADED, [accountId, fileId, bytes])).length > 0) return 'stored';
  return (await sql.run(FIND, [accountId, fileId])).length > 0 ? 'repeated' : 'unknown';
});

/** The number is drawn under the row lock: of two concurrent submits, the second finds the result of the first. */
export const receiveFile = keptWrite<FileStore['receiveFile']>(
  async (sql, { accountId, fileId, type, name }, nowMs, madeAfterMs) => {
    const received = await sql.run(RECEIVE, [accountId, fileId, type, name, nowMs, madeAfterMs]);
    if (received.length > 0) {
      await sql.run(NUMBER, [accountId, fileId, await sql.drawNumber()]);
      await announceWork(sql, fileKind(type), accountId, 0);
    }
    return (await readFile(sql, accountId, fileId)) ?? 'unknown';
  },
);

export const startFile = keptWrite<FileStore['startFile']>(async (sql, file, nowMs) => {
  return storedOrStale(await sql.run(START, [...placeOf(file), nowMs]));
});

export const moveFile = keptWrite<FileStore['moveFile']>(async (sql, file, progress) => {
  return storedOrStale(await sql.run(MOVE, moveValues(file, progress)));
});

export const finishFile = keptWrite<FileStore['finishFile']>(async (sql, file, status, progress, nowMs) => {
  const finished = await sql.run(FINISH, [...moveValues(file, progress), status, nowMs]);
  await noteEnd(sql, file.accountId, file.fileId, finished, status, nowMs);
  return storedOrStale(finished);
});

export const cancelFile = keptWrite<FileStore['cancelFile']>(async (sql, accountId, fileId, nowMs) => {
  const cancelled = await sql.run(CANCEL, [accountId, fileId, nowMs]);
  await noteEnd(sql, accountId, fileId, cancelled, 'Cancelled', nowMs);
  return readFile(sql, accountId, fileId);
});

export const settleCancelled = keptWrite<FileStore['settleCancelled']>(async (sql, file, progress) => {
  return storedOrStale(await sql.run(SETTLE, moveValues(file, progress)));
});

export const dropFile = keptWrite<FileStore['dropFile']>(async (sql, accountId, fileId) => {
  await sql.run(DROP, [accountId, fileId]);
});

async function noteEnd(
  sql: WriteSql,
  accountId: number,
  fileId: string,
  [ended]: readonly (readonly [type: FileType])[],
  status: string,
  nowMs: number,
): Promise<void> {
  if (ended === undefined) return;
  await announceUnfinished(sql, accountId);
  await addAccountEvent(sql, accountId, { type: 'file.finished', fileId, fileType: ended[0], status }, nowMs);
}

function storedOrStale(changed: readonly unknown[]): 'stored' | 'stale' {
  return changed.length === 0 ? 'stale' : 'stored';
}
