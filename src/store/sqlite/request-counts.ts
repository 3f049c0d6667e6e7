/** In charge of the counts of requests by account and minute, and of when credential sets were last used. */
import type { AccountMinute, KeyUse, MinuteCounts } from '../port/traffic.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

/** Some milliseconds of the writer. */
const DROPPED_MAX = 5_000;

/** Runs in the writer thread, inside a transaction that is not its own. */
export class RequestCountWrites {
  readonly #add;
  readonly #drop;
  readonly #use;

  constructor(connection: Connection) {
    this.#add = query(
      connection,
      `INSERT INTO request_count (account_id, minute, requests, errors, refused) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, errors = errors + excluded.errors,
         refused = refused + excluded.refused`,
    );
    this.#drop = query(
      connection,
      `DELETE FROM request_count WHERE (account_id, minute) IN (
         SELECT account_id, minute FROM request_count INDEXED BY request_count_by_minute
         WHERE minute < ? LIMIT ${DROPPED_MAX})`,
    );
    this.#use = query(
      connection,
      'UPDATE credential SET last_used_ms = ?2 WHERE user_name = ?1 AND ifnull(last_used_ms < ?2, true)',
    );
  }

  add(counts: readonly AccountMinute[]): void {
    for (const { accountId, minute, requests, errors, refused } of counts) {
      this.#add.run(accountId, minute, requests, errors, refused);
    }
  }

  drop(beforeMinute: number): boolean {
    return this.#drop.run(beforeMinute).changes === DROPPED_MAX;
  }

  noteUses(uses: readonly KeyUse[]): void {
    for (const { user, usedMs } of uses) this.#use.run(user, usedMs);
  }
}

/** Runs in the reader thread. */
export class RequestCountReads {
  readonly #ofAccount;
  readonly #ofMinute;

  constructor(connection: Connection) {
    this.#ofAccount = query<[minute: number, requests: number, errors: number, refused: number]>(
      connection,
      `SELECT minute, requests, errors, refused FROM request_count WHERE account_id = ? AND minute >= ?
       ORDER BY minute`,
    );
    this.#ofMinute = query<[accountId: number, requests: number, errors: number, refused: number]>(
      connection,
      `SELECT account_id, requests, errors, refused FROM request_count INDEXED BY request_count_by_minute
       WHERE minute = ?`,
    );
  }

  ofAccount(accountId: number, fromMinute: number): MinuteCounts[] {
    return this.#ofAccount
      .all(accountId, fromMinute)
      .map(([minute, requests, errors, refused]) => ({ minute, requests, errors, refused }));
  }

  ofMinute(minute: number): AccountMinute[] {
    return this.#ofMinute
      .all(minute)
      .map(([accountId, requests, errors, refused]) => ({ accountId, minute, requests, errors, refused }));
  }
}
