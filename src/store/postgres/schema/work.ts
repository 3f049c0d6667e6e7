/** Creates the tables and settings of background work that only PostgreSQL needs. */
export const WORK_ADDITIONS = `
  -- Requests that count against limits (see rate-counters.ts). A row changes about once a second per busy account and
  -- process; fillfactor leaves room for that on the page.
  CREATE TABLE rate_counter (
    account_id bigint PRIMARY KEY,
    version bigint NOT NULL, -- replaced only by a process that read the last one
    entries text COLLATE "C" NOT NULL, -- JSON: counts by time
    changed_ms bigint NOT NULL -- idle counters are dropped
  ) WITH (fillfactor = 50);

  -- Progress changes with every slice of rows, in no index and, thanks to fillfactor, within its page.
  ALTER TABLE bulk_file SET (fillfactor = 50);
  -- To the planner every account is as large as the table, as in offer.
  ALTER TABLE bulk_file ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  ALTER TABLE report ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  ALTER TABLE idempotency_key ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;

  ALTER TABLE request_log ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;

  -- Read over all accounts too, so it stays a plain table of the coordinator on Citus.
  ALTER TABLE request_count SET (fillfactor = 80);
`;
