/** The tables of the review as later releases changed them: texts of the list in migrations.ts, never edited once released. */

/** How often a process said that it goes by the rules in force: others judge when nobody does any more. */
export const RULES_HELD = `
  ALTER TABLE setup_version ADD COLUMN program_rules_holds INTEGER NOT NULL DEFAULT 0;
`;

/**
 * `image_user` has the offers that were judged by a picture. Where another one is found at its address they are told slice by
 * slice; the queue knows behind whom the next slice begins, and nothing where nobody is to be told.
 */
export const IMAGE_USERS = `
  CREATE TABLE image_user (
    address_hash BLOB NOT NULL,
    account_id INTEGER NOT NULL,
    sku_id TEXT NOT NULL,
    PRIMARY KEY (address_hash, account_id, sku_id)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE image_queue ADD COLUMN told_account_id INTEGER;
  ALTER TABLE image_queue ADD COLUMN told_sku_id TEXT;
`;

/**
 * Wishes for a new look. `asked_ms` is when the last look ended that was asked for, `is_asked` says that the next one is, or
 * that which is under way, and `again_pause_ms` that another one was asked for meanwhile, so long behind the last.
 */
export const IMAGE_WISHES = `
  ALTER TABLE image ADD COLUMN asked_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE image_queue ADD COLUMN asked_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE image_queue ADD COLUMN is_asked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE image_queue ADD COLUMN again_pause_ms INTEGER;
`;

/** What the last try found that failed and is made again; nothing where none did. */
export const IMAGE_FAILED_TRIES = `
  ALTER TABLE image_queue ADD COLUMN failed_try TEXT;
`;

/**
 * What the catalog has learned of products while not all offers of them were told: `number` is that of the operator's
 * correction, 0 where an offer brought the product, and the next slice begins behind the offer that is named.
 */
export const CATALOG_NEWS = `
  CREATE TABLE catalog_news (
    code TEXT NOT NULL,
    environment TEXT NOT NULL,
    number INTEGER NOT NULL,
    told_account_id INTEGER,
    told_sku_id TEXT,
    PRIMARY KEY (code, environment)
  ) STRICT, WITHOUT ROWID;
`;
