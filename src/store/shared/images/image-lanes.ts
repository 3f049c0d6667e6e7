/**
 * Decides which images are fetched next: the images that are due longest, within limits per host and account.
 *
 * An image waits in the lane of its host and of the account that it is charged to (see port/images.ts). Accounts take turns, and so do
 * the lanes of an account. `turn_ms` is when their turn comes: not before an image is due, and after a check not before its end. So a
 * long queue at one host or account does not starve others, and an account gains nothing by using a host per image.
 *
 * Hosts and accounts at their limit are counted from the leases in the queue. Everything here runs under `lockImages`.
 */
import type { ImageLimits } from '../../port/images.ts';
import { insertStatement, listsOf, rowsStatement, type Sql, statement, type WriteSql } from '../sql.ts';

/** An arbitrary number that no other program locks on the same database. */
const LOCK_KEY = 7_203_451_987;
/** Maximum number of lanes of one account that a scan reads. Lanes whose host is at its limit do not count. */
const LANES_TOGETHER = 8;

export interface Lane {
  readonly accountId: number;
  readonly host: string;
}

export interface WaitingLane extends Lane {
  /** The account's turn or the lane's turn, whichever is later. */
  readonly turnMs: number;
  /** Number of images in flight from this host, in any lane. */
  readonly ofHost: number;
  /** Number of images in flight for this account, in any lane. */
  readonly ofAccount: number;
}

const OF_ACCOUNT = `(SELECT count(*) FROM image_queue q
     WHERE q.account_id = image_account.account_id AND q.fence <> 0 AND q.due_ms > $1)`;
const OF_HOST = `(SELECT count(*) FROM image_queue q
     WHERE q.host = image_lane.host AND q.fence <> 0 AND q.due_ms > $1)`;
/** Computed once per scan and not per lane: 1,000 accounts may wait at one full host. */
const FULL_HOSTS = `(SELECT q.host FROM image_queue q WHERE q.fence <> 0 AND q.due_ms > $1
     GROUP BY q.host HAVING count(*) >= $3)`;
const FULL_ACCOUNTS = `(SELECT q.account_id FROM image_queue q WHERE q.fence <> 0 AND q.due_ms > $1
     GROUP BY q.account_id HAVING count(*) >= $2)`;
const DUE = `(SELECT min(q.due_ms) FROM image_queue q
     WHERE q.account_id = image_lane.account_id AND q.host = image_lane.host)`;
const FIRST_LANE = '(SELECT min(l.turn_ms) FROM image_lane l WHERE l.account_id = image_account.account_id)';

const ACCOUNTS = statement<[accountId: number, turnMs: number, underWay: number]>('find image accounts in turn')`
  SELECT account_id, turn_ms, ${OF_ACCOUNT} FROM image_account
  WHERE turn_ms <= $1 AND account_id NOT IN ${FULL_ACCOUNTS} AND EXISTS (
    SELECT 1 FROM image_lane l
    WHERE l.account_id = image_account.account_id AND l.turn_ms <= $1 AND l.host NOT IN ${FULL_HOSTS})
  ORDER BY turn_ms, account_id LIMIT $4`;
const LANES_OF = (account: string) => `SELECT account_id, host, turn_ms, ${OF_HOST} AS under_way FROM image_lane
   WHERE account_id = ${account} AND turn_ms <= $1 AND host NOT IN ${FULL_HOSTS}
   ORDER BY turn_ms, host LIMIT ${LANES_TOGETHER}`;
const LANES = rowsStatement<[accountId: number, host: string, turnMs: number, underWay: number]>(
  'find image lanes in turn',
  `SELECT l.account_id, l.host, l.turn_ms, l.under_way FROM unnest($2::bigint[]) AS a (account_id)
   CROSS JOIN LATERAL (${LANES_OF('a.account_id')}) l`,
  LANES_OF('$2'),
);
/** Statements on the turns in a table. `nextMs`: the next turn, null if nothing waits there. `lists` has the keys of many rows. */
function turnsIn(table: string, keys: readonly string[], lists: string, nextMs: string) {
  const ofRow = keys.map((key, index) => `${key} = $${index + 1}`).join(' AND ');
  const ofRows = `${lists} AS i (${keys.join(', ')}) WHERE ${keys.map((key) => `${table}.${key} = i.${key}`).join(' AND ')}`;
  const earlier = `DO UPDATE SET turn_ms = excluded.turn_ms WHERE ${table}.turn_ms > excluded.turn_ms` as const;
  return {
    give: insertStatement(`give turns in ${table}`, table, ['turn_ms'], earlier, keys),
    set: statement<[]>(`set turn in ${table}`)`UPDATE ${table} SET turn_ms = $${keys.length + 1} WHERE ${ofRow}`,
    move: rowsStatement<[]>(`move turns in ${table}`)`
      UPDATE ${table} SET turn_ms = ${nextMs} FROM ${ofRows} AND turn_ms < ${nextMs}`,
    drop: rowsStatement<[]>(`drop turns in ${table}`)`DELETE FROM ${table} USING ${ofRows} AND ${nextMs} IS NULL`,
  };
}

