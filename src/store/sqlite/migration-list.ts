/** In charge of the tables and of how they change from one release to the next: a list that only grows. */
import { HISTORY } from './history-tables.ts';
import { MOVE_MARKS } from './move-mark-tables.ts';
import { OFFER_LIST_TABLES } from './offer-list-tables.ts';
import { PORTAL_SESSIONS_AND_ACTS } from './portal-tables.ts';
import { REQUEST_COUNT_TABLES } from './request-count-tables.ts';
import { CATALOG_NEWS, IMAGE_FAILED_TRIES, IMAGE_USERS, IMAGE_WISHES, RULES_HELD } from './review-migrations.ts';

/**
 * One narrow table for each part of an offer, so that a change of price rewrites some 40 bytes and not the document
 * of some 1,400. A SKU is known to them by a number; its order is the order of first upload.
 *
 * Text is compared as bytes (SQLite's BINARY): ids are case-sensitive and hold any Unicode. Only the set-up tables
 * refer to each other by foreign keys; on the offer tables these would cost a look-up for each write.
 */
const OFFERS_AND_SETUP = `
  CREATE TABLE sku (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    first_upload_ms INTEGER NOT NULL,
    inventory_stamp_ms INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX sku_by_key ON sku (account_id, sku_id);
  -- Holds all that a list of an account's SKUs needs, in its order.
  CREATE INDEX sku_by_account ON sku (account_id, id, sku_id);

  -- An ordinary table: WITHOUT ROWID takes documents of this size ten times slower.
  CREATE TABLE sku_document (
    sku INTEGER PRIMARY KEY,
    document TEXT NOT NULL,
    updated_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE price (
    sku INTEGER PRIMARY KEY,
    price REAL NOT NULL,
    nodes TEXT NOT NULL,
    updated_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE inventory (
    sku INTEGER NOT NULL,
    node_id TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    PRIMARY KEY (sku, node_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE shipping_exception (sku INTEGER PRIMARY KEY, exceptions TEXT NOT NULL) STRICT;
  CREATE TABLE returns_exception (sku INTEGER PRIMARY KEY, location_ids TEXT NOT NULL) STRICT;

  CREATE TABLE variation_group (parent INTEGER PRIMARY KEY, refinements TEXT NOT NULL, title TEXT) STRICT;
  -- The parent is a member too, at position 0: the key is what keeps a SKU in one group at most.
  CREATE TABLE variation_member (
    sku INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX variation_member_by_parent ON variation_member (parent, position);

  CREATE TABLE merchant (
    merchant_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    suspended INTEGER NOT NULL DEFAULT 0,
    time_to_return_days INTEGER NOT NULL,
    return_shipping_methods TEXT NOT NULL
  ) STRICT;

  CREATE TABLE account (
    account_id INTEGER PRIMARY KEY AUTOINCREMENT,
    merchant_id TEXT NOT NULL REFERENCES merchant,
    environment TEXT NOT NULL,
    UNIQUE (merchant_id, environment)
  ) STRICT;

  -- AUTOINCREMENT never gives a number twice, also after its row was deleted: tokens name credentials by it.
  CREATE TABLE credential (
    credential_id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account,
    user_name TEXT NOT NULL UNIQUE,
    salt BLOB NOT NULL,
    secret_hash BLOB NOT NULL,
    created_ms INTEGER NOT NULL,
    ends_ms INTEGER
  ) STRICT;
  CREATE INDEX credential_by_account ON credential (account_id);

  CREATE TABLE fulfillment_node (
    account_id INTEGER NOT NULL REFERENCES account,
    node_id TEXT NOT NULL,
    rate_kind TEXT NOT NULL,
    methods TEXT NOT NULL,
    levels TEXT NOT NULL,
    PRIMARY KEY (account_id, node_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE return_location (
    account_id INTEGER NOT NULL REFERENCES account,
    location_id TEXT NOT NULL,
    PRIMARY KEY (account_id, location_id)
  ) STRICT, WITHOUT ROWID;

  -- The number keeps the order of keys made in the same millisecond.
  CREATE TABLE signing_key (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key_id TEXT NOT NULL UNIQUE,
    secret BLOB NOT NULL,
    created_ms INTEGER NOT NULL,
    ends_ms INTEGER
  ) STRICT;

  CREATE TABLE setup_version (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), version INTEGER NOT NULL) STRICT;
  INSERT INTO setup_version VALUES (1, 0);
`;

