/** Leases background work of accounts to processes. Work is announced within the transaction of the write that causes it. */
import type { WorkLease, WorkSize, WorkStore } from '../port/work.ts';
import { read, snapshot, undone, write } from './command.ts';
import { rowsOf, rowsStatement, type Sql, STORE_MS, statement } from './sql.ts';

/**
 * How an announcement updates an existing row. PostgreSQL always locks the row, but writes it only if something
 * changes; most announcements during an upload change nothing.
 */
export const ANNOUNCE_AGAIN = `ON CONFLICT (kind, account_id) DO UPDATE SET
     due_ms = CASE WHEN work_lease.due_ms < excluded.due_ms THEN work_lease.due_ms ELSE excluded.due_ms END,
     announced_due_ms = CASE WHEN work_lease.announced_due_ms < excluded.due_ms THEN work_lease.announced_due_ms
       ELSE excluded.due_ms END
   WHERE work_lease.due_ms > excluded.due_ms OR (work_lease.fence <> 0
     AND (work_lease.announced_due_ms IS NULL OR work_lease.announced_due_ms > excluded.due_ms))`;

/** See `announcement` for the values. */
export const ANNOUNCE = statement<[]>('announce work')`
  INSERT INTO work_lease (kind, account_id, due_ms, backlog) VALUES ($1, $2, ${STORE_MS} + CAST($3 AS bigint), $4)
  ${ANNOUNCE_AGAIN}`;
/**
 * Keeps existing announcements and leases. Inserts in one order, to prevent deadlocks with announcements of several kinds for one account.
 */
export const ANNOUNCE_MISSING = rowsStatement<[]>(
  'announce missing work',
  `INSERT INTO work_lease (kind, account_id, due_ms)
   SELECT i.kind, i.account_id, ${STORE_MS} FROM unnest($1::text[], $2::bigint[]) AS i (kind, account_id)
   ORDER BY i.kind COLLATE "C", i.account_id
   ON CONFLICT (kind, account_id) DO NOTHING`,
  `INSERT INTO work_lease (kind, account_id, due_ms) VALUES ($1, $2, ${STORE_MS})
   ON CONFLICT (kind, account_id) DO NOTHING`,
);

/** Announces work. Callers that announce several kinds do so in a fixed order, so that they do not deadlock. */
export async function announceWork(
  sql: Sql,
  kind: string,
  accountId: number,
  delay_ms: number,
  size: WorkSize = 'fresh',
): Promise<void> {
  await sql.run(ANNOUNCE, announcement(kind, accountId, delay_ms, size));
}

export function announcement(kind: string, accountId: number, delay_ms: number, size: WorkSize) {
  return [kind, accountId, delay_ms, size === 'fresh' ? 0 : 1];
}

const CAN_BE_TAKEN = `due_ms <= ${STORE_MS} AND lease_ends_ms <= ${STORE_MS}`;

const CANDIDATE = statement<[accountId: number]>('find due work')`
  SELECT account_id FROM work_lease WHERE kind = $1 AND ${CAN_BE_TAKEN} ORDER BY due_ms, account_id LIMIT 1`;
const FRESH_CANDIDATE = statement<[accountId: number]>('find fresh work')`
  SELECT account_id FROM work_lease WHERE kind = $1 AND backlog = 0 AND ${CAN_BE_TAKEN} ORDER BY due_ms DESC LIMIT 1`;
const TAKE = statement<[one: number]>('take work')`
  UPDATE work_lease SET holder = $3, lease_ends_ms = ${STORE_MS} + CAST($4 AS bigint), announced_due_ms = NULL
  WHERE kind = $1 AND account_id = $2 AND ${CAN_BE_TAKEN} RETURNING 1`;
const FENCE = statement<[]>('fence work')`UPDATE work_lease SET fence = $3 WHERE kind = $1 AND account_id = $2`;
const RENEW = statement<[one: number]>('renew work')`
  UPDATE work_lease SET lease_ends_ms = ${STORE_MS} + CAST($4 AS bigint)
  WHERE kind = $1 AND account_id = $2 AND fence = $3 RETURNING 1`;
