/** In charge of the counts of requests by account and minute, and of when credential sets were last used. */
import type { AccountMinute, KeyUse, MinuteCounts } from '../port/traffic.ts';
import { type Connection, type Database, statement } from './engine.ts';

const DROPPED_MAX = 5_000;

/** In one order, so that two processes do not each wait for a row that the other has; so it is with the uses of keys. */
const ADD = statement<[]>(
  'add request counts',
  `INSERT INTO request_count (account_id, minute, requests, errors, refused)
   SELECT i.account_id, i.minute, i.requests, i.errors, i.refused
   FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
     AS i (account_id, minute, requests, errors, refused)
   ORDER BY i.account_id, i.minute
   ON CONFLICT (account_id, minute) DO UPDATE SET requests = request_count.requests + excluded.requests,
     errors = request_count.errors + excluded.errors, refused = request_count.refused + excluded.refused`,
);
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
  `DELETE FROM request_count USING (
     SELECT account_id, minute FROM request_count WHERE minute < $1 ORDER BY minute LIMIT ${DROPPED_MAX}) AS old
   WHERE request_count.account_id = old.account_id AND request_count.minute = old.minute RETURNING 1`,
);
const NOTE_USE = statement<[]>(
  'note use of credential',
  `UPDATE credential SET last_used_ms = $2 WHERE user_name = $1 AND (last_used_ms IS NULL OR last_used_ms < $2)`,
);

export async function addRequestCounts(connection: Connection, counts: readonly AccountMinute[]): Promise<void> {
  if (counts.length === 0) return;
  await connection.run(ADD, [
    counts.map(({ accountId }) => accountId),
    counts.map(({ minute }) => minute),
    counts.map(({ requests }) => requests),
    counts.map(({ errors }) => errors),
    counts.map(({ refused }) => refused),
  ]);
}

export async function readRequestCounts(
  connection: Connection,
  accountId: number,
  fromMinute: number,
): Promise<MinuteCounts[]> {
  const rows = await connection.run(OF_ACCOUNT, [accountId, fromMinute]);
  return rows.map(([minute, requests, errors, refused]) => ({ minute, requests, errors, refused }));
}

export async function readMinute(connection: Connection, minute: number): Promise<AccountMinute[]> {
  const rows = await connection.run(OF_MINUTE, [minute]);
  return rows.map(([accountId, requests, errors, refused]) => ({ accountId, minute, requests, errors, refused }));
}

export async function dropRequestCounts(connection: Connection, beforeMinute: number): Promise<boolean> {
  return (await connection.run(DROP, [beforeMinute])).length === DROPPED_MAX;
}

/** One by one: they are few, and none is worth holding others up. */
export async function noteKeyUses(database: Database, uses: readonly KeyUse[]): Promise<void> {
  for (const { user, usedMs } of uses) await database.run(NOTE_USE, [user, usedMs]);
}
