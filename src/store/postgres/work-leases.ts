/**
 * In charge of who does the background work of which account, over all processes. Nobody waits for a lock: a candidate is
 * looked up, and taken by a statement that changes it only if nobody else was quicker.
 */
import type { WorkFigures, WorkLease } from '../port/work.ts';
import { type Connection, statement } from './engine.ts';
import { STORE_MS } from './store-time.ts';

/** How an announcement meets a row that is there. */
export const ANNOUNCE_AGAIN = `DO UPDATE SET
     due_ms = LEAST(work_lease.due_ms, excluded.due_ms),
     announced_due_ms = LEAST(work_lease.announced_due_ms, excluded.due_ms)`;

const ANNOUNCE = statement<[]>(
  'announce work',
  `INSERT INTO work_lease (kind, account_id, due_ms) VALUES ($1, $2, ${STORE_MS} + $3::bigint)
   ON CONFLICT (kind, account_id) ${ANNOUNCE_AGAIN}`,
);
const ANNOUNCE_MISSING = statement<[]>(
  'announce missing work',
  `INSERT INTO work_lease (kind, account_id, due_ms)
   SELECT i.kind, i.account_id, ${STORE_MS} FROM unnest($1::text[], $2::bigint[]) AS i (kind, account_id)
   ON CONFLICT (kind, account_id) DO NOTHING`,
);
const CANDIDATES = statement<[accountId: number]>(
  'find due work',
  `SELECT account_id FROM work_lease WHERE kind = $1 AND due_ms <= ${STORE_MS} AND lease_ends_ms <= ${STORE_MS}
   ORDER BY due_ms, account_id LIMIT 8`,
);
const TAKE = statement<[fence: number]>(
  'take work',
  `UPDATE work_lease SET holder = $3, lease_ends_ms = ${STORE_MS} + $4::bigint, fence = nextval('write_number'),
     announced_due_ms = NULL
   WHERE kind = $1 AND account_id = $2 AND due_ms <= ${STORE_MS} AND lease_ends_ms <= ${STORE_MS}
   RETURNING fence`,
);
const RENEW = statement<[one: number]>(
  'renew work',
  `UPDATE work_lease SET lease_ends_ms = ${STORE_MS} + $4::bigint WHERE kind = $1 AND account_id = $2 AND fence = $3
   RETURNING 1`,
);
const DROP = statement<[one: number]>(
  'drop finished work',
  `DELETE FROM work_lease WHERE kind = $1 AND account_id = $2 AND fence = $3 AND announced_due_ms IS NULL
   RETURNING 1`,
);
/** LEAST looks past null: the time that was announced, the one that is given, or the earlier of the two. */
const PUT_BACK = statement<[one: number]>(
  'put work back',
  `UPDATE work_lease SET due_ms = LEAST(announced_due_ms, ${STORE_MS} + $4::bigint),
     announced_due_ms = NULL, holder = NULL, lease_ends_ms = 0, fence = 0
   WHERE kind = $1 AND account_id = $2 AND fence = $3
   RETURNING 1`,
);
const FIGURES = statement<[kind: string, due: number, oldestDue_ms: number]>(
  'read work figures',
  `SELECT kind, count(*), ${STORE_MS} - min(due_ms) FROM work_lease
   WHERE due_ms <= ${STORE_MS} AND lease_ends_ms <= ${STORE_MS}
   GROUP BY kind ORDER BY kind`,
);

/** Each candidate that was lost is work that another process has: those that lost look again, this often at most. */
const LOOKS_MAX = 5;

export async function announceWork(
  connection: Connection,
  kind: string,
  accountId: number,
  delay_ms: number,
): Promise<void> {
  await connection.run(ANNOUNCE, [kind, accountId, delay_ms]);
}

/** Leaves work that was announced before as it is, whoever has it. */
export async function announceMissing(
  connection: Connection,
  work: readonly { readonly kind: string; readonly accountId: number }[],
): Promise<void> {
  if (work.length === 0) return;
  await connection.run(ANNOUNCE_MISSING, [work.map(({ kind }) => kind), work.map(({ accountId }) => accountId)]);
}

export async function takeWork(
  connection: Connection,
  kind: string,
  holder: string,
  lease_ms: number,
): Promise<WorkLease | undefined> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const candidates = await connection.run(CANDIDATES, [kind]);
    if (candidates.length === 0) return undefined;
    for (const [accountId] of candidates) {
      const [taken] = await connection.run(TAKE, [kind, accountId, holder, lease_ms]);
      if (taken !== undefined) return { kind, accountId, fence: taken[0] };
    }
  }
  return undefined;
}

export async function renewWork(
  connection: Connection,
  { kind, accountId, fence }: WorkLease,
  lease_ms: number,
): Promise<'held' | 'lost'> {
  const renewed = await connection.run(RENEW, [kind, accountId, fence, lease_ms]);
  return renewed.length === 0 ? 'lost' : 'held';
}

/** Between the two statements only an announcement can come, and the second one looks at it. */
export async function finishWork(
  connection: Connection,
  { kind, accountId, fence }: WorkLease,
  next_delay_ms: number | undefined,
): Promise<'finished' | 'lost'> {
  const key = [kind, accountId, fence];
  if (next_delay_ms === undefined && (await connection.run(DROP, key)).length > 0) return 'finished';
  const putBack = await connection.run(PUT_BACK, [...key, next_delay_ms ?? null]);
  return putBack.length === 0 ? 'lost' : 'finished';
}

export async function readWorkFigures(connection: Connection): Promise<WorkFigures[]> {
  return (await connection.run(FIGURES)).map(([kind, due, oldestDue_ms]) => ({ kind, due, oldestDue_ms }));
}
