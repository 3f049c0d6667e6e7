/** The mark of a copy that is on its way into a database. It keeps everything else out until the copy is whole. */
import { type CopyMark, type CopyOrigin, type CopyPlace, unfinishedCopyText } from '../../port/copy.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { type Sql, statement } from '../sql.ts';

type MarkRow = [source: string, tablesDigest: string, writeNumber: number, accountId: number, order: number];

export const READ_COPY_MARK = statement<MarkRow>(
  'read copy mark',
  'SELECT source, tables_digest, write_number, account_id, upload_order FROM copy_mark',
);
const SET = statement<[]>(
  'set copy mark',
  `INSERT INTO copy_mark (only_row, source, tables_digest, write_number, account_id, upload_order)
   VALUES (1, $1, $2, $3, 0, 0)`,
);
const MOVE = statement<[1]>(
  'move copy mark',
  'UPDATE copy_mark SET account_id = $3, upload_order = $4 WHERE account_id = $1 AND upload_order = $2 RETURNING 1',
);
const REMOVE = statement<[]>('remove copy mark', 'DELETE FROM copy_mark');

export function copyMarkOf([row]: readonly MarkRow[]): CopyMark | undefined {
  if (row === undefined) return undefined;
  const [source, tablesDigest, writeNumber, accountId, order] = row;
  return { source, tablesDigest, writeNumber, accountId, order };
}

/** For whoever opens the database. */
export function refuseUnfinishedCopy(rows: readonly MarkRow[]): void {
  const mark = copyMarkOf(rows);
  if (mark !== undefined) throw new StoreUnavailableError(unfinishedCopyText(mark.source));
}

export async function setMark(sql: Sql, { source, tablesDigest, writeNumber }: CopyOrigin): Promise<void> {
  await sql.run(SET, [source, tablesDigest, writeNumber]);
}

/** False when it does not stand at `from`. Waits for another copy that moves it at the same time. */
export async function moveMark(sql: Sql, from: CopyPlace, to: CopyPlace): Promise<boolean> {
  return (await sql.run(MOVE, [from.accountId, from.order, to.accountId, to.order])).length === 1;
}

export async function removeMark(sql: Sql): Promise<void> {
  await sql.run(REMOVE);
}
