/**
 * Creates the tables for the review: sweeps, counts of its results, and the catalog and images that accounts share. Due marks and results
 * are in the offer tables of each engine.
 */
export const REVIEW = `
  -- Accounts whose offers are being marked as due: after a change of settings or policies, or for a re-check by an operator.
  CREATE TABLE review_sweep (
    account_id bigint PRIMARY KEY,
    cursor bigint NOT NULL, -- offers up to this one, in order of first upload, are done
    filter text -- JSON of the filter of the offer list whose matches are marked; null: all offers
  );

  -- Offers that would fail under an announced change of rules (see shared/review/upcoming.ts).
  CREATE TABLE upcoming_failure (
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    announced_id bigint NOT NULL, -- as in announced_change
    enforced_from_ms bigint NOT NULL, -- the date that the merchant was told
    PRIMARY KEY (account_id, sku_id, announced_id)
  ) WITHOUT ROWID;
  CREATE INDEX upcoming_failure_by_change ON upcoming_failure (account_id, announced_id, sku_id);

  -- How many offers of an account have each status and each sub-status.
  CREATE TABLE offer_count (
    account_id bigint NOT NULL,
    kind text NOT NULL, -- status or sub_status
    value text NOT NULL, -- a status or sub-status
    offers bigint NOT NULL, -- number of offers that have it
    PRIMARY KEY (account_id, kind, value)
  ) WITHOUT ROWID;

  -- How many offers each live account had on each day, for the operator's home. Read and dropped across all accounts, so on Citus it stays a
  -- plain table of the coordinator.
  CREATE TABLE offer_day (
    day integer NOT NULL, -- days since 1970, in UTC
    account_id bigint NOT NULL,
    available bigint NOT NULL, -- number of available offers
    failing bigint NOT NULL, -- number of offers that are not available because of an issue or a policy
    review bigint NOT NULL, -- number of offers in review that were reviewed before
    archived bigint NOT NULL, -- number of archived offers
    PRIMARY KEY (day, account_id)
  ) WITHOUT ROWID;

  -- One product per code and environment, as the first offer described it. While only one offer uses the code, that offer may replace it.
  CREATE TABLE catalog (
    code text NOT NULL, -- gtin: with 14 digits, or asin: with 10 letters and digits
    environment text NOT NULL, -- test or live
    brand text NOT NULL, -- as the offer spelled it
    title text NOT NULL, -- as the offer spelled it
    category_id text, -- taxonomy node; null: none
    PRIMARY KEY (code, environment)
  ) WITHOUT ROWID;

  -- Products as the operator corrected them; they override catalog.
  CREATE TABLE catalog_correction (
    code text NOT NULL,
    environment text NOT NULL,
    brand text NOT NULL, -- as the operator spelled it
    title text NOT NULL, -- as the operator spelled it
    category_id text, -- as in catalog
    same_as text, -- code of the product that it was merged into; null: it was not
    PRIMARY KEY (code, environment)
  ) WITHOUT ROWID;
  CREATE INDEX catalog_correction_by_product ON catalog_correction (same_as, environment) WHERE same_as IS NOT NULL;

  -- Offers whose review depends on a product.
  CREATE TABLE catalog_user (
    code text NOT NULL,
    environment text NOT NULL,
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    PRIMARY KEY (code, environment, account_id, sku_id)
  ) WITHOUT ROWID;

  -- Products that changed while some of their catalog_user rows are not marked as due yet.
  CREATE TABLE catalog_news (
    code text NOT NULL,
    environment text NOT NULL,
    number bigint NOT NULL, -- sequence number of the correction or replacement; 0: an offer added the product
    marked_up_to text, -- JSON: rows up to this account and SKU are marked; null: none
    PRIMARY KEY (code, environment)
  ) WITHOUT ROWID;

  -- The result of the last check of an image address, whichever offers use it. Has a rowid, because evidence is as large as a document.
  CREATE TABLE image (
    address_hash bytea PRIMARY KEY, -- SHA-256 of the address
    address text NOT NULL, -- URL
    evidence text NOT NULL, -- JSON
    reviewed_ms bigint NOT NULL,
    etag text, -- for If-None-Match; null: none was sent
    asked_ms bigint NOT NULL DEFAULT 0 -- end of the last check that a person requested; 0: none
  );

  -- Offers whose review depends on an image.
  CREATE TABLE image_user (
    address_hash bytea NOT NULL,
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    PRIMARY KEY (address_hash, account_id, sku_id)
  ) WITHOUT ROWID;

  -- Offers to mark as due once an image is checked.
  CREATE TABLE image_waiting (
    address_hash bytea NOT NULL,
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    PRIMARY KEY (address_hash, account_id, sku_id)
  ) WITHOUT ROWID;

  -- Images to download. A row stays until every waiting offer is marked as due.
  CREATE TABLE image_queue (
    address_hash bytea PRIMARY KEY,
    address text NOT NULL, -- URL
    host text NOT NULL, -- host of the address
    due_ms bigint NOT NULL, -- when it may be taken; while it is leased, the end of the lease
    since_ms bigint NOT NULL, -- when it was queued
    attempts integer NOT NULL DEFAULT 0, -- failed downloads
    fence bigint NOT NULL DEFAULT 0, -- fence of the current lease; 0: not leased
    account_id bigint NOT NULL DEFAULT 0, -- account that the download is charged to (see port/images.ts)
    lost integer NOT NULL DEFAULT 0, -- checks started since the last result, including one in flight
    added_up_to text, -- JSON: image_user rows up to this account and SKU are in image_waiting; null: none are left to add
    asked_ms bigint NOT NULL DEFAULT 0, -- as in image
    is_asked smallint NOT NULL DEFAULT 0, -- 1: a person requested the next check, or the one in flight
    again_pause_ms bigint, -- pause before the next check, if one was requested during a check; null: none was
    failed_try text -- JSON evidence of the last failed download that is retried; null: none
  );
  CREATE INDEX image_queue_under_way ON image_queue (host, due_ms) WHERE fence <> 0;
  CREATE INDEX image_queue_by_age ON image_queue (attempts, since_ms);
  CREATE INDEX image_queue_by_lane ON image_queue (account_id, host, due_ms, address_hash);
  CREATE INDEX image_queue_under_way_of_account ON image_queue (account_id, due_ms) WHERE fence <> 0;

  -- Fair shares of downloads (see shared/images/image-lanes.ts): the lane with the earliest turn of the account with the earliest turn is
  -- next. So an account that gives each image a host of its own gets no more downloads than others.
  CREATE TABLE image_lane (
    account_id bigint NOT NULL,
    host text NOT NULL, -- as in image_queue
    turn_ms bigint NOT NULL,
    PRIMARY KEY (account_id, host)
  ) WITHOUT ROWID;
  CREATE INDEX image_lane_by_turn ON image_lane (account_id, turn_ms, host);
  CREATE TABLE image_account (
    account_id bigint PRIMARY KEY,
    turn_ms bigint NOT NULL
  );
  CREATE INDEX image_account_by_turn ON image_account (turn_ms, account_id);
`;
