/**
 * In charge of the turns of accounts, and of their lanes, one for each host that they have pictures at.
 *
 * `turn_ms` is a time before which nothing can be taken there, so that what is full is not looked at, however much waits.
 * Taking moves it on; what may free a picture moves it back.
 *
 * Whoever changes turns, or the queue in a way that turns follow, holds `LOCK_LANES` until the end of the transaction. One
 * lock for all: what is full depends on hosts and accounts at once, and rows that are locked one by one in different orders
 * would have processes wait in a circle. Such a transaction is about a millisecond long; looks take a hundred times that.
 */
import { LANES_TOGETHER, LANES_WOKEN } from '../shared/image-turns.ts';
import { STORE_MS } from '../shared/sql.ts';
import type { Command } from './connection.ts';
import { type Connection, statement } from './engine.ts';

/** Any number that no other program on the same database locks. */
const LOCK_KEY = 7_203_451_987;

export const LOCK_LANES = statement<[]>('lock image lanes', `SELECT FROM pg_advisory_xact_lock(${LOCK_KEY})`);

const GIVE_LANE_TURNS = statement<[]>(
  'give turns to image lanes',
  `INSERT INTO image_lane (account_id, host, turn_ms)
   SELECT account_id, host, ${STORE_MS} FROM unnest($1::bigint[], $2::text[]) AS i (account_id, host)
   ON CONFLICT (account_id, host) DO UPDATE SET turn_ms = LEAST(image_lane.turn_ms, excluded.turn_ms)`,
);
const GIVE_ACCOUNT_TURNS = statement<[]>(
  'give turns to image accounts',
  `INSERT INTO image_account (account_id, turn_ms)
   SELECT account_id, ${STORE_MS} FROM unnest($1::bigint[]) AS i (account_id)
   ON CONFLICT (account_id) DO UPDATE SET turn_ms = LEAST(image_account.turn_ms, excluded.turn_ms)`,
);
/** Some accounts that wait at the host get a turn there, each with its lane. */
const WAKE_OTHERS = statement<[]>(
  'wake image lanes of host',
  `WITH woken AS (
     UPDATE image_lane SET turn_ms = ${STORE_MS} WHERE host = $1 AND account_id IN (
       SELECT account_id FROM image_lane WHERE host = $1 AND turn_ms > ${STORE_MS}
       ORDER BY turn_ms, account_id LIMIT ${LANES_WOKEN})
     RETURNING account_id
   )
   INSERT INTO image_account (account_id, turn_ms) SELECT account_id, ${STORE_MS} FROM woken
   ON CONFLICT (account_id) DO UPDATE SET turn_ms = LEAST(image_account.turn_ms, excluded.turn_ms)`,
);

const ACCOUNTS = statement<[accountId: number, turnMs: number, underWay: number, nowMs: number]>(
  'find image accounts in turn',
  `SELECT account_id, turn_ms,
     (SELECT count(*) FROM image_queue q
      WHERE q.account_id = image_account.account_id AND fence <> 0 AND due_ms > ${STORE_MS}),
     ${STORE_MS}
   FROM image_account WHERE turn_ms <= ${STORE_MS} ORDER BY turn_ms, account_id LIMIT $1`,
);
const LANES = statement<[accountId: number, host: string, turnMs: number]>(
  'find image lanes in turn',
  `SELECT a.account_id, l.host, l.turn_ms FROM unnest($1::bigint[]) AS a (account_id)
   CROSS JOIN LATERAL (
     SELECT host, turn_ms FROM image_lane WHERE image_lane.account_id = a.account_id AND turn_ms <= $2
     ORDER BY turn_ms, host LIMIT ${LANES_TOGETHER}
   ) l`,
);