const ATTENDED = statement<[one: number]>('find attended work')`
  SELECT 1 FROM work_lease WHERE kind = $1 AND account_id = $2
    AND (lease_ends_ms > ${STORE_MS} OR due_ms > ${STORE_MS} - CAST($3 AS bigint))`;
const DROP = statement<[one: number]>('drop finished work')`
  DELETE FROM work_lease WHERE kind = $1 AND account_id = $2 AND fence = $3 AND announced_due_ms IS NULL
  RETURNING 1`;
/**
 * Makes the work due at the announced time or the given time, whichever is earlier. Either may be absent. Work that is not done is a
 * backlog. It queues behind the work that was announced meanwhile, so an account that is announced all the time does not starve others.
 */
const PUT_BACK = statement<[one: number]>('put work back')`
  UPDATE work_lease SET
    due_ms = CASE WHEN CAST($4 AS bigint) IS NULL THEN announced_due_ms
      WHEN announced_due_ms < ${STORE_MS} THEN ${STORE_MS}
      WHEN announced_due_ms < ${STORE_MS} + CAST($4 AS bigint) THEN announced_due_ms
      ELSE ${STORE_MS} + CAST($4 AS bigint) END,
    backlog = CASE WHEN CAST($4 AS bigint) IS NULL THEN 0 ELSE 1 END,
    announced_due_ms = NULL, holder = NULL, lease_ends_ms = 0, fence = 0
  WHERE kind = $1 AND account_id = $2 AND fence = $3 RETURNING 1`;
const FIGURES = statement<[kind: string, due: number, oldestDue_ms: number]>('read work figures')`
  SELECT kind, count(*), ${STORE_MS} - min(due_ms) FROM work_lease WHERE ${CAN_BE_TAKEN}
  GROUP BY kind ORDER BY kind`;

/** Maximum number of attempts to take work. An attempt fails only if another process was faster. */
export const TAKES_MAX = 40;

type TakeOnce = (...args: Parameters<WorkStore['takeWork']>) => Promise<WorkLease | 'again' | undefined>;

/**
 * `again`: another process took it. The transaction ends then, because on PostgreSQL it
 * would keep a lock on that row while waiting for further rows.
 */
export const takeWork = write<TakeOnce>(async (sql, kind, holder, lease_ms, order) => {
  const [candidate] = await sql.run(order === 'fresh' ? FRESH_CANDIDATE : CANDIDATE, [kind]);
  if (candidate === undefined) return undefined;
  const [accountId] = candidate;
  if ((await sql.run(TAKE, [kind, accountId, holder, lease_ms])).length === 0) return undone('again');
  // Drawn under the row lock: higher than the fence of every earlier lease.
  const fence = await sql.drawNumber();
  await sql.run(FENCE, [kind, accountId, fence]);
  return { kind, accountId, fence };
});

export const renewWork = write<WorkStore['renewWork']>(async (sql, { kind, accountId, fence }, lease_ms) => {
  const renewed = await sql.run(RENEW, [kind, accountId, fence, lease_ms]);
  return renewed.length === 0 ? 'lost' : 'held';
});

/** Only an announcement can come between the two statements, and the second one handles it. */
export const finishWork = write<WorkStore['finishWork']>(async (sql, { kind, accountId, fence }, next_delay_ms) => {
  const key = [kind, accountId, fence];
  if (next_delay_ms === undefined && (await sql.run(DROP, key)).length > 0) return 'finished';
  const putBack = await sql.run(PUT_BACK, [...key, next_delay_ms ?? null]);
  return putBack.length === 0 ? 'lost' : 'finished';
});

export const isWorkAttended = read<WorkStore['isWorkAttended']>(async (sql, kind, accountId, due_ms_max) => {
  return (await sql.run(ATTENDED, [kind, accountId, due_ms_max])).length > 0;
});

export const readWorkFigures = snapshot<WorkStore['readWorkFigures']>(
  rowsOf(FIGURES, ([kind, due, oldestDue_ms]) => ({ kind, due, oldestDue_ms })),
);