/** Portal users, the links by which they set a password, and the mark of merchants that are half moved in. */
const PORTAL_USERS_AND_IMPORTS = `
  CREATE TABLE portal_user (
    user_id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    merchant_id TEXT REFERENCES merchant,
    created_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX portal_user_by_merchant ON portal_user (merchant_id);

  CREATE TABLE one_time_link (
    token_hash BLOB PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES portal_user,
    ends_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX one_time_link_by_user ON one_time_link (user_id);

  CREATE TABLE pending_import (merchant_id TEXT PRIMARY KEY REFERENCES merchant) STRICT, WITHOUT ROWID;
`;

/**
 * The number of the last write to each part of an offer (see write-numbers.ts), 0 for what is older than the numbers.
 * What can be cleared has its number with the SKU, where it outlives the part. `inventory_zeroed_number` is that of the
 * whole stock, and so of every node that has no row.
 */
const WRITE_NUMBERS = `
  CREATE TABLE write_number (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), reserved INTEGER NOT NULL) STRICT;
  INSERT INTO write_number VALUES (1, 0);

  ALTER TABLE sku ADD COLUMN archive_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sku ADD COLUMN inventory_zeroed_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sku ADD COLUMN shipping_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sku ADD COLUMN returns_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sku ADD COLUMN group_number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sku_document ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE price ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE inventory ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
`;

/** Accounts with background work, and who does it (see work-leases.ts). Unheld: `lease_ends_ms` and `fence` are 0. */
const WORK_LEASES = `
  CREATE TABLE work_lease (
    kind TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    due_ms INTEGER NOT NULL,
    announced_due_ms INTEGER,
    holder TEXT,
    lease_ends_ms INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX work_lease_by_due ON work_lease (kind, due_ms, account_id);
`;

/** There while a copy of another store is on its way into this one (see copy-port.ts), and how far it came. */
const COPY_MARK = `
  CREATE TABLE copy_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    source TEXT NOT NULL,
    tables_digest TEXT NOT NULL,
    write_number INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    upload_order INTEGER NOT NULL
  ) STRICT;
`;

/** The operator's taxonomy, one line of JSON for each entry, some hundred in a part; none: the starter is in force. */
const TAXONOMY = `
  CREATE TABLE taxonomy (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    tag TEXT NOT NULL,
    source TEXT NOT NULL,
    nodes INTEGER NOT NULL,
    imported_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE taxonomy_part (number INTEGER PRIMARY KEY, lines TEXT NOT NULL) STRICT;
`;

/**
 * The review of offers (see review-port.ts). A due offer has a row in `review_due`, which is as long as the queue and so
 * quick to write: `mark` is the number of the write that made it due. What the review found is apart, in `review`.
 *
 * `review_sweep` has the accounts whose offers are being marked, and how far that came: offers that are older than the
 * review are marked so.
 */
const REVIEW = `
  CREATE TABLE review_due (
    sku INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    mark INTEGER NOT NULL,
    marked_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX review_due_by_account ON review_due (account_id, mark, sku);

  CREATE TABLE review (
    sku INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    sub_statuses TEXT NOT NULL,
    judged_ms INTEGER NOT NULL,
    shoe_key TEXT,
    evidence TEXT NOT NULL
  ) STRICT;
  CREATE INDEX review_by_shoe_key ON review (account_id, shoe_key) WHERE shoe_key IS NOT NULL;

  CREATE TABLE review_sweep (account_id INTEGER PRIMARY KEY, cursor INTEGER NOT NULL) STRICT;
  INSERT INTO review_sweep SELECT account_id, 0 FROM account;
  INSERT INTO work_lease (kind, account_id, due_ms)
  SELECT 'review-sweep', account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM account;
`;

