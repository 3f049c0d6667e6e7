/** In charge of the tables of the history of offers, as the migration makes them; never edited once released. */

/**
 * What was changed in offers (see history-rows.ts). Records are only added at the end, and dropped from the front: `seq`
 * is their order. The index holds it behind the SKU, as every index does. `author` has who is named, once each.
 */
export const HISTORY = `
  CREATE TABLE author (
    author_id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    noted_ms INTEGER NOT NULL,
    UNIQUE (account_id, name)
  ) STRICT;
  CREATE INDEX author_by_use ON author (noted_ms);

  CREATE TABLE offer_history (
    seq INTEGER PRIMARY KEY,
    sku INTEGER NOT NULL,
    part INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    amount REAL,
    text TEXT
  ) STRICT;
  CREATE INDEX offer_history_by_sku ON offer_history (sku);
`;
