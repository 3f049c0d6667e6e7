/** Records files from the upload address until they are submitted, and removes them. */
import { type FileStore, fileKind } from '../../port/files.ts';
import { keptWrite } from '../command.ts';
import { statement } from '../sql.ts';
import { announceWork } from '../work.ts';
import { OF_KEY } from './file-row.ts';
import { readFile } from './lists.ts';

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

export const dropFile = keptWrite<FileStore['dropFile']>(async (sql, accountId, fileId) => {
  await sql.run(DROP, [accountId, fileId]);
});
