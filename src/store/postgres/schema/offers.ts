/**
 * Creates the tables for offers, their change history and the offer list.
 *
 * An offer is one row: a write checks and changes it in one statement, within one shard on Citus. So account_id leads every key. A change
 * to a price copies the row with its document of about 1,400 bytes. A file of prices or stock changes all rows of a page in one
 * transaction, so fillfactor leaves room for each row twice, and no index is touched. Rows beyond 2,000 bytes keep their document out of
 * line, uncompressed and not copied (PostgreSQL never does that for smaller rows, even with another toast_tuple_target).
 *
 * Text is compared as bytes (COLLATE "C"): ids are case-sensitive Unicode. JSON is stored as the text that was sent. A column named
 * *_number* holds the sequence number of the last write to its part, null: none yet. A bulk row does not overwrite a higher number.
 */
import { CLEARABLE_STORAGE } from '../../shared/offers/clearable-parts.ts';

export const OFFERS = `
  -- Sequence numbers of writes.
  CREATE SEQUENCE write_number CACHE 1;

  CREATE TABLE offer (
    account_id bigint NOT NULL,
    sku_id text COLLATE "C" NOT NULL, -- chosen by the merchant
    upload_order bigint NOT NULL, -- order of first upload; never reused
    first_upload_ms bigint NOT NULL,
    archived boolean NOT NULL DEFAULT false, -- true: not for sale, and writes are refused
    archive_number bigint,

    document_tag text COLLATE "C" NOT NULL, -- hash of the document, see store/port/part-tags.ts
    document text COLLATE "C" NOT NULL, -- JSON as it was sent
    document_updated_ms bigint NOT NULL,
    document_number bigint NOT NULL,

    price float8, -- null: none was sent
    price_nodes text COLLATE "C", -- JSON list of prices that differ at single fulfillment nodes
    price_updated_ms bigint,
    price_number bigint,

    inventory jsonb NOT NULL DEFAULT '{}', -- by fulfillment node: [quantity, updated_ms, number]
    inventory_stamp_ms bigint NOT NULL, -- time of the stock of nodes that are not in inventory
    inventory_number bigint NOT NULL DEFAULT 0, -- highest number of a node
    inventory_zeroed_number bigint NOT NULL DEFAULT 0, -- last time all stock was set to zero; nodes with a lower number count as 0

${CLEARABLE_STORAGE.map(
  ({ column, number, about }) => `    ${column} text COLLATE "C", -- ${about}; null: not set
    ${number} bigint,
