/** Creates the tables for background work: leases, bulk files, reports, moves of whole merchants, request counts and the request log. */
export const WORK = `
  -- Accounts with background work of a kind, and who does it (see port/work.ts).
  CREATE TABLE work_lease (
    kind text NOT NULL, -- which background loop
    account_id bigint NOT NULL, -- 0: work for no account in particular
    due_ms bigint NOT NULL, -- when it may be taken
    announced_due_ms bigint, -- when it is due after the holder finishes, if it was announced while held; null: it was not
    holder text, -- the process, for people; null: not held
    lease_ends_ms bigint NOT NULL DEFAULT 0, -- 0: not held
    fence bigint NOT NULL DEFAULT 0, -- rises with every lease, so that a late holder is detected; 0: not held
    backlog bigint NOT NULL DEFAULT 0, -- 1: a lot of work, which fresh work of other accounts may overtake
    PRIMARY KEY (kind, account_id)
  ) WITHOUT ROWID;
  CREATE INDEX work_lease_by_due ON work_lease (kind, due_ms, account_id);
  CREATE INDEX work_lease_fresh ON work_lease (kind, due_ms) WHERE backlog = 0;

  -- Bulk files (see port/files.ts). The columns from type to status are null until the file is submitted. The bytes are on disk.
  CREATE TABLE bulk_file (
    account_id bigint NOT NULL,
    file_id text NOT NULL,
    created_ms bigint NOT NULL, -- when the upload URL was issued; 0: discarded, the retention sweep deletes the bytes
    bytes bigint, -- size as sent; null: not uploaded yet
    type text, -- which part of offers its rows write
    name text, -- as the merchant named it
    received_ms bigint, -- when it was submitted
    number bigint, -- sequence number of all its rows, drawn when it is submitted
    status text, -- Acknowledged, Processing, Cancelled or how it ended
    started_ms bigint, -- null: not started
    ended_ms bigint, -- when it finished, failed or was cancelled; null: not yet
    phase text NOT NULL DEFAULT 'rows', -- rows: first pass; waiting: some rows are deferred; again: those are retried
    format text NOT NULL DEFAULT '', -- JSON, NDJSON or CSV; empty: not read yet, or none of them
    compression text NOT NULL DEFAULT '', -- none or gzip; empty: not read yet
    next_offset bigint NOT NULL DEFAULT 0, -- position in the unpacked file; everything before it is done in this phase
    bytes_read bigint NOT NULL DEFAULT 0, -- bytes of the file as sent that were read; shown as progress
    rows_processed bigint NOT NULL DEFAULT 0, -- includes failed and superseded rows, but not deferred ones
    rows_failed bigint NOT NULL DEFAULT 0, -- each has an error in the error file
    rows_superseded bigint NOT NULL DEFAULT 0, -- a later write had changed the same part
    rows_waiting bigint NOT NULL DEFAULT 0, -- deferred rows
    error_bytes bigint NOT NULL DEFAULT 0, -- valid length of the error file; later bytes were not committed
    retry_bytes bigint NOT NULL DEFAULT 0, -- the same for the retry file
    deferred_bytes bigint NOT NULL DEFAULT 0, -- the same for the file of deferred rows
    error_excerpt text NOT NULL DEFAULT '[]', -- JSON list of the first errors
    file_faults bigint NOT NULL DEFAULT 0, -- errors of the file as a whole
    ignored_fields text NOT NULL DEFAULT '[]', -- JSON list of {field, rows}: fields that no rule knows
    validate_only smallint NOT NULL DEFAULT 0, -- 1: rows are checked, and nothing is written
    PRIMARY KEY (account_id, file_id)
  ) WITHOUT ROWID;
  CREATE INDEX bulk_file_by_number ON bulk_file (account_id, number) WHERE number IS NOT NULL;
  CREATE INDEX bulk_file_unfinished ON bulk_file (account_id, type, number)
    WHERE status IN ('Acknowledged', 'Processing');
  CREATE INDEX bulk_file_by_age ON bulk_file (created_ms);
  CREATE INDEX bulk_file_not_received ON bulk_file (account_id, created_ms) WHERE number IS NULL;

  -- Reports that a merchant requested, and exports of the storefront. The bytes are on disk.
  CREATE TABLE report (
    account_id bigint NOT NULL,
    report_id text NOT NULL,
    type text NOT NULL, -- ProductStatus, Fingerprints, Offers or Storefront
    format text NOT NULL DEFAULT 'CSV', -- CSV or NDJSON; of exports also google-xml, google-tsv or acp
    feed_cursor text, -- where the changes of the storefront continue an export; null for other reports
    requested_ms bigint NOT NULL, -- 0: discarded, the retention sweep deletes the bytes
    status text NOT NULL, -- Requested, Ready or Failed
    ended_ms bigint, -- null: still Requested
    bytes bigint NOT NULL DEFAULT 0, -- size on disk
    PRIMARY KEY (account_id, report_id)
  ) WITHOUT ROWID;
  CREATE INDEX report_requested ON report (account_id, requested_ms, report_id) WHERE status = 'Requested';
  CREATE INDEX report_by_age ON report (requested_ms);

  -- Changes to many offers that were tried (see port/plans.ts). The bulk file with the same id applies them.
  CREATE TABLE plan (
    account_id bigint NOT NULL,
    plan_id text NOT NULL,
    number bigint NOT NULL, -- drawn before the offers were read
    made_by text NOT NULL, -- the key or the user that made it
    created_ms bigint NOT NULL,
    needs bigint NOT NULL, -- scopes that a key needs to apply it, as bits
    totals text NOT NULL, -- JSON: numbers of offers, largest change, lowest price
    reasons text NOT NULL, -- JSON list: why it needed an approval when it was made
    decision text, -- approved or refused by a user; null: neither
    decided_by text, -- email address of the user
    offers text NOT NULL, -- JSON list: the offers as they were shown
    PRIMARY KEY (account_id, plan_id)
  ) WITHOUT ROWID;
  CREATE INDEX plan_by_age ON plan (account_id, created_ms);

  -- Requests with an Idempotency-Key, so that a repeat gets the same response.
  CREATE TABLE idempotency_key (
    account_id bigint NOT NULL,
    key text NOT NULL, -- as sent
    fingerprint text NOT NULL, -- hash of method, address and body
    number bigint NOT NULL, -- drawn with the first claim; a repeat does not overwrite data with a higher one
    claimed_ms bigint NOT NULL,
    lease_ends_ms bigint NOT NULL, -- until then the request counts as running, unless it has a response
    answer text, -- JSON of the response; null: none stored
    PRIMARY KEY (account_id, key)
  ) WITHOUT ROWID;
  CREATE INDEX idempotency_key_by_age ON idempotency_key (account_id, claimed_ms);

  -- Merchants whose import has not finished. Until then they are suspended.
  CREATE TABLE pending_import (
    merchant_id text PRIMARY KEY REFERENCES merchant,
    owner text NOT NULL DEFAULT '', -- the command that imports; another one may take over a dead import
    lease_ends_ms bigint NOT NULL DEFAULT 0 -- the import counts as dead after this time, unless its owner renews the lease
  ) WITHOUT ROWID;

  -- Merchants whose removal has not finished.
  CREATE TABLE pending_removal (
    merchant_id text PRIMARY KEY REFERENCES merchant,
    owner text NOT NULL, -- the command that removes
    exported_to text -- file with the whole merchant, set when erasing begins; null: nothing is erased yet
  ) WITHOUT ROWID;

  -- One row while another database is being copied into this one (see port/copy.ts).
  CREATE TABLE copy_mark (
    only_row integer PRIMARY KEY CHECK (only_row = 1),
    source text NOT NULL, -- names the other database
    tables_digest text NOT NULL, -- digest of the small tables of the source, which must not change during the copy
    write_number bigint NOT NULL, -- last sequence number of the source
    account_id bigint NOT NULL, -- offers up to this account and upload order are copied
    upload_order bigint NOT NULL
  );

  -- Requests by account and minute.
  CREATE TABLE request_count (
    account_id bigint NOT NULL,
    minute bigint NOT NULL, -- minutes since 1970
    requests bigint NOT NULL, -- completed requests, except dry runs
    errors bigint NOT NULL, -- responses with status 400 or above, except 429
    refused bigint NOT NULL, -- responses with status 429
    PRIMARY KEY (account_id, minute)
  ) WITHOUT ROWID;
  CREATE INDEX request_count_by_minute ON request_count (minute);

  -- The last requests of each account, for its developers (see port/traffic.ts).
  CREATE TABLE request_log (
    account_id bigint NOT NULL,
    at_ms bigint NOT NULL,
    request_id text NOT NULL, -- X-Request-Id of the response
    call text NOT NULL, -- method and path, with the names of its placeholders
    status integer NOT NULL, -- HTTP status of the response
    took_us bigint NOT NULL, -- microseconds from the request line to the response
    codes text NOT NULL, -- error codes, with a space before and after each; empty: none
    sku_id text, -- null: the call names none
    user_name text, -- API key; null: a signed URL
    unlogged bigint NOT NULL, -- further requests of the account that were not recorded around this one
    url text, -- path and query of a failed request as sent, shortened, without secrets; null: it succeeded, or no room
    problems text, -- JSON: the first errors of the response, shortened, without secrets; null: none, or no room
    body text, -- body of a failed request, shortened and without secrets; null: not kept
    PRIMARY KEY (account_id, at_ms, request_id)
  ) WITHOUT ROWID;
  CREATE INDEX request_log_by_time ON request_log (at_ms);

  -- The trace of the last write of a SKU (see port/traffic.ts). Also dropped across all accounts, so on Citus it stays a plain table of the
  -- coordinator. Empty unless traces are exported.
  CREATE TABLE trace (
    account_id bigint NOT NULL,
    sku_id text NOT NULL,
    traceparent text NOT NULL, -- as in the W3C header
    at_ms bigint NOT NULL,
    PRIMARY KEY (account_id, sku_id)
  ) WITHOUT ROWID;
  CREATE INDEX trace_by_time ON trace (at_ms);

  -- Size of the change history of an account, which bounded-history.ts counts.
  CREATE TABLE history_size (
    account_id bigint PRIMARY KEY,
    bytes bigint NOT NULL, -- estimate; at least the actual size
    offers_bytes bigint NOT NULL -- size of the offers when they were last measured; 0: never
  );
`;
