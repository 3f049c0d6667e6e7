/** Moves the progress of bulk files, and ends them. */
import type { FileType } from '../../../domain/vocabulary/file-types.ts';
import type { FileStore } from '../../port/files.ts';
import { keptWrite } from '../command.ts';
import { addAccountEvent } from '../feed/event-rows.ts';
import { statement, type WriteSql } from '../sql.ts';
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
