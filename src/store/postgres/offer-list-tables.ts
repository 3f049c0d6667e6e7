/**
 * In charge of the tables of the list of offers (see offer-list-port.ts): what the review last listed of an offer, with the
 * words that it is found by, and how many offers have each status and sub-status.
 *
 * Not columns of `offer`: every write that marks an offer as due gives its row a new place, and would touch all of these
 * indexes. `sub_statuses` has a bit for each (see sub-status-bits.ts), and each bit an index of the offers that have it.
 * Words bear the number of the account, so that a search of one merchant does not meet words of another.
 *
 * Offers that are older are listed by a sweep, which has all of them judged again.
 */
import { STORE_MS } from './store-time.ts';

export const OFFER_LIST_TABLES = `
  CREATE TABLE offer_listing (
    account_id bigint NOT NULL,
    sku_id text COLLATE "C" NOT NULL,
    upload_order bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    sub_statuses integer NOT NULL,
    category_id text COLLATE "C",
    title_key text COLLATE "C" NOT NULL,
    words tsvector NOT NULL
  );
  -- To the planner every account is as large as the table, as it is with offers.
  ALTER TABLE offer_listing ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN account_id SET STATISTICS 1;
  CREATE INDEX offer_listing_by_status ON offer_listing (account_id, status, upload_order);
  CREATE INDEX offer_listing_by_category ON offer_listing (account_id, category_id, upload_order)
    WHERE category_id IS NOT NULL;
  CREATE INDEX offer_listing_by_title ON offer_listing (account_id, title_key, upload_order);
${Array.from({ length: 12 }, (_, place) => 1 << place)
  .map(
    (bit) =>
      `  CREATE INDEX offer_listing_by_sub_status_${bit} ON offer_listing (account_id, upload_order)
    WHERE sub_statuses & ${bit} <> 0;\n`,
  )
  .join('')}
  -- In kB. What waits to be put into the index, 4 MB by default, is put there by a write that others wait for.
  CREATE INDEX offer_listing_by_words ON offer_listing USING gin (words) WITH (gin_pending_list_limit = 256);
  ALTER TABLE offer_listing ADD PRIMARY KEY (account_id, sku_id);

  CREATE TABLE offer_count (
    account_id bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    offers bigint NOT NULL,
    PRIMARY KEY (account_id, kind, value)
  ) WITH (fillfactor = 50);

  INSERT INTO review_sweep (account_id, cursor) SELECT account_id, 0 FROM account ORDER BY account_id
    ON CONFLICT (account_id) DO UPDATE SET cursor = 0;
  INSERT INTO work_lease (kind, account_id, due_ms) SELECT 'review-sweep', account_id, ${STORE_MS} FROM account
    ON CONFLICT (kind, account_id) DO NOTHING;
`;
