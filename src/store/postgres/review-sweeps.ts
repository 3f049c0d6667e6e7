/**
 * In charge of sweeps, which mark all offers of an account as due for review: where a change of the set-up may change what
 * they are judged to be. One begins in the transaction of that change, and goes on slice by slice as background work.
 *
 * A sweep that is under way begins again: what it marked before the change may have been judged before it, too. Its row is
 * locked while a slice is marked, so that a change comes before the slice or behind it.
 */
import { REVIEW_KIND, SWEEP_KIND } from '../port/review.ts';
import { STORE_MS } from '../shared/sql.ts';
import { ANNOUNCE_AGAIN, announceWork } from '../shared/work/announcements.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { assigned, markedLast } from './review-marks.ts';
import { drawNumber } from './write-numbers.ts';

const BEGIN = statement<[]>(
  'begin sweep',
  `INSERT INTO review_sweep (account_id, cursor) VALUES ($1, 0)
   ON CONFLICT (account_id) DO UPDATE SET cursor = 0`,
);
const BEGIN_ALL = statement<[]>(
  'begin sweep of all',
  `INSERT INTO review_sweep (account_id, cursor) SELECT account_id, 0 FROM account ORDER BY account_id
   ON CONFLICT (account_id) DO UPDATE SET cursor = 0`,
);
const ANNOUNCE_ALL = statement<[]>(
  'announce sweep of all',
  `INSERT INTO work_lease (kind, account_id, due_ms)
   SELECT '${SWEEP_KIND}', account_id, ${STORE_MS} FROM account ORDER BY account_id
   ${ANNOUNCE_AGAIN}`,
);

const HOLD = statement<[cursor: number]>(
  'hold sweep',
  'SELECT cursor FROM review_sweep WHERE account_id = $1 FOR UPDATE',
);
/** No row where fewer are left than asked for. */
const SLICE_END = statement<[uploadOrder: number]>(
  'find end of sweep slice',
  `SELECT upload_order FROM offer WHERE account_id = $1 AND upload_order > $2
   ORDER BY upload_order OFFSET $3::bigint LIMIT 1`,
);
const MARK = statement<[]>(
  'mark sweep slice',
  `UPDATE offer SET ${assigned(markedLast('$2', '$3'))}
   WHERE account_id = $1 AND upload_order > $4 AND upload_order <= $5`,
);
const ADVANCE = statement<[]>('advance sweep', 'UPDATE review_sweep SET cursor = $2 WHERE account_id = $1');
const END = statement<[]>('end sweep', 'DELETE FROM review_sweep WHERE account_id = $1');

/** Behind every offer. */
const END_OF_OFFERS = Number.MAX_SAFE_INTEGER;

export async function beginSweep(connection: Connection, accountId: number): Promise<void> {
  await connection.run(BEGIN, [accountId]);
  await announceWork(connection, SWEEP_KIND, accountId, 0);
}

export async function beginSweepOfAll(connection: Connection): Promise<void> {
  await connection.run(BEGIN_ALL);
  await connection.run(ANNOUNCE_ALL);
}

export function sweep(database: Database, accountId: number, limit: number): Promise<'more' | 'done'> {
  return database.inTransaction(async (connection) => {
    const [held] = await connection.run(HOLD, [accountId]);
    if (held === undefined) return 'done';
    const [cursor] = held;
    const [end] = await connection.run(SLICE_END, [accountId, cursor, limit - 1]);
    const number = await drawNumber(connection);
    await connection.run(MARK, [accountId, number, Date.now(), cursor, end?.[0] ?? END_OF_OFFERS]);
    await announceWork(connection, REVIEW_KIND, accountId, 0);
    if (end !== undefined) {
      await connection.run(ADVANCE, [accountId, end[0]]);
      return 'more';
    }
    await connection.run(END, [accountId]);
    return 'done';
  });
}
