/** In charge of the mark of a copy that is on its way into this database, and of keeping everybody else out until then. */
import { type CopyMark, type CopyOrigin, type CopyPlace, unfinishedCopyText } from '../port/copy.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import { type Connection, statement } from './engine.ts';

const READ = statement<
  [source: string, tablesDigest: string, writeNumber: number, accountId: number, uploadOrder: number]
>('copy_mark_read', 'SELECT source, tables_digest, write_number, account_id, upload_order FROM copy_mark');
const SET = statement<[]>('copy_mark_set', 'INSERT INTO copy_mark VALUES (1, $1, $2, $3, 0, 0)');
const MOVE = statement<[1]>(
  'copy_mark_move',
  `UPDATE copy_mark SET account_id = $3, upload_order = $4 WHERE account_id = $1 AND upload_order = $2 RETURNING 1`,
);
const REMOVE = statement<[]>('copy_mark_remove', 'DELETE FROM copy_mark');

export async function readMark(connection: Connection): Promise<CopyMark | undefined> {
  const [row] = await connection.run(READ);
  if (row === undefined) return undefined;
  const [source, tablesDigest, writeNumber, accountId, order] = row;
  return { source, tablesDigest, writeNumber, accountId, order };
}

export async function setMark(
  connection: Connection,
  { source, tablesDigest, writeNumber }: CopyOrigin,
): Promise<void> {
  await connection.run(SET, [source, tablesDigest, writeNumber]);
}

/** False when it does not stand where it is said to. Another copy that moves it at the same time is waited for. */
export async function moveMark(connection: Connection, from: CopyPlace, to: CopyPlace): Promise<boolean> {
  const moved = await connection.run(MOVE, [from.accountId, from.order, to.accountId, to.order]);
  return moved.length === 1;
}

export async function removeMark(connection: Connection): Promise<void> {
  await connection.run(REMOVE);
}

export async function refuseUnfinishedCopy(connection: Connection): Promise<void> {
  const mark = await readMark(connection);
  if (mark !== undefined) throw new StoreUnavailableError(unfinishedCopyText(mark.source));
}
