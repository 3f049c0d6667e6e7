/** The migration that tells whose an import is and whether it lives, and where a removal that has begun to erase exported to. */

/**
 * An import that was cut off has left a merchant that is suspended and has no keys. One that was let in or given keys since is
 * in use: it is a merchant like others from here on, because the next import would erase what it has accepted.
 */
export const MOVE_MARKS = `
  DELETE FROM pending_import WHERE merchant_id IN (SELECT merchant_id FROM merchant WHERE NOT suspended)
    OR merchant_id IN (
      SELECT account.merchant_id FROM account JOIN credential ON credential.account_id = account.account_id);
  ALTER TABLE pending_import ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  ALTER TABLE pending_import ADD COLUMN lease_ends_ms INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE pending_removal (
    merchant_id TEXT PRIMARY KEY REFERENCES merchant,
    owner TEXT NOT NULL,
    exported_to TEXT
  ) STRICT, WITHOUT ROWID;
`;