const OF_LANES = turnsIn('image_lane', ['account_id', 'host'], 'unnest($1::bigint[], $2::text[])', DUE);
const OF_ACCOUNTS = turnsIn('image_account', ['account_id'], 'unnest($1::bigint[])', FIRST_LANE);

/**
 * Locks the image queue and returns the time. There is one lock, because limits count hosts and accounts at once: row locks taken in
 * different orders would deadlock. Such a transaction is short compared to a download.
 */
export function lockImages(sql: WriteSql): Promise<number> {
  return sql.lock(LOCK_KEY);
}

/** Returns lanes whose host and account are below their limits. */
export async function lanesInTurn(
  sql: Sql,
  { limit, perHost, perAccount }: ImageLimits,
  nowMs: number,
): Promise<readonly WaitingLane[]> {
  const accounts = await sql.run(ACCOUNTS, [nowMs, perAccount, perHost, limit]);
  const lanes = await sql.run(LANES, [nowMs, accounts.map(([accountId]) => accountId), perHost]);
  const ofAccounts = new Map(accounts.map(([accountId, turnMs, ofAccount]) => [accountId, { turnMs, ofAccount }]));
  return lanes.map(([accountId, host, laneMs, ofHost]) => {
    const { turnMs, ofAccount } = ofAccounts.get(accountId) ?? { turnMs: 0, ofAccount: 0 };
    return { accountId, host, turnMs: Math.max(turnMs, laneMs), ofHost, ofAccount };
  });
}

/** Gives the lanes a turn now, because images are due there. */
export async function scheduleLanes(sql: Sql, lanes: readonly Lane[], nowMs: number): Promise<void> {
  const each = [...new Map(lanes.map((lane) => [`${lane.accountId} ${lane.host}`, lane])).values()];
  const accountIds = each.map(({ accountId }) => accountId);
  await Promise.all([
    sql.run(OF_LANES.give, [nowMs, accountIds, each.map(({ host }) => host)]),
    sql.run(OF_ACCOUNTS.give, [nowMs, [...new Set(accountIds)]]),
  ]);
}

/** After a check, moves the lane and its account behind the lanes and accounts that already wait. */
export async function goBehind(sql: Sql, { accountId, host }: Lane, nowMs: number): Promise<void> {
  await Promise.all([sql.run(OF_LANES.set, [accountId, host, nowMs]), sql.run(OF_ACCOUNTS.set, [accountId, nowMs])]);
}

/** Sets the turns of lanes to when their next image is due, after a take. Empty lanes are dropped. */
export async function rescheduleLanes(sql: Sql, lanes: readonly Lane[]): Promise<void> {
  const columns = listsOf(lanes, 'accountId', 'host');
  await Promise.all([sql.run(OF_LANES.move, columns), sql.run(OF_LANES.drop, columns)]);
  const each = [...new Set(columns[0])];
  await Promise.all([sql.run(OF_ACCOUNTS.move, [each]), sql.run(OF_ACCOUNTS.drop, [each])]);
}

/**
 * Picks the images that have waited longest, within the limits. An image waits from its due time or the turn of its lane, if that is later.
 */
export function pickImages<Image extends { readonly lane: WaitingLane; readonly dueMs: number }>(
  due: readonly Image[],
  { limit, perHost, perAccount }: ImageLimits,
): readonly Image[] {
  const hosts = new Map(due.map(({ lane }) => [lane.host, lane.ofHost]));
  const accounts = new Map(due.map(({ lane }) => [lane.accountId, lane.ofAccount]));
  const sinceMs = ({ lane, dueMs }: Image) => Math.max(lane.turnMs, dueMs);
  const picked: Image[] = [];
  for (const image of due.toSorted((one, other) => sinceMs(one) - sinceMs(other))) {
    const { host, accountId } = image.lane;
    const [ofHost, ofAccount] = [hosts.get(host) ?? 0, accounts.get(accountId) ?? 0];
    if (picked.length === limit || ofHost >= perHost || ofAccount >= perAccount) continue;
    hosts.set(host, ofHost + 1);
    accounts.set(accountId, ofAccount + 1);
    picked.push(image);
  }
  return picked;
}
