/** In charge of the mark of a copy that is on its way into this database, and of keeping everybody else out until then. */
import { type CopyMark, type CopyOrigin, type CopyPlace, unfinishedCopyText } from '../port/copy.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

export function readMark(connection: Connection): CopyMark | undefined {
  const row = query<[source: string, tablesDigest: string, writeNumber: number, accountId: number, order: number]>(
    connection,
    'SELECT source, tables_digest, write_number, account_id, upload_order FROM copy_mark',
  ).get();
  if (row === undefined) return undefined;
  const [source, tablesDigest, writeNumber, accountId, order] = row;
  return { source, tablesDigest, writeNumber, accountId, order };
}

export function setMark(connection: Connection, { source, tablesDigest, writeNumber }: CopyOrigin): void {
  query(connection, 'INSERT INTO copy_mark VALUES (1, ?, ?, ?, 0, 0)').run(source, tablesDigest, writeNumber);
}

/** False when it does not stand where it is said to. */
export function moveMark(connection: Connection, from: CopyPlace, to: CopyPlace): boolean {
  const { changes } = query(
    connection,
    'UPDATE copy_mark SET account_id = ?, upload_order = ? WHERE account_id = ? AND upload_order = ?',
  ).run(to.accountId, to.order, from.accountId, from.order);
  return changes === 1;
}

export function removeMark(connection: Connection): void {
  query(connection, 'DELETE FROM copy_mark').run();
}

export function refuseUnfinishedCopy(connection: Connection): void {
  const mark = readMark(connection);
  if (mark !== undefined) throw new StoreUnavailableError(unfinishedCopyText(mark.source));
}
