/**
 * In charge of what the planner knows of the offers, and of their listings, while these tables are young. PostgreSQL looks
 * at tables once a minute by itself; in the first minute of a new database a process may upload a million offers, and until
 * statistics are taken every plan is the one for a small table, which reads all offers of an account.
 */

import { statement } from '../../shared/sql.ts';
import type { Database } from './engine.ts';

/** Of one column, a sample of some 300 rows: a few milliseconds, whatever the size of the table. */
const TAKE = Object.freeze({
  offer: statement('take statistics', 'ANALYZE offer (account_id)'),
  offer_listing: statement('take statistics of listings', 'ANALYZE offer_listing (account_id)'),
});

/** Rows that this process wrote after which they are taken; from there on once a minute is often enough. */
const WRITTEN: readonly number[] = Object.freeze([200, 2_000, 20_000, 200_000]);

export class TableStatistics {
  readonly #database: Database;
  readonly #table: keyof typeof TAKE;
  #written = 0;

  constructor(database: Database, table: keyof typeof TAKE = 'offer') {
    this.#database = database;
    this.#table = table;
  }

  /** So many rows were written. */
  noteUploads(count: number): void {
    const before = this.#written;
    this.#written += count;
    if (!WRITTEN.some((bound) => before < bound && this.#written >= bound)) return;
    // Nobody waits for it, and when it fails PostgreSQL does the same a little later.
    this.#database.run(TAKE[this.#table]).catch(() => {});
  }
}
