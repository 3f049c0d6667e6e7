/** Stores idempotency keys with their claims and responses. */
import type { IdempotencyStore } from '../port/idempotency.ts';
import { commandsWith } from './command.ts';
import { readStoreMs, statement } from './sql.ts';

const { keptWrite } = commandsWith({ account: true });

/** How many keys are dropped at a time. This takes SQLite's writer about 5 ms if there are a million keys. */
const DROPPED_MAX = 200;

/**
 * Takes over a claim whose lease has expired, and keeps its number. The store's time is a value, because Citus allows no function among the
 * values of a distributed table.
 */
const CLAIM = statement<[number: number]>('claim idempotency key')`
  INSERT INTO idempotency_key (account_id, key, fingerprint, number, claimed_ms, lease_ends_ms)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (account_id, key) DO UPDATE SET lease_ends_ms = excluded.lease_ends_ms
  WHERE idempotency_key.answer IS NULL AND idempotency_key.fingerprint = excluded.fingerprint
    AND idempotency_key.lease_ends_ms <= $7
  RETURNING number`;
const READ = statement<[fingerprint: string, answer: string | null, leaseEndsMs: number]>('read idempotency key')`
  SELECT fingerprint, answer, lease_ends_ms FROM idempotency_key WHERE account_id = $1 AND key = $2`;
const OF_CLAIM = 'account_id = $1 AND key = $2 AND number = $3 AND answer IS NULL';
const STORE = statement<[]>('store answer of key')`UPDATE idempotency_key SET answer = $4 WHERE ${OF_CLAIM}`;
const RELEASE = statement<[]>('release idempotency key')`
  UPDATE idempotency_key SET lease_ends_ms = 0 WHERE ${OF_CLAIM}`;
const FIND_OLD = statement<[claimedMs: number]>('find old idempotency keys')`
  SELECT claimed_ms FROM idempotency_key WHERE account_id = $1 AND claimed_ms < $2
  ORDER BY claimed_ms LIMIT ${DROPPED_MAX}`;
/** A range with both ends, because PostgreSQL expects it to be small and uses the index by age. */
const DROP = statement<[]>('drop idempotency keys')`
  DELETE FROM idempotency_key WHERE account_id = $1 AND claimed_ms BETWEEN $2 AND $3`;

export const claimKey = keptWrite<IdempotencyStore['claimKey']>(
  async (sql, { accountId, key, fingerprint }, nowMs, lease_ms) => {
    const drawn = await sql.drawNumber();
    const storeMs = await readStoreMs(sql);
    const [claimed] = await sql.run(CLAIM, [accountId, key, fingerprint, drawn, nowMs, storeMs + lease_ms, storeMs]);
    if (claimed !== undefined) return { state: 'claimed', number: claimed[0], isRepeat: claimed[0] !== drawn };
    const [found] = await sql.run(READ, [accountId, key]);
    if (found !== undefined && found[0] !== fingerprint) return { state: 'other_request' };
    const answer = found?.[1] ?? undefined;
    if (answer !== undefined) return { state: 'answered', answer };
    return { state: 'running', left_ms: Math.max((found?.[2] ?? 0) - storeMs, 0) };
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

export const dropKeys = keptWrite<IdempotencyStore['dropKeys']>(
  { lane: 'background' },
  async (sql, accountId, beforeMs) => {
    const old = (await sql.run(FIND_OLD, [accountId, beforeMs])).map(([claimedMs]) => claimedMs);
    if (old.length > 0) await sql.run(DROP, [accountId, old[0], old.at(-1)]);
    return old.length === DROPPED_MAX;
  },
);
