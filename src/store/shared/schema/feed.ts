/** Creates the tables of the change feed. */
export const FEED = `
  -- Events (see port/feed.ts): one row for offers that one commit changed in the same way, so that a slice of a file adds one row.
  CREATE TABLE event_batch (
    account_id bigint NOT NULL,
    drawn bigint NOT NULL, -- orders unnumbered rows: sequence number drawn while the offers were locked (see event-rows.ts)
    number bigint, -- place in the feed of the account; null: not numbered yet, which only PostgreSQL has
    type smallint NOT NULL, -- EVENT_CODES
    at_ms bigint NOT NULL,
    events integer NOT NULL, -- how many
    detail text NOT NULL, -- JSON: what the events share
    offers text NOT NULL -- JSON list: sku.id or offer.upload_order of each event; [0] for an event of no offer
  );
  CREATE INDEX event_batch_by_number ON event_batch (account_id, type, number);
  CREATE INDEX event_batch_unnumbered ON event_batch (account_id, drawn) WHERE number IS NULL;
  CREATE INDEX event_batch_by_age ON event_batch (account_id, at_ms);

  -- Feeds that were read.
  CREATE TABLE event_feed (
    account_id bigint PRIMARY KEY,
    tag text NOT NULL, -- random, part of every cursor
    dropped bigint NOT NULL -- highest number of a dropped batch; 0: none
  );
`;
