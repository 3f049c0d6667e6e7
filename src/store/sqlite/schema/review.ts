/** Creates the tables of the review: offers that are due, what it found, and the catalog and images that accounts share. */
export const REVIEW = `
  -- Offers due for review. Apart from review, so that it is as short as the queue and quick to write.
  CREATE TABLE review_due (
    sku INTEGER PRIMARY KEY, -- sku.id
    account_id INTEGER NOT NULL,
    mark INTEGER NOT NULL, -- sequence number of the write that made it due
    marked_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX review_due_by_account ON review_due (account_id, mark, sku);

  -- What the last review found.
  CREATE TABLE review (
    sku INTEGER PRIMARY KEY, -- sku.id
    account_id INTEGER NOT NULL,
    status TEXT NOT NULL, -- of the offer
    sub_statuses TEXT NOT NULL, -- JSON list
    judged_ms INTEGER NOT NULL,
    shoe_key TEXT, -- equal for shoes that belong together; null: not a shoe
    evidence TEXT NOT NULL, -- JSON: what was found, and for which input
    rules TEXT NOT NULL DEFAULT '' -- names the rules that applied; while they are in force a read need not review again
  ) STRICT;
  CREATE INDEX review_by_shoe_key ON review (account_id, shoe_key) WHERE shoe_key IS NOT NULL;

  -- Accounts whose offers are all being marked as due, after a change of settings or policies.
  CREATE TABLE review_sweep (
    account_id INTEGER PRIMARY KEY,
    cursor INTEGER NOT NULL -- offers up to this one, in order of first upload, are marked
  ) STRICT;

  -- One product per code and environment, as the first offer described it.
  CREATE TABLE catalog (
    code TEXT NOT NULL, -- gtin: with 14 digits, or asin: with 10 letters and digits
    environment TEXT NOT NULL, -- test or live
    brand TEXT NOT NULL, -- as the offer spelled it
    title TEXT NOT NULL, -- as the offer spelled it
    category_id TEXT, -- taxonomy node; null: none
    PRIMARY KEY (code, environment)
  ) STRICT, WITHOUT ROWID;

  -- The same as the operator described it; it wins over catalog.
  CREATE TABLE catalog_correction (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    brand TEXT NOT NULL, -- as the operator spelled it
    title TEXT NOT NULL, -- as the operator spelled it
    category_id TEXT, -- as in catalog
    PRIMARY KEY (code, environment)
  ) STRICT, WITHOUT ROWID;

  -- Offers whose review depends on a product.
  CREATE TABLE catalog_user (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    PRIMARY KEY (code, environment, account_id, sku_id)
  ) STRICT, WITHOUT ROWID;

  -- Products that changed while some of their catalog_user rows are not marked as due yet.
  CREATE TABLE catalog_news (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    number INTEGER NOT NULL, -- sequence number of the operator's correction; 0: an offer brought the product
    told_account_id INTEGER, -- rows up to this account and SKU are marked; null: none
    told_sku_id TEXT,
    PRIMARY KEY (code, environment)
  ) STRICT, WITHOUT ROWID;

  -- What was found at an image address, whichever offers show it. An ordinary table: evidence is as large as a document.
  CREATE TABLE image (
    address_hash BLOB PRIMARY KEY, -- SHA-256 of the address
    address TEXT NOT NULL, -- URL
    evidence TEXT NOT NULL, -- JSON
    judged_ms INTEGER NOT NULL,
    etag TEXT, -- for If-None-Match; null: none was sent
    asked_ms INTEGER NOT NULL DEFAULT 0 -- end of the last check that a person requested; 0: none
  ) STRICT;

  -- Offers whose review depends on an image.
  CREATE TABLE image_user (
    address_hash BLOB NOT NULL,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    PRIMARY KEY (address_hash, account_id, sku_id)
  ) STRICT, WITHOUT ROWID;

  -- Offers to mark as due once an image is checked.
  CREATE TABLE image_waiting (
    address_hash BLOB NOT NULL,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    PRIMARY KEY (address_hash, account_id, sku_id)
  ) STRICT, WITHOUT ROWID;

  -- Images to download. A row stays until every waiting offer is marked as due.
  CREATE TABLE image_queue (
    address_hash BLOB PRIMARY KEY,
    address TEXT NOT NULL, -- URL
    host TEXT NOT NULL, -- of the address
    due_ms INTEGER NOT NULL, -- may be taken from then on; while it is leased, the end of the lease
    since_ms INTEGER NOT NULL, -- in the queue since then
    attempts INTEGER NOT NULL DEFAULT 0, -- failed downloads
    fence INTEGER NOT NULL DEFAULT 0, -- of the current lease; 0: not leased
    account_id INTEGER NOT NULL DEFAULT 0, -- whose share of downloads it counts against: the first that wanted it
    lost INTEGER NOT NULL DEFAULT 0, -- leases that ended without a result: the image may crash the decoder
    told_account_id INTEGER, -- image_user rows up to this account and SKU are waiting; null: nothing changed
    told_sku_id TEXT,
    asked_ms INTEGER NOT NULL DEFAULT 0, -- as in image
    is_asked INTEGER NOT NULL DEFAULT 0, -- 1: a person requested the next check, or the one in flight
    again_pause_ms INTEGER, -- requested again during a check: the next one follows after this pause; null: not
    failed_try TEXT -- JSON evidence of the last failed download that is retried; null: none
  ) STRICT;
  CREATE INDEX image_queue_under_way ON image_queue (host, due_ms) WHERE fence <> 0;
  CREATE INDEX image_queue_by_age ON image_queue (since_ms);
  CREATE INDEX image_queue_by_lane ON image_queue (account_id, host, due_ms, address_hash);
  CREATE INDEX image_queue_under_way_of_account ON image_queue (account_id, due_ms) WHERE fence <> 0;

  -- Fair shares of downloads (see shared/images/image-turns.ts): the lane with the earliest turn of the account with the earliest turn is
  -- next. So an account that gives each image a host of its own gets no more downloads than others.
  CREATE TABLE image_lane (
    account_id INTEGER NOT NULL,
    host TEXT NOT NULL, -- as in image_queue
    turn_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX image_lane_by_turn ON image_lane (account_id, turn_ms, host);
  CREATE TABLE image_account (
    account_id INTEGER PRIMARY KEY,
    turn_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX image_account_by_turn ON image_account (turn_ms, account_id);
`;
