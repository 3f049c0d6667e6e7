/** In charge of the table of requests by account and minute, and of when credential sets were last used. */
export const REQUEST_COUNT_TABLES = `
  CREATE TABLE request_count (
    account_id INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    PRIMARY KEY (account_id, minute)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX request_count_by_minute ON request_count (minute);
  ALTER TABLE credential ADD COLUMN last_used_ms INTEGER;
`;