const MOVE_FULL_LANES = statement<[]>(
  'move turns of full image lanes',
  `UPDATE image_lane SET turn_ms = GREATEST(turn_ms, (
     SELECT min(due_ms) FROM image_queue q WHERE q.host = image_lane.host AND fence <> 0 AND due_ms > $3))
   FROM unnest($1::bigint[], $2::text[]) AS i (account_id, host)
   WHERE image_lane.account_id = i.account_id AND image_lane.host = i.host`,
);
const MOVE_LANES = statement<[]>(
  'move turns of image lanes',
  `UPDATE image_lane SET turn_ms = GREATEST(turn_ms, (
     SELECT min(due_ms) FROM image_queue q WHERE q.account_id = image_lane.account_id AND q.host = image_lane.host))
   FROM unnest($1::bigint[], $2::text[]) AS i (account_id, host)
   WHERE image_lane.account_id = i.account_id AND image_lane.host = i.host`,
);
const DROP_LANES = statement<[]>(
  'drop image lanes',
  `DELETE FROM image_lane USING unnest($1::bigint[], $2::text[]) AS i (account_id, host)
   WHERE image_lane.account_id = i.account_id AND image_lane.host = i.host AND NOT EXISTS (
     SELECT 1 FROM image_queue q WHERE q.account_id = image_lane.account_id AND q.host = image_lane.host)`,
);
const MOVE_FULL_ACCOUNTS = statement<[]>(
  'move turns of full image accounts',
  `UPDATE image_account SET turn_ms = GREATEST(turn_ms, (
     SELECT min(due_ms) FROM image_queue q
     WHERE q.account_id = image_account.account_id AND fence <> 0 AND due_ms > $2))
   WHERE account_id = ANY ($1::bigint[])`,
);
const MOVE_ACCOUNTS = statement<[]>(
  'move turns of image accounts',
  `UPDATE image_account SET turn_ms = GREATEST(turn_ms, (
     SELECT min(turn_ms) FROM image_lane l WHERE l.account_id = image_account.account_id))
   WHERE account_id = ANY ($1::bigint[])`,
);
const DROP_ACCOUNTS = statement<[]>(
  'drop image accounts',
  `DELETE FROM image_account WHERE account_id = ANY ($1::bigint[])
     AND NOT EXISTS (SELECT 1 FROM image_lane l WHERE l.account_id = image_account.account_id)`,
);

export interface Lane {
  readonly accountId: number;
  readonly host: string;
  /** The later of those of the account and of the lane. */
  readonly turnMs: number;
}

export interface InTurn {
  readonly nowMs: number;
  readonly accountIds: readonly number[];
  /** Of each account; more than nothing is not said of those that are not in turn. */
  readonly underWay: ReadonlyMap<number, number>;
  /** Of the accounts that have fewer under way than they may have. */
  readonly lanes: readonly Lane[];
}

/** Each lane once. */
export function giveTurns(lanes: readonly Pick<Lane, 'accountId' | 'host'>[]): readonly Command[] {
  const accountIds = [...new Set(lanes.map(({ accountId }) => accountId))];
  return [
    {
      statement: GIVE_LANE_TURNS,
      values: [lanes.map(({ accountId }) => accountId), lanes.map(({ host }) => host)],
    },
    { statement: GIVE_ACCOUNT_TURNS, values: [accountIds] },
  ];
}

/** A picture is in nobody's hands any more: its account has room, and so has its host, for whoever waits there. */
export async function giveTurnsAtHost(connection: Connection, accountId: number, host: string): Promise<void> {
  const commands = [{ statement: WAKE_OTHERS, values: [host] }, ...giveTurns([{ accountId, host }])];
  await Promise.all(commands.map(({ statement, values }) => connection.run(statement, values)));
}

/** Undefined: nobody's turn it is. */
export async function findInTurn(
  connection: Connection,
  accounts_max: number,
  perAccount: number,
): Promise<InTurn | undefined> {
  const accounts = await connection.run(ACCOUNTS, [accounts_max]);
  const [first] = accounts;
  if (first === undefined) return undefined;
  const nowMs = first[3];
  const turns = new Map(accounts.map(([accountId, turnMs]) => [accountId, turnMs]));
  const withRoom = accounts.filter(([, , underWay]) => underWay < perAccount).map(([accountId]) => accountId);
  const found = await connection.run(LANES, [withRoom, nowMs]);
  return {
    nowMs,
    accountIds: accounts.map(([accountId]) => accountId),
    underWay: new Map(accounts.map(([accountId, , underWay]) => [accountId, underWay])),
    lanes: found.map(([accountId, host, turnMs]) => {
      return { accountId, host, turnMs: Math.max(turnMs, turns.get(accountId) ?? 0) };
    }),
  };
}

export async function moveTurns(
  connection: Connection,
  { nowMs, accountIds, lanes }: InTurn,
  fullHosts: ReadonlySet<string>,
  fullAccounts: ReadonlySet<number>,
): Promise<void> {
  const columns = (some: readonly Lane[]) => [some.map(({ accountId }) => accountId), some.map(({ host }) => host)];
  const full = lanes.filter(({ host }) => fullHosts.has(host));
  const others = lanes.filter(({ host }) => !fullHosts.has(host));
  await Promise.all([
    connection.run(MOVE_FULL_LANES, [...columns(full), nowMs]),
    connection.run(MOVE_LANES, columns(others)),
    connection.run(DROP_LANES, columns(lanes)),
    connection.run(MOVE_FULL_ACCOUNTS, [accountIds.filter((id) => fullAccounts.has(id)), nowMs]),
    connection.run(MOVE_ACCOUNTS, [accountIds.filter((id) => !fullAccounts.has(id))]),
    connection.run(DROP_ACCOUNTS, [accountIds]),
  ]);
}
