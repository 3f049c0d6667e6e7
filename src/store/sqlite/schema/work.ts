/** Creates the tables of background work: leases, bulk files, reports, moves of whole merchants, and request counts. */
export const WORK = `
  -- Accounts with background work of a kind, and who does it (see work-port.ts).
  CREATE TABLE work_lease (
    kind TEXT NOT NULL, -- which background loop
    account_id INTEGER NOT NULL, -- 0: work for no account in particular
    due_ms INTEGER NOT NULL, -- may be taken from then on
    announced_due_ms INTEGER, -- announced again while it is held: due then after the holder finishes; null: not
    holder TEXT, -- the process, for people; null: not held
    lease_ends_ms INTEGER NOT NULL DEFAULT 0, -- 0: not held
    fence INTEGER NOT NULL DEFAULT 0, -- rises with every lease, so that a late holder is told apart; 0: not held
    PRIMARY KEY (kind, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX work_lease_by_due ON work_lease (kind, due_ms, account_id);

  -- Bulk files (see file-port.ts). From type to status, null until the file is submitted. The bytes are on disk.
  CREATE TABLE bulk_file (
    account_id INTEGER NOT NULL,
    file_id TEXT NOT NULL,
    created_ms INTEGER NOT NULL, -- the upload link was made; 0: discarded, the retention sweep deletes the bytes
    bytes INTEGER, -- size as sent; null: not uploaded yet
    type TEXT, -- which part of offers its rows write
    name TEXT, -- as the merchant named it
    received_ms INTEGER, -- submitted then
    number INTEGER, -- sequence number of all its rows, drawn when it is submitted
    status TEXT, -- Acknowledged, Processing, Cancelled or how it ended
    started_ms INTEGER, -- null: not started
    ended_ms INTEGER, -- finished, failed or cancelled; null: not yet
    phase TEXT NOT NULL DEFAULT 'rows', -- rows: first pass; waiting: some rows are deferred; again: those are retried
    next_offset INTEGER NOT NULL DEFAULT 0, -- place in the unpacked file: all before it is done in this phase
    bytes_read INTEGER NOT NULL DEFAULT 0, -- of the file as sent; for people who watch
    rows_processed INTEGER NOT NULL DEFAULT 0, -- failed and superseded ones included, deferred ones not
    rows_failed INTEGER NOT NULL DEFAULT 0, -- each has an error in the error file
    rows_superseded INTEGER NOT NULL DEFAULT 0, -- a later write had changed the same part
    rows_waiting INTEGER NOT NULL DEFAULT 0, -- deferred rows
    error_bytes INTEGER NOT NULL DEFAULT 0, -- valid length of the error file; what follows was not committed
    retry_bytes INTEGER NOT NULL DEFAULT 0, -- the same of the retry file
    aside_bytes INTEGER NOT NULL DEFAULT 0, -- the same of the file of deferred rows
    error_excerpt TEXT NOT NULL DEFAULT '[]', -- JSON list of the first errors
    file_faults INTEGER NOT NULL DEFAULT 0, -- errors of the file as a whole
    ignored_fields TEXT NOT NULL DEFAULT '[]', -- JSON list of {field, rows}: fields that no rule knows
    PRIMARY KEY (account_id, file_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX bulk_file_by_number ON bulk_file (account_id, number) WHERE number IS NOT NULL;
  CREATE INDEX bulk_file_unfinished ON bulk_file (account_id, type, number)
    WHERE status IN ('Acknowledged', 'Processing');
  CREATE INDEX bulk_file_by_age ON bulk_file (created_ms);
  CREATE INDEX bulk_file_not_received ON bulk_file (account_id, created_ms) WHERE number IS NULL;

  -- Reports that a merchant requested. The bytes are on disk.
  CREATE TABLE report (
    account_id INTEGER NOT NULL,
    report_id TEXT NOT NULL,
    requested_ms INTEGER NOT NULL, -- 0: discarded, the retention sweep deletes the bytes
    status TEXT NOT NULL, -- Requested, Ready or Failed
    ended_ms INTEGER, -- null: still Requested
    bytes INTEGER NOT NULL DEFAULT 0, -- size on disk
    PRIMARY KEY (account_id, report_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX report_requested ON report (account_id, requested_ms, report_id) WHERE status = 'Requested';
  CREATE INDEX report_by_age ON report (requested_ms);

  -- Merchants whose import has not finished. Until then they are suspended.
  CREATE TABLE pending_import (
    merchant_id TEXT PRIMARY KEY REFERENCES merchant,
    owner TEXT NOT NULL DEFAULT '', -- the command that imports; another one may take over a dead import
    lease_ends_ms INTEGER NOT NULL DEFAULT 0 -- without a sign of life until then the import counts as dead
  ) STRICT, WITHOUT ROWID;

  -- Merchants whose removal has not finished.
  CREATE TABLE pending_removal (
    merchant_id TEXT PRIMARY KEY REFERENCES merchant,
    owner TEXT NOT NULL, -- the command that removes
    exported_to TEXT -- file with the whole merchant, set when erasing begins; null: nothing is erased yet
  ) STRICT, WITHOUT ROWID;

  -- One row while another database is being copied into this one (see copy-port.ts).
  CREATE TABLE copy_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    source TEXT NOT NULL, -- names the other database
    tables_digest TEXT NOT NULL, -- of its small tables, which must not change during the copy
    write_number INTEGER NOT NULL, -- its last sequence number
    account_id INTEGER NOT NULL, -- offers up to this account and upload order are copied
    upload_order INTEGER NOT NULL
  ) STRICT;

  -- Requests by account and minute.
  CREATE TABLE request_count (
    account_id INTEGER NOT NULL,
    minute INTEGER NOT NULL, -- since 1970
    requests INTEGER NOT NULL, -- all
    errors INTEGER NOT NULL, -- answered with 400 or above, 429 not included
    refused INTEGER NOT NULL, -- answered 429
    PRIMARY KEY (account_id, minute)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX request_count_by_minute ON request_count (minute);
`;