/**
 * What the review shares between accounts. `catalog` has one product for each code and environment, as the first offer
 * made it, `catalog_correction` what the operator said of it, and `catalog_user` the offers that are judged by it.
 *
 * Pictures are known by the SHA-256 of their address (see image-queue.ts for the queue). `policy` and `placeholder` are the
 * operator's.
 */
const CATALOG_IMAGES_POLICIES = `
  CREATE TABLE catalog (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    brand TEXT NOT NULL,
    title TEXT NOT NULL,
    category_id TEXT,
    PRIMARY KEY (code, environment)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE catalog_correction (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    brand TEXT NOT NULL,
    title TEXT NOT NULL,
    category_id TEXT,
    PRIMARY KEY (code, environment)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE catalog_user (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    PRIMARY KEY (code, environment, account_id, sku_id)
  ) STRICT, WITHOUT ROWID;

  -- An ordinary table: its evidence is as large as a document.
  CREATE TABLE image (
    address_hash BLOB PRIMARY KEY,
    address TEXT NOT NULL,
    evidence TEXT NOT NULL,
    judged_ms INTEGER NOT NULL,
    etag TEXT
  ) STRICT;
  CREATE TABLE image_waiting (
    address_hash BLOB NOT NULL,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    PRIMARY KEY (address_hash, account_id, sku_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE image_queue (
    address_hash BLOB PRIMARY KEY,
    address TEXT NOT NULL,
    host TEXT NOT NULL,
    due_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX image_queue_by_host ON image_queue (host, due_ms, address_hash);
  CREATE INDEX image_queue_under_way ON image_queue (host, due_ms) WHERE fence <> 0;
  CREATE INDEX image_queue_by_age ON image_queue (since_ms);
  CREATE TABLE image_host (host TEXT PRIMARY KEY, turn_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX image_host_by_turn ON image_host (turn_ms, host);

  CREATE TABLE policy (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    merchant_ids TEXT NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE placeholder (hash TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
  ALTER TABLE setup_version ADD COLUMN program_rules TEXT;
`;

/** By which rules each offer was judged: a read need not judge it again while they are the same. */
const REVIEW_RULES = `
  ALTER TABLE review ADD COLUMN rules TEXT NOT NULL DEFAULT '';
`;

/**
 * Pictures wait in lanes, by the account that pays for them and the host (see image-turns.ts): an account with many hosts
 * has no more places than others. `lost` counts looks that nobody came back from.
 */
const IMAGE_LANES = `
  DROP INDEX image_queue_by_host;
  DROP TABLE image_host;
  ALTER TABLE image_queue ADD COLUMN account_id INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE image_queue ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
  UPDATE image_queue SET account_id = coalesce(
    (SELECT min(account_id) FROM image_waiting w WHERE w.address_hash = image_queue.address_hash), 0);
  CREATE INDEX image_queue_by_lane ON image_queue (account_id, host, due_ms, address_hash);
  CREATE INDEX image_queue_under_way_of_account ON image_queue (account_id, due_ms) WHERE fence <> 0;

  CREATE TABLE image_lane (
    account_id INTEGER NOT NULL,
    host TEXT NOT NULL,
    turn_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, host)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX image_lane_by_turn ON image_lane (account_id, turn_ms, host);
  CREATE INDEX image_lane_by_host ON image_lane (host, turn_ms, account_id);
  INSERT INTO image_lane SELECT account_id, host, min(due_ms) FROM image_queue GROUP BY account_id, host;
  CREATE TABLE image_account (account_id INTEGER PRIMARY KEY, turn_ms INTEGER NOT NULL) STRICT;
  CREATE INDEX image_account_by_turn ON image_account (turn_ms, account_id);
  INSERT INTO image_account SELECT account_id, min(turn_ms) FROM image_lane GROUP BY account_id;
`;

