/**
 * Creates the tables for offers, their change history, the offer list and review results.
 *
 * Each part of an offer has its own narrow table, so that a price change rewrites about 40 bytes instead of a document of about 1,400. Rows
 * name their SKU by sku.id. There are no foreign keys: each would cost a lookup per write.
 *
 * Text is compared as bytes (SQLite's BINARY collation): ids are case-sensitive and hold any Unicode.
 *
 * A column named *number* holds the sequence number of the last write to its part (see write-numbers.ts), 0: none yet. Parts that can be
 * cleared keep their number in sku, where it outlives the part. A bulk row does not overwrite a higher number.
 */
import { CLEARABLE_STORAGE } from '../../shared/offers/clearable-parts.ts';

export const OFFERS = `
  -- One row: the highest sequence number that is reserved.
  CREATE TABLE write_number (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    reserved INTEGER NOT NULL -- numbers up to this one may be in use
  ) STRICT;
  INSERT INTO write_number (only_row, reserved) VALUES (1, 0);

  CREATE TABLE sku (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- in order of first upload; never reused
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL, -- chosen by the merchant
    archived INTEGER NOT NULL DEFAULT 0, -- 1: not for sale, and writes are refused
    first_upload_ms INTEGER NOT NULL,
    inventory_stamp_ms INTEGER NOT NULL, -- time of the stock of nodes without a row in inventory
    archive_number INTEGER NOT NULL DEFAULT 0,
    inventory_zeroed_number INTEGER NOT NULL DEFAULT 0, -- last time all stock was set to zero; applies to every node without a row
${CLEARABLE_STORAGE.map(({ number }) => `    ${number} INTEGER NOT NULL DEFAULT 0,\n`).join('')}    variation_number INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX sku_by_key ON sku (account_id, sku_id);
  -- Covers the list of an account's SKUs, in its order.
  CREATE INDEX sku_by_account ON sku (account_id, id, sku_id);
  CREATE INDEX sku_archived ON sku (account_id, id) WHERE archived = 1;

  -- The uploaded fields. An ordinary table: WITHOUT ROWID inserts documents of this size ten times slower.
  CREATE TABLE sku_document (
    sku INTEGER PRIMARY KEY, -- sku.id, here and below
    tag TEXT NOT NULL, -- hash of the document, see store/port/part-tags.ts
    document TEXT NOT NULL, -- JSON as it was sent
    updated_ms INTEGER NOT NULL,
    number INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE price (
    sku INTEGER PRIMARY KEY,
    price REAL NOT NULL, -- as sent
    nodes TEXT NOT NULL, -- JSON list of prices that differ at single fulfillment nodes
    updated_ms INTEGER NOT NULL,
    number INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE inventory (
    sku INTEGER NOT NULL,
    node_id TEXT NOT NULL, -- fulfillment_node.node_id
    quantity INTEGER NOT NULL, -- as sent; 0: out of stock
    updated_ms INTEGER NOT NULL,
    number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (sku, node_id)
  ) STRICT, WITHOUT ROWID;

${CLEARABLE_STORAGE.map(
  ({ part, sqliteColumn, about }) => `  CREATE TABLE ${part} (
    sku INTEGER PRIMARY KEY,
    ${sqliteColumn} TEXT NOT NULL -- ${about}
  ) STRICT;
