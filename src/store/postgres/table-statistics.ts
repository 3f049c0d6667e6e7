/**
 * In charge of what the planner knows of the offers while their table is young. PostgreSQL looks at tables once a
 * minute by itself; in the first minute of a new database a process may upload a million offers, and until statistics
 * are taken every plan is the one for a small table, which reads all offers of an account.
 */
import type { Database } from './engine.ts';
import { statement } from './statements.ts';

/** Of one column, a sample of some 300 rows: a few milliseconds, whatever the size of the table. */
const TAKE = statement('take statistics', 'ANALYZE offer (account_id)');

/** Uploads of this process after which they are taken; from there on once a minute is often enough. */
const UPLOADS: readonly number[] = Object.freeze([200, 2_000, 20_000, 200_000]);

export class TableStatistics {
  readonly #database: Database;
  #uploads = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  noteUploads(count: number): void {
    const before = this.#uploads;
    this.#uploads += count;
    if (!UPLOADS.some((bound) => before < bound && this.#uploads >= bound)) return;
    // Nobody waits for it, and when it fails PostgreSQL does the same a little later.
    this.#database.run(TAKE).catch(() => {});
  }
}
