/**
 * Lists the versions of the schema: version 1 is the tables of this folder and of shared/schema/, each later one is a migration.
 *
 * A column without a comment has a name that means the same everywhere: ids name a row of the table of that name, `_ms` is
 * a time in milliseconds since 1970, a `number` is a sequence number. Flags are 0 or 1 and JSON is text, except in the table
 * offer, which uses native types of PostgreSQL.
 */
import { SHARED_TABLES } from '../../shared/schema/columns.ts';
import { OFFERS } from './offers.ts';

/** Tables and settings that only PostgreSQL needs. */
const ADDITIONS = `
  -- Requests that count against limits (see rate-counters.ts). A row changes about once a second per busy account and
  -- process; fillfactor leaves room for that on the page.
  CREATE TABLE rate_counter (
    account_id bigint PRIMARY KEY,
    version bigint NOT NULL, -- changes with every write; a process replaces only the version that it read
    entries text COLLATE "C" NOT NULL, -- JSON: counts by time
    changed_ms bigint NOT NULL -- idle counters are dropped
  ) WITH (fillfactor = 50);

  -- Counts change with every slice of reviews.
  ALTER TABLE offer_count SET (fillfactor = 50);
  -- Progress changes with every slice of rows. It is in no index, and fillfactor keeps the update within the page.
  ALTER TABLE bulk_file SET (fillfactor = 50);
  -- Tells the planner that every account is as large as the table, as in offer.
  ALTER TABLE bulk_file ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  ALTER TABLE report ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  ALTER TABLE idempotency_key ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;

  ALTER TABLE request_log ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;

  -- Also read across all accounts, so on Citus it stays a plain table of the coordinator.
  ALTER TABLE request_count SET (fillfactor = 80);
`;

/** Makes the shared tables compare text as bytes, as SQLite does. */
function forPostgres(tables: string): string {
  return tables.replaceAll(/^( {4}\w+ text)\b/gm, '$1 COLLATE "C"').replaceAll(') WITHOUT ROWID;', ');');
}

const SCHEMA = [forPostgres(SHARED_TABLES.first), OFFERS, forPostgres(SHARED_TABLES.last), ADDITIONS].join('');

/** Forward only: a released text is never edited, a change is a new text at the end. */
export const MIGRATIONS: readonly string[] = Object.freeze([SCHEMA]);
