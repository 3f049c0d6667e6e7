/** The commands of request counts by account and minute, and of when credential sets were last used. */
import type { AccountMinute, KeyUse, MinuteCounts } from '../../port/traffic.ts';
import { snapshot, write } from '../command.ts';
import { type Statement, statement } from '../sql.ts';

/** Some milliseconds of SQLite's writer. */
const DROPPED_MAX = 5_000;

/** One by one, the counts of 10,000 accounts would take PostgreSQL longer than a call may last. */
const ADDED_TOGETHER = 100;
const ADD_ONE = addStatement('add request counts of one account', 1);
const ADD_MANY = addStatement('add request counts of many accounts', ADDED_TOGETHER);
const OF_ACCOUNT = statement<[minute: number, requests: number, errors: number, refused: number]>(
  'read request counts',
  `SELECT minute, requests, errors, refused FROM request_count WHERE account_id = $1 AND minute >= $2
   ORDER BY minute`,
);
const OF_MINUTE = statement<[accountId: number, requests: number, errors: number, refused: number]>(
  'read requests of minute',
  'SELECT account_id, requests, errors, refused FROM request_count WHERE minute = $1',
);
const DROP = statement<[one: number]>(
  'drop request counts',
  `DELETE FROM request_count WHERE (account_id, minute) IN (
     SELECT account_id, minute FROM request_count WHERE minute < $1 ORDER BY minute LIMIT ${DROPPED_MAX})
   RETURNING 1`,
);
const NOTE_USE = statement<[]>(
  'note use of credential',
  `UPDATE credential SET last_used_ms = $2 WHERE user_name = $1 AND (last_used_ms IS NULL OR last_used_ms < $2)`,
);

/** In one order, so that no two processes wait for each other; so it is with the uses of keys. */
const addRequestCounts = write(async (sql, counts: readonly AccountMinute[]): Promise<void> => {
  const rows = counts
    .toSorted((one, other) => one.accountId - other.accountId || one.minute - other.minute)
    .map(({ accountId, minute, requests, errors, refused }) => [accountId, minute, requests, errors, refused]);
  const together = rows.length - (rows.length % ADDED_TOGETHER);
  for (let from = 0; from < together; from += ADDED_TOGETHER) {
    await sql.run(ADD_MANY, rows.slice(from, from + ADDED_TOGETHER).flat());
  }
  await Promise.all(rows.slice(together).map((row) => sql.run(ADD_ONE, row)));
});

const readRequestCounts = snapshot(
  async (sql, accountId: number, fromMinute: number): Promise<readonly MinuteCounts[]> => {
    const rows = await sql.run(OF_ACCOUNT, [accountId, fromMinute]);
    return rows.map(([minute, requests, errors, refused]) => ({ minute, requests, errors, refused }));
  },
);

const readMinute = snapshot(async (sql, minute: number): Promise<readonly AccountMinute[]> => {
  const rows = await sql.run(OF_MINUTE, [minute]);
  return rows.map(([accountId, requests, errors, refused]) => ({ accountId, minute, requests, errors, refused }));
});

const dropRequestCounts = write(async (sql, beforeMinute: number): Promise<boolean> => {
  return (await sql.run(DROP, [beforeMinute])).length === DROPPED_MAX;
});

const noteKeyUses = write(async (sql, uses: readonly KeyUse[]): Promise<void> => {
  const inOrder = uses.toSorted((one, other) => (one.user < other.user ? -1 : 1));
  await Promise.all(inOrder.map(({ user, usedMs }) => sql.run(NOTE_USE, [user, usedMs])));
});

export const traffic = { addRequestCounts, readRequestCounts, readMinute, dropRequestCounts, noteKeyUses };

function addStatement(name: string, rows: number): Statement<[]> {
  const places = (row: number) => [1, 2, 3, 4, 5].map((column) => `$${row * 5 + column}`);
  return statement(
    name,
    `INSERT INTO request_count (account_id, minute, requests, errors, refused)
     VALUES ${Array.from({ length: rows }, (_, row) => `(${places(row).join(', ')})`).join(', ')}
     ON CONFLICT (account_id, minute) DO UPDATE SET requests = request_count.requests + excluded.requests,
       errors = request_count.errors + excluded.errors, refused = request_count.refused + excluded.refused`,
  );
}
