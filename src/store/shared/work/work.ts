/** The commands of work leases: which process does the background work of which account. */
import type { WorkFigures, WorkLease } from '../../port/work.ts';
import { snapshot, write } from '../command.ts';
import { STORE_MS, statement } from '../sql.ts';
import { announceWork as announce } from './announcements.ts';

const CAN_BE_TAKEN = `due_ms <= ${STORE_MS} AND lease_ends_ms <= ${STORE_MS}`;

const CANDIDATES = statement<[accountId: number]>(
  'find due work',
  `SELECT account_id FROM work_lease WHERE kind = $1 AND ${CAN_BE_TAKEN} ORDER BY due_ms, account_id LIMIT 8`,
);
const TAKE = statement<[one: number]>(
  'take work',
  `UPDATE work_lease SET holder = $3, lease_ends_ms = ${STORE_MS} + CAST($4 AS bigint), announced_due_ms = NULL
   WHERE kind = $1 AND account_id = $2 AND ${CAN_BE_TAKEN} RETURNING 1`,
);
const FENCE = statement<[]>('fence work', 'UPDATE work_lease SET fence = $3 WHERE kind = $1 AND account_id = $2');
const RENEW = statement<[one: number]>(
  'renew work',
  `UPDATE work_lease SET lease_ends_ms = ${STORE_MS} + CAST($4 AS bigint)
   WHERE kind = $1 AND account_id = $2 AND fence = $3 RETURNING 1`,
);
const DROP = statement<[one: number]>(
  'drop finished work',
  `DELETE FROM work_lease WHERE kind = $1 AND account_id = $2 AND fence = $3 AND announced_due_ms IS NULL
   RETURNING 1`,
);
/** The time that was announced, the one that is given, or the earlier of the two. */
const PUT_BACK = statement<[one: number]>(
  'put work back',
  `UPDATE work_lease SET
     due_ms = CASE WHEN CAST($4 AS bigint) IS NULL OR announced_due_ms < ${STORE_MS} + CAST($4 AS bigint)
       THEN announced_due_ms ELSE ${STORE_MS} + CAST($4 AS bigint) END,
     announced_due_ms = NULL, holder = NULL, lease_ends_ms = 0, fence = 0
   WHERE kind = $1 AND account_id = $2 AND fence = $3 RETURNING 1`,
);
const FIGURES = statement<[kind: string, due: number, oldestDue_ms: number]>(
  'read work figures',
  `SELECT kind, count(*), ${STORE_MS} - min(due_ms) FROM work_lease WHERE ${CAN_BE_TAKEN}
   GROUP BY kind ORDER BY kind`,
);

/** Each candidate that was lost is work that another process has: those that lost look again, this often at most. */
const LOOKS_MAX = 5;

const announceWork = write((sql, kind: string, accountId: number, delay_ms: number): Promise<void> => {
  return announce(sql, kind, accountId, delay_ms);
});

const takeWork = write(async (sql, kind: string, holder: string, lease_ms: number): Promise<WorkLease | undefined> => {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const candidates = await sql.run(CANDIDATES, [kind]);
    if (candidates.length === 0) return undefined;
    for (const [accountId] of candidates) {
      if ((await sql.run(TAKE, [kind, accountId, holder, lease_ms])).length === 0) continue;
      // Drawn while the row is locked: higher than the fence of every lease before.
      const fence = await sql.drawNumber();
      await sql.run(FENCE, [kind, accountId, fence]);
      return { kind, accountId, fence };
    }
  }
  return undefined;
});

const renewWork = write(
  async (sql, { kind, accountId, fence }: WorkLease, lease_ms: number): Promise<'held' | 'lost'> => {
    const renewed = await sql.run(RENEW, [kind, accountId, fence, lease_ms]);
    return renewed.length === 0 ? 'lost' : 'held';
  },
);

/** Between the two statements only an announcement can come, and the second one looks at it. */
const finishWork = write(
  async (
    sql,
    { kind, accountId, fence }: WorkLease,
    next_delay_ms: number | undefined,
  ): Promise<'finished' | 'lost'> => {
    const key = [kind, accountId, fence];
    if (next_delay_ms === undefined && (await sql.run(DROP, key)).length > 0) return 'finished';
    const putBack = await sql.run(PUT_BACK, [...key, next_delay_ms ?? null]);
    return putBack.length === 0 ? 'lost' : 'finished';
  },
);

const readWorkFigures = snapshot(async (sql): Promise<readonly WorkFigures[]> => {
  return (await sql.run(FIGURES)).map(([kind, due, oldestDue_ms]) => ({ kind, due, oldestDue_ms }));
});

export const work = { announceWork, takeWork, renewWork, finishWork, readWorkFigures };
