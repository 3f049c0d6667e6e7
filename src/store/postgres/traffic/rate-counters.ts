/**
 * Stores the request counters that processes share: one row per account, replaced only by a process that read its last version.
 * They are durable: if a crash emptied a counter, clients could exceed their limit.
 */
import type { RateCounterStore } from '../../port/traffic.ts';
import { STORE_MS } from '../../shared/sql.ts';
import { type Database, statement } from '../engine/engine.ts';

const READ = statement<[storeMs: number, version: number, entries: string]>('read rate counter')`
  SELECT ${STORE_MS}, coalesce(version, 0), coalesce(entries, '{}') FROM (VALUES ($1::bigint)) AS asked (account_id)
  LEFT JOIN rate_counter USING (account_id)`;
/** Starts the version at the time: a counter that was dropped and added again must not have a version that a frozen process knows. */
const INSERT = statement<[version: number, storeMs: number]>('add rate counter')`
  INSERT INTO rate_counter (account_id, version, entries, changed_ms) VALUES ($1, ${STORE_MS}, $2, ${STORE_MS})
  ON CONFLICT (account_id) DO NOTHING RETURNING version, changed_ms`;
const SWAP = statement<[version: number, storeMs: number]>('swap rate counter')`
  UPDATE rate_counter SET version = version + 1, entries = $2, changed_ms = ${STORE_MS}
  WHERE account_id = $1 AND version = $3 RETURNING version, changed_ms`;
const DROP_IDLE = statement<[one: number]>('drop idle rate counters')`
  DELETE FROM rate_counter WHERE changed_ms <= ${STORE_MS} - $1::bigint RETURNING 1`;

export function rateCountersOn(database: Database): RateCounterStore {
  return {
    async readRateCounter(accountId) {
      const [row] = await database.readQuickly(READ, [accountId]);
      if (row === undefined) throw new Error('The query for a rate counter returned no row.');
      const [storeMs, version, entries] = row;
      return { version, entries, storeMs };
    },

    async swapRateCounter(accountId, version, entries) {
      const [row] = await (version === 0
        ? database.run(INSERT, [accountId, entries])
        : database.run(SWAP, [accountId, entries, version]));
      return row === undefined ? 'lost' : { version: row[0], storeMs: row[1] };
    },

    dropIdleRateCounters: async (idle_ms) => (await database.run(DROP_IDLE, [idle_ms])).length,
  };
}
