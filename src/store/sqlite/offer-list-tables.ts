/**
 * In charge of the tables of the list of offers (see offer-list-port.ts): what the review last listed of an offer, the
 * words that it is found by, and how many offers have each status and sub-status.
 *
 * A narrow table beside `review`, whose rows have evidence of some 600 bytes: 20,000 of them may be looked at for a page.
 * `sub_statuses` has a bit for each (see sub-status-bits.ts), and each bit an index of the offers that have it.
 *
 * `offer_words` finds by the beginnings of words, which bear the number of the account, so that a search of one merchant
 * does not meet words of another. It keeps no text: to take an offer out of it, what went in has to be given again, from
 * `offer_listing`. `secure-delete` has words go at once, not when the index is next put together.
 *
 * Offers that are older are listed by a sweep, which has all of them judged again.
 */
export const OFFER_LIST_TABLES = `
  CREATE TABLE offer_listing (
    sku INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    sub_statuses INTEGER NOT NULL,
    category_id TEXT,
    title_key TEXT NOT NULL,
    words TEXT NOT NULL
  ) STRICT;
  CREATE INDEX offer_listing_by_status ON offer_listing (account_id, status, sku);
  CREATE INDEX offer_listing_by_category ON offer_listing (account_id, category_id, sku) WHERE category_id IS NOT NULL;
  CREATE INDEX offer_listing_by_title ON offer_listing (account_id, title_key, sku);
${Array.from({ length: 12 }, (_, place) => 1 << place)
  .map(
    (bit) =>
      `  CREATE INDEX offer_listing_by_sub_status_${bit} ON offer_listing (account_id, sku) WHERE sub_statuses & ${bit} <> 0;\n`,
  )
  .join('')}
  CREATE VIRTUAL TABLE offer_words USING fts5(words, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
  INSERT INTO offer_words (offer_words, rank) VALUES ('secure-delete', 1);

  CREATE TABLE offer_count (
    account_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    offers INTEGER NOT NULL,
    PRIMARY KEY (account_id, kind, value)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO review_sweep (account_id, cursor) SELECT account_id, 0 FROM account WHERE true
    ON CONFLICT DO UPDATE SET cursor = 0;
  INSERT INTO work_lease (kind, account_id, due_ms)
  SELECT 'review-sweep', account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM account WHERE true
    ON CONFLICT DO NOTHING;
`;