`,
).join('\n')}
  CREATE TABLE variation_group (
    parent INTEGER PRIMARY KEY, -- sku.id of the parent
    refinements TEXT NOT NULL, -- JSON as it was sent
    title TEXT -- null: none was sent
  ) STRICT;

  -- The primary key keeps a SKU in one group at most.
  CREATE TABLE variation_member (
    sku INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL, -- variation_group.parent
    position INTEGER NOT NULL -- order of the children; 0: the parent itself
  ) STRICT;
  CREATE INDEX variation_member_by_parent ON variation_member (parent, position);

  -- Authors of changes: each name is stored once per account, so that history rows stay short.
  CREATE TABLE author (
    author_id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL,
    name TEXT NOT NULL, -- key:, person: or file:, then the name
    noted_ms INTEGER NOT NULL, -- last use, to the day; unused authors are dropped
    UNIQUE (account_id, name)
  ) STRICT;
  CREATE INDEX author_by_use ON author (noted_ms);

  -- The value of a part of an offer before each change (see domain/offers/history.ts). Rows are added at the end and dropped from the front.
  CREATE TABLE offer_history (
    seq INTEGER PRIMARY KEY, -- order of the changes
    sku INTEGER NOT NULL,
    part INTEGER NOT NULL, -- PART_CODES
    author_id INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    amount REAL, -- price, or 1 for archived and 0 for not archived; null: there was none
    text TEXT -- document, node prices, group, exceptions or stock by node; null: there was none
  ) STRICT;
  -- Ends with seq, as every index of a table ends with its integer key.
  CREATE INDEX offer_history_by_sku ON offer_history (sku);

  -- Search columns of the offer list, as of the last review. Separate from review, whose rows hold about 600 bytes of evidence: one page of
  -- the list may read 20,000 rows.
  CREATE TABLE offer_listing (
    sku INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    status TEXT NOT NULL, -- status of the offer
    sub_statuses INTEGER NOT NULL, -- one bit each, see domain/offers/verdict-counts.ts
    category_id TEXT, -- taxonomy node; null: none
    title_key TEXT NOT NULL, -- sort key of the title
    words TEXT NOT NULL -- words of the offer, each with a leading space
  ) STRICT;
  CREATE INDEX offer_listing_by_status ON offer_listing (account_id, status, sku);
  CREATE INDEX offer_listing_by_category ON offer_listing (account_id, category_id, sku) WHERE category_id IS NOT NULL;
  CREATE INDEX offer_listing_by_title ON offer_listing (account_id, title_key, sku);
${Array.from({ length: 12 }, (_, index) => 1 << index)
  .map(
    (bit) =>
      `  CREATE INDEX offer_listing_by_sub_status_${bit} ON offer_listing (account_id, sku) WHERE sub_statuses & ${bit} <> 0;\n`,
  )
  .join('')}
  -- Finds offers by the beginnings of words. Words begin with the account number, so that a search never finds words of another merchant.
  -- The table keeps no text: to remove words of an offer, they are passed again. Its segments are merged by word-index.ts, in bounded steps.
  CREATE VIRTUAL TABLE offer_words USING fts5(words, content = '', detail = column, columnsize = 0, tokenize = 'ascii');
  INSERT INTO offer_words (offer_words, rank) VALUES ('automerge', 0);

  -- Changes that offer_words does not have yet. Rows are added at the end, in the commit of the listing, and taken from the front.
  CREATE TABLE word_change (
    seq INTEGER PRIMARY KEY, -- order of the changes
    account_id INTEGER NOT NULL,
    sku INTEGER NOT NULL, -- 0: after an erasure, merges the whole index, which drops removed words
    removed TEXT NOT NULL, -- words, each with a leading space
    added TEXT NOT NULL -- as removed
  ) STRICT;

  -- Offers due for review. Separate from review, so that the table is as short as the queue and fast to write.
  CREATE TABLE review_due (
    sku INTEGER PRIMARY KEY, -- sku.id
    account_id INTEGER NOT NULL,
    mark INTEGER NOT NULL, -- sequence number of the write that made it due
    marked_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX review_due_by_account ON review_due (account_id, mark, sku);

  -- Results of the last review.
  CREATE TABLE review (
    sku INTEGER PRIMARY KEY, -- sku.id
    account_id INTEGER NOT NULL,
    status TEXT NOT NULL, -- status of the offer
    sub_statuses TEXT NOT NULL, -- JSON list
    shoe_key TEXT, -- equal for shoes that belong together; null: not a shoe
    evidence TEXT NOT NULL, -- JSON: the findings, and the input that they apply to
    rules TEXT NOT NULL DEFAULT '' -- names the rules that applied; while they are active, reads use this verdict
  ) STRICT;
  CREATE INDEX review_by_shoe_key ON review (account_id, shoe_key) WHERE shoe_key IS NOT NULL;
`;
