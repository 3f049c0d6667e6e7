/** Stores idempotency keys with their claims and responses. */
import type { IdempotencyStore } from '../port/idempotency.ts';
import { keptWrite, snapshot } from './command.ts';
import { STORE_MS, statement } from './sql.ts';

/** Dropping this many takes SQLite's writer a few milliseconds. */
const DROPPED_MAX = 1_000;

/** A separate statement, because Citus allows no function among the values of a distributed table. */
const NOW = statement<[nowMs: number]>('read time for a claim', `SELECT ${STORE_MS}`);
/** Takes over a claim whose lease has expired, and keeps its number. */
const CLAIM = statement<[number: number]>(
  'claim idempotency key',
  `INSERT INTO idempotency_key (account_id, key, fingerprint, number, claimed_ms, lease_ends_ms)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (account_id, key) DO UPDATE SET lease_ends_ms = excluded.lease_ends_ms
   WHERE idempotency_key.answer IS NULL AND idempotency_key.fingerprint = excluded.fingerprint
     AND idempotency_key.lease_ends_ms <= $7
   RETURNING number`,
);
const READ = statement<[fingerprint: string, answer: string | null]>(
  'read idempotency key',
  'SELECT fingerprint, answer FROM idempotency_key WHERE account_id = $1 AND key = $2',
);
const OF_CLAIM = 'account_id = $1 AND key = $2 AND number = $3 AND answer IS NULL';
const STORE = statement<[]>('store answer of key', `UPDATE idempotency_key SET answer = $4 WHERE ${OF_CLAIM}`);
const RELEASE = statement<[]>(
  'release idempotency key',
  `UPDATE idempotency_key SET lease_ends_ms = 0 WHERE ${OF_CLAIM}`,
);
const ACCOUNTS = statement<[accountId: number]>(
  'find accounts with old keys',
  `SELECT account_id FROM idempotency_key GROUP BY account_id
   HAVING (min(claimed_ms) < $1 OR count(*) > $2) ORDER BY account_id`,
);
/** Finds the newest key beyond the limit. */
const BEYOND = statement<[claimedMs: number]>(
  'find key beyond the limit',
  'SELECT claimed_ms FROM idempotency_key WHERE account_id = $1 ORDER BY claimed_ms DESC LIMIT 1 OFFSET $2',
);
const DROP = statement<[1]>(
  'drop idempotency keys',
  `DELETE FROM idempotency_key WHERE account_id = $1 AND key IN (
     SELECT k.key FROM idempotency_key k WHERE k.account_id = $1 AND k.claimed_ms < $2
     ORDER BY k.claimed_ms LIMIT ${DROPPED_MAX})
   RETURNING 1`,
);

export const claimKey = keptWrite<IdempotencyStore['claimKey']>(
  async (sql, { accountId, key, fingerprint }, nowMs, lease_ms) => {
    const drawn = await sql.drawNumber();
    const storeMs = (await sql.run(NOW))[0]?.[0] ?? nowMs;
    const [claimed] = await sql.run(CLAIM, [accountId, key, fingerprint, drawn, nowMs, storeMs + lease_ms, storeMs]);
    if (claimed !== undefined) return { state: 'claimed', number: claimed[0], isRepeat: claimed[0] !== drawn };
    const [found] = await sql.run(READ, [accountId, key]);
    if (found !== undefined && found[0] !== fingerprint) return { state: 'other_request' };
    const answer = found?.[1] ?? undefined;
    return answer === undefined ? { state: 'running' } : { state: 'answered', answer };
  },
);

export const storeAnswer = keptWrite<IdempotencyStore['storeAnswer']>(
  async (sql, { accountId, key, number }, answer) => {
    await sql.run(STORE, [accountId, key, number, answer]);
  },
);

export const releaseKey = keptWrite<IdempotencyStore['releaseKey']>(async (sql, { accountId, key, number }) => {
  await sql.run(RELEASE, [accountId, key, number]);
});

export const listKeyAccounts = snapshot<IdempotencyStore['listKeyAccounts']>(async (sql, beforeMs, keys_max) => {
  return (await sql.run(ACCOUNTS, [beforeMs, keys_max])).map(([accountId]) => accountId);
});

export const dropKeys = keptWrite<IdempotencyStore['dropKeys']>(async (sql, accountId, beforeMs, keys_max) => {
  const [beyond] = await sql.run(BEYOND, [accountId, keys_max]);
  const before = Math.max(beforeMs, (beyond?.[0] ?? 0) + 1);
  return (await sql.run(DROP, [accountId, before])).length === DROPPED_MAX;
});
