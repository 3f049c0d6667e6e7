/** Stores request counts by account and minute, and the last use of credential sets. */
import type { AccountMinute, MinuteCounts, RequestCountStore } from '../../port/traffic.ts';
import { snapshot, write } from '../command.ts';
import { columnsOf } from '../records.ts';
import { dropSome, insertStatement, listsOf, rowsOf, rowsStatement, statement } from '../sql.ts';

/** How many counts are dropped at a time. This takes SQLite's writer a few milliseconds. */
const DROPPED_MAX = 5_000;

const ALL_COUNTS = columnsOf<AccountMinute>()('accountId', 'minute', 'requests', 'errors', 'refused');
const ADD_UP = `DO UPDATE SET requests = request_count.requests + excluded.requests,
   errors = request_count.errors + excluded.errors, refused = request_count.refused + excluded.refused` as const;
const ADD = insertStatement('add request counts', 'request_count', [], ADD_UP, ALL_COUNTS.names);
const COUNTS = columnsOf<MinuteCounts>()('minute', 'requests', 'errors', 'refused');
const OF_ACCOUNT = statement('read request counts')`
  SELECT ${COUNTS.list} FROM request_count WHERE account_id = $1 AND minute >= $2 ORDER BY minute`;
const OF_MINUTE = statement('read requests of minute')`SELECT ${ALL_COUNTS.list} FROM request_count WHERE minute = $1`;
const NOTE_USES = rowsStatement<[]>('note use of credential')`
  UPDATE credential SET last_used_ms = i.used_ms
  FROM unnest($1::text[], $2::bigint[]) AS i (user_name, used_ms)
  WHERE credential.user_name = i.user_name
    AND (credential.last_used_ms IS NULL OR credential.last_used_ms < i.used_ms)`;

export const addRequestCounts = write<RequestCountStore['addRequestCounts']>(async (sql, counts) => {
  if (counts.length === 0) return;
  await sql.run(ADD, ALL_COUNTS.listsOf(counts));
});

export const readRequestCounts = snapshot<RequestCountStore['readRequestCounts']>(rowsOf(OF_ACCOUNT, COUNTS.of));
export const readMinute = snapshot<RequestCountStore['readMinute']>(rowsOf(OF_MINUTE, ALL_COUNTS.of));

export const dropRequestCounts = write<RequestCountStore['dropRequestCounts']>(
  { lane: 'background' },
  dropSome('drop request counts', 'request_count', 'minute < $1 ORDER BY minute', DROPPED_MAX),
);

/** Updates in order of user. If PostgreSQL chooses another order and two processes deadlock, one of them retries. */
export const noteKeyUses = write<RequestCountStore['noteKeyUses']>(async (sql, uses) => {
  if (uses.length === 0) return;
  const inOrder = uses.toSorted((one, other) => (one.user < other.user ? -1 : 1));
  await sql.run(NOTE_USES, listsOf(inOrder, 'user', 'usedMs'));
});
