/**
 * Creates the tables for the storefront (see port/storefront.ts). They stay empty unless the storefront is on. On a distributed database,
 * each is distributed by the key that its reads name: a product, a term, an environment or an account is on one shard.
 */
export const STOREFRONT = `
  -- Live offers in stock.
  CREATE TABLE shop_offer (
    code text NOT NULL, -- as in shop_product
    environment text NOT NULL,
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    since_ms bigint NOT NULL, -- when it last came on sale
    total bigint NOT NULL, -- price and shipping in ten-thousandths
    quantity bigint NOT NULL, -- stock
    pack bigint NOT NULL, -- multipack quantity: offers with the same one are ranked together
    shown text NOT NULL, -- JSON of the StorefrontOffer
    product text NOT NULL, -- JSON of the StorefrontProduct as this offer describes it
    rank integer, -- its rank when the product was last ranked; null: it was not since it came on sale
    PRIMARY KEY (code, environment, account_id, sku_id)
  );
  CREATE INDEX shop_offer_by_age ON shop_offer (code, environment, since_ms, account_id, sku_id);
  CREATE INDEX shop_offer_by_rank ON shop_offer (code, environment, total, quantity DESC, since_ms, pack);

  -- The same offers by account.
  CREATE TABLE shop_sku (
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    code text NOT NULL, -- as in shop_product
    parent text, -- SKU of the parent of its variation group; null: it is in none
    PRIMARY KEY (account_id, sku_id)
  ) WITHOUT ROWID;
  CREATE INDEX shop_sku_by_parent ON shop_sku (account_id, parent) WHERE parent IS NOT NULL;

  -- Products with live offers in stock.
  CREATE TABLE shop_product (
    code text NOT NULL, -- product code, or offer: with merchant and SKU
    environment text NOT NULL,
    updated_ms bigint NOT NULL, -- last change to the product or its offers
    number bigint NOT NULL, -- number of its last event
    product text NOT NULL, -- JSON, as the offer that has been on sale longest describes it
    PRIMARY KEY (code, environment)
  );

  -- Terms by which products are found (see domain/storefront/terms.ts).
  CREATE TABLE shop_term (
    term text NOT NULL, -- a letter for its kind, a colon and its value
    environment text NOT NULL,
    code text NOT NULL, -- as in shop_product
    PRIMARY KEY (term, environment, code)
  ) WITHOUT ROWID;

  -- The log of what changed.
  CREATE TABLE shop_event (
    environment text NOT NULL,
    number bigint NOT NULL, -- without gaps
    code text NOT NULL, -- as in shop_product
    at_ms bigint NOT NULL,
    body text NOT NULL, -- JSON of the change
    PRIMARY KEY (environment, number)
  );
  CREATE INDEX shop_event_by_age ON shop_event (environment, at_ms, number);

  -- The numbers of the log.
  CREATE TABLE shop_feed (
    environment text PRIMARY KEY,
    tag text NOT NULL, -- random, part of every cursor
    last bigint NOT NULL, -- highest number
    dropped bigint NOT NULL, -- highest number of a dropped event; 0: none
    ranked bigint NOT NULL DEFAULT 0, -- the offers of products that changed up to this event are ranked
    rank_order text NOT NULL DEFAULT '', -- the order that they are ranked by: its parts with commas
    rank_walk text -- product up to which all products are ranked by it; null: all are
  );

  -- How far the offers of each account are projected.
  CREATE TABLE shop_account (
    account_id bigint PRIMARY KEY,
    environment text NOT NULL,
    basis text NOT NULL, -- digest of the settings that its offers are shown with; empty: its offers must be projected again
    tag text NOT NULL, -- tag of its change feed
    number bigint NOT NULL, -- position in its change feed: events after it are not projected yet
    events bigint NOT NULL, -- the same: number of events within the batch
    feed_end bigint NOT NULL DEFAULT 0, -- highest number in its change feed; only PostgreSQL has it, where readers number events
    walk text -- JSON: which of its offers are projected again; null: all are
  );

  -- Products that the operator corrected, whose offers are not projected since.
  CREATE TABLE shop_correction (
    environment text NOT NULL,
    code text NOT NULL, -- as in catalog
    number bigint NOT NULL, -- sequence number of the correction
    PRIMARY KEY (environment, code)
  ) WITHOUT ROWID;
`;