`,
).join('')}
    group_parent text COLLATE "C", -- sku_id of the parent of the variation group; null: in no group
    group_position integer, -- order of the children; 0: the parent itself
    group_refinements text COLLATE "C", -- only for a parent: JSON as it was sent
    group_title text COLLATE "C", -- only for a parent; null: none was sent
    variation_number bigint,

    -- The review. review_mark is in an index: writes that leave it alone stay within the page (HOT), others do not.
    review_mark bigint, -- sequence number of the write that made the offer due; null: not due
    review_marked_ms bigint,
    review_evidence text COLLATE "C", -- JSON: the findings, and the input that they apply to; null: not reviewed yet
    review_status text COLLATE "C", -- null: not reviewed yet
    review_sub_statuses text COLLATE "C", -- JSON list
    shoe_key text COLLATE "C", -- equal for shoes that belong together; null: not a shoe
    review_rules text COLLATE "C", -- names the rules that applied; while they are active, reads use this verdict
    review_marked_again bigint, -- number of a later write that kept the place of a due offer in the queue (see review-marks.ts)

    -- Old values that the last write replaced, since an update returns only new ones. So a write and its history are one statement; locking
    -- the rows first took three times as long. Documents are too large for that, and are locked.
    changes bigint NOT NULL DEFAULT 0, -- number of changes so far, from which offer_history.seq is taken
    changed_part smallint, -- PART_CODES; null: the write changed nothing
    changed_number bigint, -- sequence number that the part had
    changed_amount float8, -- as offer_history.amount
    changed_text text COLLATE "C", -- as offer_history.text
    changed_stock jsonb -- inventory before the write
  ) WITH (fillfactor = 55, toast_tuple_target = 512);
  ALTER TABLE offer ALTER COLUMN document SET STORAGE EXTERNAL;
  -- Tells the planner that every account is as large as the table. Going by averages, it would read all of an account with a
  -- million offers to find the 64 that a statement names.
  ALTER TABLE offer ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  -- Covers the list of an account's SKUs, in its order.
  CREATE UNIQUE INDEX offer_by_upload_order ON offer (account_id, upload_order) INCLUDE (sku_id);
  CREATE INDEX offer_archived ON offer (account_id, upload_order) WHERE archived;
  CREATE INDEX offer_by_group ON offer (account_id, group_parent, group_position) WHERE group_parent IS NOT NULL;
  -- Added after the others: while the table is empty all indexes cost the same, and the planner takes the newest.
  ALTER TABLE offer ADD PRIMARY KEY (account_id, sku_id);
  CREATE INDEX offer_by_review_mark ON offer (account_id, review_mark, upload_order) WHERE review_mark IS NOT NULL;
  CREATE INDEX offer_by_shoe_key ON offer (account_id, shoe_key, sku_id) WHERE shoe_key IS NOT NULL;

  -- Authors of changes: each name is stored once per account, so that history rows stay short.
  CREATE TABLE author (
    account_id bigint NOT NULL,
    author_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL, -- key:, person: or file:, then the name
    noted_ms bigint NOT NULL, -- last use, to the day; unused authors are dropped
    PRIMARY KEY (account_id, author_id),
    UNIQUE (account_id, name)
  );

  -- The value of a part of an offer before each change (see domain/offers/history.ts). Rows are stored in order of time, so that a BRIN
  -- index of a few bytes per hundred pages finds the old ones.
  CREATE TABLE offer_history (
    account_id bigint NOT NULL,
    upload_order bigint NOT NULL, -- names the offer; shorter than sku_id
    seq bigint NOT NULL, -- order of the changes of an offer; a clock would not do, and rows of a file share one number
    at_ms bigint NOT NULL,
    author_id bigint NOT NULL,
    part smallint NOT NULL, -- PART_CODES
    amount float8, -- price, or 1 for archived and 0 for not archived; null: there was none
    text text COLLATE "C" -- document, node prices, group, exceptions or stock by node; null: there was none
  );
  ALTER TABLE offer_history ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  CREATE INDEX offer_history_by_offer ON offer_history (account_id, upload_order, seq);
  CREATE INDEX offer_history_by_age ON offer_history USING brin (at_ms) WITH (pages_per_range = 32, autosummarize = on);

  -- Search columns of the offer list, as of the last review. Separate from offer, since every write that marks an offer as due
  -- would update all of these indexes.
  CREATE TABLE offer_listing (
    account_id bigint NOT NULL,
    sku_id text COLLATE "C" NOT NULL,
    upload_order bigint NOT NULL,
    status text COLLATE "C" NOT NULL, -- status of the offer
    sub_statuses integer NOT NULL, -- one bit each, see domain/offers/verdict-counts.ts
    category_id text COLLATE "C", -- taxonomy node; null: none
    title_key text COLLATE "C" NOT NULL, -- sort key of the title
    words tsvector NOT NULL -- each begins with the account number, so that a search never finds words of another merchant
  );
  ALTER TABLE offer_listing ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  CREATE INDEX offer_listing_by_status ON offer_listing (account_id, status, upload_order);
  CREATE INDEX offer_listing_by_category ON offer_listing (account_id, category_id, upload_order)
    WHERE category_id IS NOT NULL;
  CREATE INDEX offer_listing_by_title ON offer_listing (account_id, title_key, upload_order);
${Array.from({ length: 12 }, (_, index) => 1 << index)
  .map(
    (bit) =>
      `  CREATE INDEX offer_listing_by_sub_status_${bit} ON offer_listing (account_id, upload_order)
    WHERE sub_statuses & ${bit} <> 0;\n`,
  )
  .join('')}
  -- The limit is in kB. Pending entries, 4 MB by default, are merged into the index by a write that other writes wait for.
  CREATE INDEX offer_listing_by_words ON offer_listing USING gin (words) WITH (gin_pending_list_limit = 256);
  ALTER TABLE offer_listing ADD PRIMARY KEY (account_id, sku_id);
`;
