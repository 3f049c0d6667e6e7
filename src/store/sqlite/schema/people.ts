/** Creates the tables of people who use the portal, and of what operators did there. */
export const PEOPLE = `
  CREATE TABLE portal_user (
    user_id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL UNIQUE, -- what people sign in with
    role TEXT NOT NULL, -- operator, merchant-admin or merchant-viewer
    merchant_id TEXT REFERENCES merchant, -- null: an operator
    created_ms INTEGER NOT NULL,
    password_hash TEXT, -- null: no password set yet
    last_sign_in_ms INTEGER -- null: never signed in
  ) STRICT;
  CREATE INDEX portal_user_by_merchant ON portal_user (merchant_id);

  -- Links to set a password; each works once.
  CREATE TABLE one_time_link (
    token_hash BLOB PRIMARY KEY, -- SHA-256 of the token in the link
    user_id INTEGER NOT NULL REFERENCES portal_user,
    ends_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX one_time_link_by_user ON one_time_link (user_id);

  -- A session has a row for each token that still works: the newest, and for a minute the one before it.
  -- The cascade also removes sessions that begin while their user is being removed.
  CREATE TABLE portal_session (
    token_hash BLOB PRIMARY KEY, -- SHA-256 of the token in the cookie
    session_id TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES portal_user ON DELETE CASCADE,
    issued_ms INTEGER NOT NULL,
    idle_ends_ms INTEGER NOT NULL, -- the token expires then unless it is used
    ends_ms INTEGER NOT NULL, -- the session expires then, used or not
    next_nonce BLOB -- derives the newest token from this one; null: this is the newest
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX portal_session_by_user ON portal_session (user_id);
  CREATE INDEX portal_session_by_id ON portal_session (session_id);

  -- Activity log of operators.
  CREATE TABLE operator_act (
    act_id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    made_by TEXT NOT NULL, -- e-mail address, or: command line
    act TEXT NOT NULL, -- id of the call, or the words of the command
    subject TEXT NOT NULL, -- what it was done to; empty where the act says it
    detail TEXT NOT NULL -- what was changed, for people
  ) STRICT;
  CREATE INDEX operator_act_by_time ON operator_act (at_ms);
`;
