/**
 * Creates the tables of account settings: merchants, their accounts and API keys, and what the operator decides for all.
 * They are small and refer to each other by foreign keys.
 */
export const SETTINGS = `
  -- A seller on the marketplace.
  CREATE TABLE merchant (
    merchant_id TEXT PRIMARY KEY, -- chosen by the operator
    name TEXT NOT NULL, -- for people
    created_ms INTEGER NOT NULL,
    suspended INTEGER NOT NULL DEFAULT 0, -- 1: API keys and portal users of this merchant are refused
    time_to_return_days INTEGER NOT NULL, -- how long buyers may return an item
    return_shipping_methods TEXT NOT NULL -- JSON list of carrier methods
  ) STRICT;

  -- A merchant has one account per environment. Everything below belongs to an account.
  CREATE TABLE account (
    account_id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused
    merchant_id TEXT NOT NULL REFERENCES merchant,
    environment TEXT NOT NULL, -- test or live
    UNIQUE (merchant_id, environment)
  ) STRICT;

  -- API keys: user name and secret.
  CREATE TABLE credential (
    credential_id INTEGER PRIMARY KEY AUTOINCREMENT, -- access tokens name it, so it is never reused
    account_id INTEGER NOT NULL REFERENCES account,
    user_name TEXT NOT NULL UNIQUE, -- what a client signs in with
    salt BLOB NOT NULL, -- of secret_hash
    secret_hash BLOB NOT NULL, -- the secret itself is not stored
    created_ms INTEGER NOT NULL,
    ends_ms INTEGER, -- rolled keys expire then; null: valid until revoked
    last_used_ms INTEGER -- null: never used
  ) STRICT;
  CREATE INDEX credential_by_account ON credential (account_id);

  -- A warehouse that ships orders of an account.
  CREATE TABLE fulfillment_node (
    account_id INTEGER NOT NULL REFERENCES account,
    node_id TEXT NOT NULL,
    rate_kind TEXT NOT NULL, -- flat or per_pound
    methods TEXT NOT NULL, -- JSON list of carrier methods
    levels TEXT NOT NULL, -- JSON list of service levels
    PRIMARY KEY (account_id, node_id)
  ) STRICT, WITHOUT ROWID;

  -- A place that buyers may return items to.
  CREATE TABLE return_location (
    account_id INTEGER NOT NULL REFERENCES account,
    location_id TEXT NOT NULL,
    PRIMARY KEY (account_id, location_id)
  ) STRICT, WITHOUT ROWID;

  -- Keys that sign access tokens and links to files.
  CREATE TABLE signing_key (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- orders keys made in the same millisecond
    key_id TEXT NOT NULL UNIQUE, -- tokens name it
    secret BLOB NOT NULL, -- HMAC key
    created_ms INTEGER NOT NULL,
    ends_ms INTEGER -- signatures are refused from then on; null: not rotated yet
  ) STRICT;

  -- One row. Every change of settings raises the version first, so its row lock orders the changes.
  CREATE TABLE setup_version (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    version INTEGER NOT NULL, -- processes reload settings when it moves
    program_rules TEXT, -- names the review rules in force: those of the newest program and its options
    program_rules_holds INTEGER NOT NULL DEFAULT 0 -- raised while a process with these rules runs; others review when it stops
  ) STRICT;
  INSERT INTO setup_version (only_row, version) VALUES (1, 0);

  -- One row: the operator's taxonomy. No row: the built-in one is in force.
  CREATE TABLE taxonomy (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    tag TEXT NOT NULL, -- differs for every taxonomy
    source TEXT NOT NULL, -- where it came from, for people
    nodes INTEGER NOT NULL, -- how many nodes it has
    imported_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE taxonomy_part (
    number INTEGER PRIMARY KEY, -- order of the parts
    lines TEXT NOT NULL -- some hundred entries, one line of JSON each
  ) STRICT;

  -- Brands, categories and codes that the operator excludes or restricts.
  CREATE TABLE policy (
    kind TEXT NOT NULL, -- excluded_brand, excluded_category, excluded_code or restricted_brand
    key TEXT NOT NULL, -- equal for two spellings of the same brand
    value TEXT NOT NULL, -- as the operator spelled it
    merchant_ids TEXT NOT NULL, -- JSON list: merchants that may sell a restricted brand
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;

  -- Images such as "no photo" that do not count as an image.
  CREATE TABLE placeholder (
    hash TEXT PRIMARY KEY, -- perceptual hash, hexadecimal
    note TEXT NOT NULL -- for people
  ) STRICT, WITHOUT ROWID;
`;
