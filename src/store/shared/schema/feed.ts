/** Creates the tables for the change feed and webhooks. */
export const FEED = `
  -- Events (see port/feed.ts): one row for offers that one commit changed in the same way, so that a slice of a file adds one row.
  CREATE TABLE event_batch (
    account_id bigint NOT NULL,
    drawn bigint NOT NULL, -- orders unnumbered rows: sequence number drawn while the offers were locked (see event-rows.ts)
    number bigint, -- position in the feed of the account; null: not numbered yet, which only PostgreSQL has
    type smallint NOT NULL, -- EVENT_CODES
    at_ms bigint NOT NULL,
    events integer NOT NULL, -- number of events
    detail text NOT NULL, -- JSON: what the events share
    offers text NOT NULL -- JSON list: sku.id or offer.upload_order of each event; [0] for an event of no offer
  );
  CREATE INDEX event_batch_by_number ON event_batch (account_id, type, number);
  CREATE INDEX event_batch_unnumbered ON event_batch (account_id, drawn) WHERE number IS NULL;
  CREATE INDEX event_batch_by_age ON event_batch (account_id, at_ms);

  -- Feeds that were read or tidied (see port/feed.ts).
  CREATE TABLE event_feed (
    account_id bigint PRIMARY KEY,
    tag text NOT NULL, -- random, part of every cursor
    dropped bigint NOT NULL -- highest number of a dropped batch; 0: none
  );

  -- Addresses that receive events (see port/webhooks.ts).
  CREATE TABLE webhook (
    account_id bigint NOT NULL,
    webhook_id text NOT NULL, -- random
    shop text, -- environment of the storefront whose changes are sent; null: the events of the account are sent
    address text NOT NULL, -- URL
    types text NOT NULL, -- JSON list of event types
    include text NOT NULL, -- JSON list: additional data in events
    batches smallint NOT NULL, -- 1: a message has several events
    secrets text NOT NULL, -- JSON list: the current secret, and replaced ones while they still sign
    created_ms bigint NOT NULL,
    disabled_reason text, -- why it is disabled, for people; null: enabled
    position text NOT NULL, -- JSON of the WebhookPosition: which events are confirmed
    attempts bigint NOT NULL, -- failed attempts in a row
    failing_since_ms bigint, -- when the first of these attempts failed; null: none has failed
    due_ms bigint NOT NULL, -- when a process may take it; while one delivers, the end of its lease
    PRIMARY KEY (account_id, webhook_id)
  ) WITHOUT ROWID;
  CREATE INDEX webhook_by_due ON webhook (due_ms) WHERE disabled_reason IS NULL;

  -- The newest deliveries of each webhook.
  CREATE TABLE webhook_delivery (
    account_id bigint NOT NULL,
    webhook_id text NOT NULL, -- as in webhook
    delivery bigint NOT NULL, -- rises over time
    event_id text NOT NULL, -- cursor of the event, or id of the message
    type text NOT NULL, -- event type, event.batch or webhook.test
    events integer NOT NULL, -- number of events in the message
    at_ms bigint NOT NULL,
    attempt bigint NOT NULL, -- 1 for the first
    status integer, -- HTTP status of the response; null: there was none
    failure text, -- for people; null: delivered
    PRIMARY KEY (account_id, webhook_id, delivery)
  ) WITHOUT ROWID;
`;
