/**
 * In charge of the request counters that processes share: one row for each account, replaced only by who saw its last
 * state. Durable like everything else: a counter that a crash of the database emptied would let a limit be passed.
 */
import type { RateCounter, RateCounterStore } from '../../port/traffic.ts';
import { STORE_MS } from '../../shared/sql.ts';
import { type Database, statement } from '../engine/engine.ts';

const READ = statement<[storeMs: number, version: number | null, entries: string | null]>(
  'read rate counter',
  `SELECT ${STORE_MS}, version, entries FROM (VALUES ($1::bigint)) AS asked (account_id)
   LEFT JOIN rate_counter USING (account_id)`,
);
/**
 * A counter that was dropped and is made again shall have no version that it had before, by which somebody who slept might
 * replace it: it begins with the time, and moves on by far less than once in a millisecond.
 */
const INSERT = statement<[version: number, storeMs: number]>(
  'add rate counter',
  `INSERT INTO rate_counter (account_id, version, entries, changed_ms) VALUES ($1, ${STORE_MS}, $2, ${STORE_MS})
   ON CONFLICT (account_id) DO NOTHING RETURNING version, changed_ms`,
);
const SWAP = statement<[version: number, storeMs: number]>(
  'swap rate counter',
  `UPDATE rate_counter SET version = version + 1, entries = $2, changed_ms = ${STORE_MS}
   WHERE account_id = $1 AND version = $3 RETURNING version, changed_ms`,
);
const DROP_IDLE = statement<[one: number]>(
  'drop idle rate counters',
  `DELETE FROM rate_counter WHERE changed_ms <= ${STORE_MS} - $1::bigint RETURNING 1`,
);

const NOTHING_COUNTED = '{}';

export class PostgresRateCounters implements RateCounterStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async readRateCounter(accountId: number): Promise<RateCounter> {
    const [row] = await this.#database.readQuickly(READ, [accountId]);
    if (row === undefined) throw new Error('The counter that was asked for is one row, counted or not.');
    const [storeMs, version, entries] = row;
    return { version: version ?? 0, entries: entries ?? NOTHING_COUNTED, storeMs };
  }

  async swapRateCounter(
    accountId: number,
    version: number,
    entries: string,
  ): Promise<{ version: number; storeMs: number } | 'lost'> {
    const [row] = await (version === 0
      ? this.#database.run(INSERT, [accountId, entries])
      : this.#database.run(SWAP, [accountId, entries, version]));
    return row === undefined ? 'lost' : { version: row[0], storeMs: row[1] };
  }

  async dropIdleRateCounters(idle_ms: number): Promise<number> {
    return (await this.#database.run(DROP_IDLE, [idle_ms])).length;
  }
}
