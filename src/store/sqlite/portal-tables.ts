/** The migration that lets people sign in to the portal: passwords, sessions, and the record of operators' acts. */

/**
 * A session has a row for each of its tokens that still works: the newest, and for a minute the one before. `next_nonce`
 * makes the newest from the one before (see access/portal-sessions.ts). Sessions go with their user, those too that begin while
 * he is being removed.
 */
export const PORTAL_SESSIONS_AND_ACTS = `
  ALTER TABLE portal_user ADD COLUMN password_hash TEXT;
  ALTER TABLE portal_user ADD COLUMN last_sign_in_ms INTEGER;

  CREATE TABLE portal_session (
    token_hash BLOB PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES portal_user ON DELETE CASCADE,
    issued_ms INTEGER NOT NULL,
    idle_ends_ms INTEGER NOT NULL,
    ends_ms INTEGER NOT NULL,
    next_nonce BLOB
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX portal_session_by_user ON portal_session (user_id);
  CREATE INDEX portal_session_by_id ON portal_session (session_id);

  CREATE TABLE operator_act (
    act_id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    made_by TEXT NOT NULL,
    act TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX operator_act_by_time ON operator_act (at_ms);
`;