/**
 * Bulk files and reports (see file-port.ts). Columns from `type` to `status` are null until the file was handed over.
 * `created_ms` and `requested_ms` are 0 for what was discarded: it is only there for the sweep for retention.
 */
const BULK_FILES_AND_REPORTS = `
  CREATE TABLE bulk_file (
    account_id INTEGER NOT NULL,
    file_id TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    bytes INTEGER,
    type TEXT,
    name TEXT,
    received_ms INTEGER,
    number INTEGER,
    status TEXT,
    started_ms INTEGER,
    ended_ms INTEGER,
    phase TEXT NOT NULL DEFAULT 'rows',
    read_offset INTEGER NOT NULL DEFAULT 0,
    bytes_read INTEGER NOT NULL DEFAULT 0,
    rows_processed INTEGER NOT NULL DEFAULT 0,
    rows_failed INTEGER NOT NULL DEFAULT 0,
    rows_superseded INTEGER NOT NULL DEFAULT 0,
    rows_waiting INTEGER NOT NULL DEFAULT 0,
    error_bytes INTEGER NOT NULL DEFAULT 0,
    retry_bytes INTEGER NOT NULL DEFAULT 0,
    aside_bytes INTEGER NOT NULL DEFAULT 0,
    error_excerpt TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (account_id, file_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX bulk_file_by_number ON bulk_file (account_id, number) WHERE number IS NOT NULL;
  CREATE INDEX bulk_file_unfinished ON bulk_file (account_id, type, number)
    WHERE status IN ('Acknowledged', 'Processing');
  CREATE INDEX bulk_file_by_age ON bulk_file (created_ms);

  CREATE TABLE report (
    account_id INTEGER NOT NULL,
    report_id TEXT NOT NULL,
    requested_ms INTEGER NOT NULL,
    status TEXT NOT NULL,
    ended_ms INTEGER,
    bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, report_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX report_requested ON report (account_id, requested_ms, report_id) WHERE status = 'Requested';
  CREATE INDEX report_by_age ON report (requested_ms);
`;

/** How many faults a file as a whole has, and what the sweep for uploads that nobody handed over looks at. */
const FILE_FAULTS_AND_UPLOADS = `
  ALTER TABLE bulk_file ADD COLUMN file_faults INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX bulk_file_not_received ON bulk_file (account_id, created_ms) WHERE number IS NULL;
`;

/** Of a bulk file: which fields its rows have that no rule knows. */
const IGNORED_FIELDS = `
  ALTER TABLE bulk_file ADD COLUMN ignored_fields TEXT NOT NULL DEFAULT '[]';
`;

/** Forward only: a released text is never edited, a change is a new one at the end. */
export const MIGRATIONS: readonly string[] = Object.freeze([
  OFFERS_AND_SETUP,
  PORTAL_USERS_AND_IMPORTS,
  WRITE_NUMBERS,
  WORK_LEASES,
  COPY_MARK,
  TAXONOMY,
  REVIEW,
  CATALOG_IMAGES_POLICIES,
  REVIEW_RULES,
  IMAGE_LANES,
  BULK_FILES_AND_REPORTS,
  RULES_HELD,
  IMAGE_USERS,
  CATALOG_NEWS,
  FILE_FAULTS_AND_UPLOADS,
  HISTORY,
  PORTAL_SESSIONS_AND_ACTS,
  OFFER_LIST_TABLES,
  REQUEST_COUNT_TABLES,
  IGNORED_FIELDS,
  IMAGE_WISHES,
  IMAGE_FAILED_TRIES,
  MOVE_MARKS,
]);
