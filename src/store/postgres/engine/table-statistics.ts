/**
 * Refreshes planner statistics while a table is new. Autovacuum checks tables once a minute. Before that, a process may upload
 * a million offers, while every plan is still made for a small table and reads all offers of an account.
 */
import { statement } from '../../shared/sql.ts';
import type { Database } from './engine.ts';

/** Samples about 300 rows of one column: a few milliseconds, whatever the size of the table. */
const ANALYZE = Object.freeze({
  offer: statement('take statistics')`ANALYZE offer (account_id)`,
  offer_listing: statement('take statistics of listings')`ANALYZE offer_listing (account_id)`,
});

/** Refreshes when this process has written these numbers of rows. After the last one, autovacuum runs often enough. */
const REFRESHED_AT: readonly number[] = Object.freeze([200, 2_000, 20_000, 200_000]);

export class TableStatistics {
  readonly #database: Database;
  readonly #table: keyof typeof ANALYZE;
  #written = 0;

  constructor(database: Database, table: keyof typeof ANALYZE = 'offer') {
    this.#database = database;
    this.#table = table;
  }

  addWritten(rows: number): void {
    const before = this.#written;
    this.#written += rows;
    if (!REFRESHED_AT.some((bound) => before < bound && this.#written >= bound)) return;
    // Runs in the background. If it fails, autovacuum does the same a little later.
    this.#database.run(ANALYZE[this.#table]).catch(() => {});
  }
}
