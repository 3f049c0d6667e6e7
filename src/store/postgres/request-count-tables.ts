/**
 * In charge of the table of requests by account and minute, and of when credential sets were last used. The table is read
 * over all accounts, too; on a distributed database it stays a plain table of the coordinator.
 */
export const REQUEST_COUNT_TABLES = `
  CREATE TABLE request_count (
    account_id bigint NOT NULL,
    minute bigint NOT NULL,
    requests bigint NOT NULL,
    errors bigint NOT NULL,
    refused bigint NOT NULL,
    PRIMARY KEY (account_id, minute)
  ) WITH (fillfactor = 80);
  CREATE INDEX request_count_by_minute ON request_count (minute);
  ALTER TABLE credential ADD COLUMN last_used_ms bigint;
`;
