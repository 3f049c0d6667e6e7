/** In charge of the tables of the history of offers, as the migration makes them; never edited once released. */

/**
 * What was changed in offers (see history-rows.ts). A record names its offer by `upload_order`, which is short and never
 * given to another one. `seq` is the order of the records of an offer: the count of its changes, which the row has. A clock
 * would not do, nor would numbers of writes, since rows of a file have that of the file. Records lie in the order in
 * which they were written, so that an index of some bytes for each hundred pages finds the old ones.
 *
 * The columns `changed_…` are what the last write found, since an update can only return what the row has become: so a
 * write and its records are one statement, whoever else writes to the row. To lock the rows first and look at them then
 * took three times as long as this does. Documents are too large for that, and are locked.
 */
export const HISTORY = `
  CREATE TABLE author (
    account_id bigint NOT NULL,
    author_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    noted_ms bigint NOT NULL,
    PRIMARY KEY (account_id, author_id),
    UNIQUE (account_id, name)
  );

  CREATE TABLE offer_history (
    account_id bigint NOT NULL,
    upload_order bigint NOT NULL,
    seq bigint NOT NULL,
    at_ms bigint NOT NULL,
    author_id bigint NOT NULL,
    part smallint NOT NULL,
    amount float8,
    text text COLLATE "C"
  );
  ALTER TABLE offer_history ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  CREATE INDEX offer_history_by_offer ON offer_history (account_id, upload_order, seq);
  CREATE INDEX offer_history_by_age ON offer_history USING brin (at_ms) WITH (pages_per_range = 32, autosummarize = on);

  ALTER TABLE offer ADD COLUMN changes bigint NOT NULL DEFAULT 0;
  ALTER TABLE offer ADD COLUMN changed_part smallint;
  ALTER TABLE offer ADD COLUMN changed_number bigint;
  ALTER TABLE offer ADD COLUMN changed_amount float8;
  ALTER TABLE offer ADD COLUMN changed_text text COLLATE "C";
  ALTER TABLE offer ADD COLUMN changed_stock jsonb;
`;
