/**
 * Defines the problem codes with their meanings, and the report in which a check collects every problem of a body.
 *
 * Codes are part of the contract with integrators: they are never renamed and never reused for another cause.
 */
import { LIMITS } from './limits.ts';
import { hasForbiddenCharacter } from './text/text-rules.ts';

/** Without `toLocaleString`, whose first call would add to the start of every command. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Codes of the API. The command line reports some of them too. */
export const API_PROBLEM_CODES = Object.freeze({
  // Request
  request_malformed:
    'The request is not valid HTTP, took too long to arrive, or has headers that are too large, an unknown `Transfer-Encoding` or too many chunks.',
  route_not_found: 'No such path. Check it against the API reference.',
  method_not_allowed: 'The path exists but does not accept this method. `Allow` lists the methods that it accepts.',
  header_invalid: 'A request header is malformed, or the call does not support it. The message names the header.',
  query_invalid: 'A query parameter is missing, has an invalid value, or cannot be decoded. The message names it.',
  after_unknown: 'The SKU in `after` does not exist. Start again from the first page.',
  idempotency_key_invalid: `The \`Idempotency-Key\` header does not have 1 to ${LIMITS.idempotency_key_characters_max} visible ASCII characters.`,
  idempotency_key_reused:
    'The `Idempotency-Key` was used for a request with another method, URL, body or precondition. Use a new key for each new write, and the same key only for its retries.',
  idempotency_key_in_use:
    'The first request with this `Idempotency-Key` is still running. Retry after the number of seconds in `Retry-After`.',
  // Authentication and rate limits
  credentials_wrong: 'Incorrect user or secret. The response does not say which.',
  token_missing: 'The `Authorization: Bearer` header is missing. Request a token with `POST /token`.',
  token_invalid: 'The token was not issued by this server, or was altered. Request a new one.',
  token_expired: `The token is older than ${LIMITS.token_lifetime_seconds / 3600} hours. Request a new one.`,
  token_revoked:
    'The API key that this token was issued for was replaced or revoked. Request a token with the current key.',
  merchant_suspended: 'The marketplace has suspended this merchant. Contact the marketplace.',
  scope_missing: 'The API key does not have the scopes that the call needs. The message names them.',
  sku_outside_prefix:
    'The API key has a SKU prefix, and the call concerns a SKU whose id does not begin with it, or several SKUs. The message names the prefix.',
  rate_limited: `Too many requests in the last ${LIMITS.request_window_seconds} seconds. Retry after the number of seconds in \`Retry-After\`.`,
  too_many_failures:
    'Too many wrong secrets for this user or from this address. The right secret still works; otherwise retry after the number of seconds in `Retry-After`.',
  // Body
  body_missing: 'The call requires a body, but the request has none.',
  body_too_large: `The body exceeds the limit of ${LIMITS.body_bytes_max / 1_048_576} MiB, or ${LIMITS.open_body_bytes_max / 1024} KiB for calls that need no token.`,
  body_encoded: 'The body has a `Content-Encoding`. Send plain JSON.',
  body_not_utf8: 'The body is not valid UTF-8.',
  body_not_json: 'The body is not JSON.',
  body_too_deep: `The body is nested more than ${LIMITS.body_depth_max} levels deep.`,
  body_too_complex: `The body has more than ${grouped(LIMITS.body_values_max)} commas and opening brackets outside strings, or an object with more than ${grouped(LIMITS.object_fields_max)} fields.`,
  body_not_object: 'The body is JSON, but not an object.',
  // A single field
  required: 'A required field is missing or null.',
  wrong_type: 'The value has the wrong JSON type. Values are never converted.',
  too_short: 'The text has too few characters.',
  too_long: 'The text has too many characters (Unicode code points are counted).',
  too_small: 'The number is too small.',
  too_large: 'The number is too large.',
  too_few: 'The list has too few entries.',
  too_many: 'The list has too many entries. The entries themselves were not checked.',
  not_allowed: 'The value is not one of the allowed values.',
  bad_format: 'The text does not have the required format.',
  bad_url: 'The text is not an absolute http or https URL.',
  url_not_public: "The URL's host is `localhost` or an IP address that is not on the public internet.",
  forbidden_character: 'The text contains a NUL character or an unpaired surrogate.',
  duplicate_spelling:
    "The field was sent twice: under its default name and under the marketplace's name for it. Send only one of them.",
  // Rules between the fields of one body
  product_code_required: 'Neither `standard_product_codes` nor `ASIN` was sent.',
  product_code_length: 'The product code has the wrong number of digits for its type.',
  map_price_required: '`map_price` is missing. It is required when `map_implementation` is 102.',
  image_slot_repeated: 'Two alternate images use the same slot.',
  image_url_as_value: 'An attribute value is the URL of an image.',
  caution_contradiction: "'no warning applicable' was sent together with another cautionary statement.",
  service_required: 'A shipping exception has neither a `service_level` nor a `shipping_method`.',
  charge_required: '`shipping_charge_amount` is missing. It is required with `override_type`.',
  charge_on_restricted: 'A restricted exception must not have `override_type` or `shipping_charge_amount`.',
  exclusive_repeated: 'A fulfillment node has more than one exclusive exception.',
  exclusive_with_include: 'A fulfillment node has both an exclusive and an include exception.',
  exclusive_with_restricted: 'A fulfillment node has both an exclusive and a restricted exception.',
  list_required_to_clear: 'The list is missing. To clear, send `{}` or an empty list.',
  // Rules that depend on stored data or account settings
  sku_id_invalid: 'The SKU id in the path is empty, too long, `.` or `..`, contains NUL, or cannot be decoded.',
  sku_unknown: 'The SKU does not exist. Upload it first.',
  sku_archived: 'The SKU is archived and cannot be updated. Unarchive it first.',
  precondition_failed:
    'The stored data does not match `If-Match` or `If-None-Match`. Nothing was changed. `ETag` is the current version.',
  price_unset: 'The SKU has no price yet.',
  variation_unset:
    'The SKU is not the parent of a variation group. To find the parent of a child SKU, read `parent_sku` in the review of the child.',
  shipping_exception_unset: 'The SKU has no shipping exceptions.',
  returns_exception_unset: 'The SKU has no returns exception.',
  browse_node_unknown: 'The browse node is not in the taxonomy.',
  fulfillment_node_unknown: 'The body names a fulfillment node that the merchant does not have.',
  taxonomy_node_not_found: 'The taxonomy has no node with this id.',
  fulfillment_node_not_found: 'The merchant has no fulfillment node with this id.',
  return_location_unknown: 'The merchant has no return location with this id.',
  restricted_not_enabled:
    'A restricted exception names a shipping method or service level that is not enabled at the node.',
  all_restricted: 'The exceptions would restrict every shipping method of the node.',
  additional_charge_not_enabled:
    'An additional charge names a shipping method or service level that is not enabled at the node.',
  child_unknown: 'A child SKU does not exist. Upload it first.',
  child_archived: 'A child SKU is archived.',
  brand_differs: "A child SKU's brand differs from the parent's.",
  refinement_missing: 'A SKU in the group lacks one of the attributes in `variation_refinements`.',
  change_unknown: 'No change with this id, or its history has expired.',
  fix_unknown: 'The review offers no fix with this id.',
  fix_stale: 'The SKU has changed since the fix was derived. Nothing was changed; read its review again.',
  version_empty: 'There is no earlier version to restore: this change created the value.',
  // A whole bulk file; its rows have the codes of single calls
  file_empty: 'The file is empty.',
  file_truncated: 'The file is incomplete: its JSON or its gzip stream ends early. Upload it again.',
  file_not_object: 'Unrecognized file format. Upload a JSON object that maps SKU ids to bodies, NDJSON or CSV.',
  file_not_json: 'Invalid JSON between two rows. The rest of the file was not read.',
  file_header_invalid: 'The CSV header lacks a required column, repeats a column, or is too long. No rows were read.',
  file_column_unknown: 'The CSV header contains an unknown column for this file type. No rows were read.',
  file_row_unending: 'A CSV row is too long or has an unclosed quote. The rest of the file was not read.',
  cell_invalid:
    'A CSV cell has the wrong type for its column, such as a date instead of a number, or the row has more cells than the header.',
  file_gzip_damaged: 'The gzip stream is damaged. Compress and upload the file again.',
  file_unpacked_too_large: 'The decompressed file exceeds the size limit. The rest of the file was not read.',
  file_errors_too_many:
    'The file has more errors than the error file or the retry file can hold. Later errors are only counted.',
  // Bulk files and reports
  link_invalid: 'The signed URL was altered, or is not from this server.',
  link_expired: `The signed URL is older than ${LIMITS.signed_link_seconds / 60} minutes. Request a new one.`,
  file_uploaded_before: 'A file was already uploaded to this URL. Request a new URL for each file.',
  file_too_large: 'The file exceeds the size limit.',
  file_not_uploaded:
    'No upload found: nothing was uploaded to this `url`, it is older than a day, or it belongs to another merchant.',
  storefront_off: 'The marketplace has not turned on the storefront (`STOREFRONT`).',
  storefront_incomplete:
    'The storefront does not have all live offers yet, so an export would be incomplete. Retry later.',
  product_not_found: 'No offer of a product with this code is live and in stock.',
  file_not_found: `No file with this id. Files are kept for ${LIMITS.file_retention_days} days.`,
  uploads_too_many: 'Too many uploads are in progress. Wait for one to finish.',
  files_waiting_too_large: 'Unprocessed files have reached the size limit. Submit or cancel some, or wait.',
  disk_full: 'The server has no disk space for files. Nothing was stored; retry later.',
  report_not_found: 'No report with this id, or the report is not ready or has expired.',
  reports_too_many: 'Too many reports are pending. Wait for one to finish.',
  plan_required: 'The API key has limits for plans, so it changes offers only with plans. Use POST /plans.',
  plan_not_found: `No plan with this id. The newest ${LIMITS.plans_kept_max} plans are kept.`,
  plan_expired: `The plan was made more than ${LIMITS.plan_minutes} minutes ago. Make a new one.`,
  plan_stale: 'A bulk file with earlier changes was processed after the plan was made. Make a new plan.',
  plan_needs_approval:
    'The plan is beyond the guard rails of the API key. A user of the merchant can approve it in the portal.',
  plan_refused: 'A user of the merchant refused the plan.',
  plan_of_other_key: 'Another API key or user made the plan. Only its maker can apply it.',
  plan_not_applied: 'The plan was not applied, so there is nothing to undo.',
  plan_too_large: `The plan has more than ${grouped(LIMITS.plan_offers_max)} offers or more than 8 MB, or reads more than ${grouped(LIMITS.plan_examined_max)} offers. Narrow the change down, or split it.`,
  plan_waits_for_files: 'A bulk file of this account is being processed. Make the plan when it has ended.',
  plans_too_many: `Another plan of this account is being made, or it has made ${LIMITS.plans_per_hour_max} plans in the last hour. Retry later.`,
  // Change feed
  cursor_unknown:
    "`after` is not a valid cursor for this account's events. Send the `next` of a response, or an event id.",
  cursor_expired:
    'The cursor has expired: later events have been deleted. Read all offers again, then continue with the cursor in the message.',
  event_waits_too_many: 'Too many requests from this account are waiting for events. Wait for one to finish.',
  webhook_not_found: 'No webhook with this id.',
  webhooks_full: `The account has reached the limit of ${LIMITS.webhooks_max} webhooks. Remove one first.`,
  webhook_secrets_full: `The webhook has reached the limit of ${LIMITS.webhook_secrets_max} valid secrets. Wait until one expires, or set \`overlap_seconds\` to 0 to revoke all old secrets.`,
  event_not_found: `No event with this id. Events are kept for ${LIMITS.event_days} days.`,
  webhook_changes_too_many:
    'Too many webhook changes in the last hour. Retry after the number of seconds in `Retry-After`.',
  webhook_tests_too_many: 'Too many test events and replays are being sent. Wait for one to finish.',
  // The problem list itself, and the server
  more_problems: `There are more than ${LIMITS.problems_max} problems. Only the first ones are listed.`,
  internal_error: 'The server failed. Send the request id to the operator, who can find the cause in the log.',
  store_unavailable: 'The database is unavailable. The request may or may not have been applied; retry it.',
  overloaded: 'The server is overloaded. Nothing was changed; retry after the number of seconds in `Retry-After`.',
  stopping: 'The server is shutting down. Nothing was changed; retry.',
});

/** Codes of the portal, in addition to the API codes. The command line reports the codes about settings too. */
export const PORTAL_PROBLEM_CODES = Object.freeze({
  // Sessions and roles
  session_missing: 'Not signed in: the request has no session cookie.',
  session_ended: 'The session has expired or was ended. Sign in again.',
  forbidden_role: 'Your role does not allow this.',
  viewing_as_merchant: 'You are viewing as a merchant, which is read-only. Stop viewing to make changes.',
  csrf_invalid: 'The request has no valid `X-CSRF-Token`, or came from another site.',
  sign_in_wrong: 'Incorrect email or password. The response does not say which.',
  password_wrong: 'The current password is wrong.',
  one_time_link_ended: 'This password link has expired, was already used, or does not exist. Ask for a new one.',
  sign_in_not_fresh: 'The sign-in is longer ago than `FRESH_SIGN_IN_MINUTES`. Sign in again, then repeat the change.',
  provider_off: 'The server has no sign-in provider (`OIDC_ISSUER`).',
  provider_unavailable:
    'The sign-in provider is unavailable or refuses this server. The log names the cause. Users with a password can sign in with it.',
  provider_sign_in_failed:
    'The sign-in provider did not confirm the sign-in, it was started in another browser, or it took too long. Start again.',
  provider_account_refused:
    'The sign-in provider gives this account no role, or no usable email address. The message says which.',
  passkey_refused:
    'The passkey is unknown, belongs to another user, or did not confirm this sign-in within 5 minutes. Start again.',
  passkey_required: 'The account needs a passkey. Add one, or sign in with it; until then, other calls are refused.',
  passkey_exists: 'This passkey was already added.',
  passkey_last: 'The last passkey cannot be removed, because the account needs one.',
  passkey_unknown: 'You have no passkey with this id.',
  passkeys_full: `A user can have at most ${LIMITS.passkeys_per_user_max} passkeys. Remove one first.`,
  user_of_provider: 'The sign-in provider manages this user: it sets the role, and the user has no password here.',
  user_is_oneself: 'You cannot remove your own account, or change its role.',
  // Settings
  merchant_exists: 'A merchant with this id already exists.',
  merchant_unknown: 'No merchant with this id.',
  merchant_unfinished: 'An import or removal of this merchant is unfinished. Run the same command again to finish it.',
  fulfillment_node_exists: 'The merchant already has a fulfillment node with this id.',
  fulfillment_nodes_full: `The merchant has reached the limit of ${grouped(LIMITS.fulfillment_nodes_per_account_max)} fulfillment nodes in this environment.`,
  fulfillment_node_in_use:
    'Some offers have stock, a price or shipping exceptions at this fulfillment node. Set the stock to 0 and remove the rest first.',
  return_location_exists: 'The merchant already has a return location with this id.',
  return_locations_full: `The merchant has reached the limit of ${grouped(LIMITS.return_locations_per_account_max)} return locations in this environment.`,
  return_location_in_use:
    'Some offers use this return location in their returns exception. Remove it from those offers first.',
  return_location_not_found: 'The merchant has no return location with this id.',
  key_unknown: 'No active API key with this id.',
  key_replaced: 'The API key was already rolled. Roll the key that replaced it, or revoke this one.',
  keys_full: `The merchant has reached the limit of ${LIMITS.credentials_per_account_max} active API keys, or of ${LIMITS.credentials_per_account_max} replaced keys that still work, in this environment.`,
  user_exists: 'A user with this email address already exists.',
  user_unknown: 'No user with this email address.',
  sort_too_many: 'Too many offers to sort this way. Filter by status or category, or choose another order.',
  previews_too_many: 'Another preview of a change is being prepared for this account. Wait for it to finish.',
  policy_exists: 'This policy already exists.',
  policy_unknown: 'No such policy.',
  product_code_invalid: 'Invalid product code. Enter a GTIN-14, EAN, UPC, ISBN or ASIN.',
  product_unknown: 'The catalog of this environment has no product with this code.',
  product_merged: 'The product is merged with another one, so this cannot be changed.',
  placeholder_exists: 'This placeholder already exists.',
  placeholder_unknown: 'No placeholder with this hash.',
  samples_too_many: `There are already ${LIMITS.image_samples_max} logos and watermarks. Remove one first.`,
  change_unconfirmed: `This would change the status of more than ${LIMITS.unconfirmed_offers_max} offers. Confirm it with \`confirmed=true\`.`,
  change_undone: 'This change was already undone.',
  change_not_undoable: 'This file cannot be undone: it is unfinished, was not applied, or has the type Variation.',
  change_overtaken: 'The rule was changed again after this change. Undo the newer change first.',
  plan_decided: 'The plan was already approved, refused or applied.',
  change_settled: 'This change was already applied or cancelled.',
  announced_changes_full: `${LIMITS.announced_changes_max} changes are already announced. Cancel one, or wait until one applies.`,
  placeholder_unusable: 'Unsupported image format, or the image is too plain to be told apart from others.',
  // Lines of a taxonomy file
  taxonomy_unreadable: 'A line in the taxonomy file is not UTF-8, not JSON, too long, or in an unknown format.',
  taxonomy_newer: 'The taxonomy file has a newer format than this release supports.',
  taxonomy_field: 'A field in the taxonomy file is invalid or unknown.',
  taxonomy_repeated: 'An id or a name occurs twice in the taxonomy file.',
  taxonomy_parent: "A node's parent is missing or is one of its own descendants, or the node is nested too deeply.",
  taxonomy_attribute: 'An attribute contradicts itself, or a node names an attribute that is not in the file.',
  taxonomy_too_large: 'The taxonomy file has too many bytes, nodes or attributes.',
  taxonomy_empty: 'The taxonomy has no nodes.',
});

/** Codes of the command line alone. */
export const COMMAND_PROBLEM_CODES = Object.freeze({
  // The command line
  usage_wrong: 'The command does not exist, or an option or argument is not valid.',
  setting_invalid: 'A setting has an unknown name or an invalid value.',
  data_dir_locked: 'Another server is using the data folder.',
  address_unavailable:
    'The server cannot listen on this address: it is in use, not permitted, or not an address of this machine.',
  process_lost: 'A worker exited before it was ready, or did not shut down cleanly.',
  demo_refused:
    'The demo was not started: its credentials are public, so it runs only where other machines cannot reach it.',
  stopped: 'A signal stopped the command before it finished.',
  not_confirmed: 'The command needs a confirmation. Add `--yes` to confirm.',
  // Files that the command line writes and reads
  file_exists: 'The file already exists. Commands never overwrite a file.',
  file_unwritable: 'The file cannot be written: no disk space, no permission, or no such folder.',
  file_unreadable: 'The file cannot be read.',
  database_elsewhere: "The database is PostgreSQL. Use PostgreSQL's own tools for this.",
  database_missing: 'The data folder has no database.',
  database_exists: 'The data folder already has a database.',
  backup_invalid: 'The file is not an Offerbook backup, or cannot be read.',
  backup_newer: 'The backup was made by a newer release. Restore it with that release or a later one.',
  backup_damaged:
    'The backup failed verification: it is damaged or lacks rows. A new backup was not kept; an old one was not restored.',
  // Lines of an export file
  import_unreadable:
    'A line in the export is not JSON, not UTF-8 or too long, has an unknown kind or field, or has an invalid value.',
  import_misplaced: 'A line in the export is out of order, or lines before it are missing.',
  import_incomplete: 'The export is incomplete: it ends early, or has fewer rows than its last line states.',
  import_newer: 'The export has a newer format than this release supports.',
  import_repeated:
    'A SKU, environment or user of an API key occurs twice in the export, or the user already exists in the database.',
  import_busy: 'Another import of the same merchant is running. Wait for it to finish.',
  import_overtaken: 'This import lost its lease because it did not respond in time. Another command has continued it.',
  import_group: 'A variation group names a SKU that is not in the export, or is in another group.',
  // Removal of a merchant
  removal_ended: 'The merchant was resumed, or another removal was started, before anything was erased.',
  // Copy of a whole database
  copy_target_used: 'The target database is not empty, or holds an unfinished copy of another database.',
  copy_unfinished: 'The source database is itself the target of an unfinished copy.',
  copy_source_changed: 'The source database has changed since the interrupted copy started.',
  copy_overtaken: 'Another copy into the same database is running.',
  copy_differs: 'The copy does not match its source.',
});

const MEANINGS = { ...API_PROBLEM_CODES, ...PORTAL_PROBLEM_CODES, ...COMMAND_PROBLEM_CODES };

export type ProblemCode = keyof typeof MEANINGS;

export interface Problem {
  readonly code: ProblemCode;
  /** JSON pointer into the body; '' when the problem is not in the body. */
  readonly field: string;
  readonly message: string;
  /** The column of the field, in rows of a CSV file. */
  readonly column_name?: string;
}

export type PathPart = string | number;

/** Creates a problem that belongs to no field of the body. By default, its message is the meaning of the code, without Markdown. */
export function requestProblem(code: ProblemCode, message = MEANINGS[code].replaceAll('`', '')): Problem {
  return { code, field: '', message };
}

/** Creates a problem of one field. The message starts with the field's path, such as `bullets[2]`. */
export function fieldProblem(code: ProblemCode, path: readonly PathPart[], text: string): Problem {
  const label = fieldLabel(path);
  return { code, field: fieldPointer(path), message: label === '' ? `The body ${text}` : `${label}: ${text}` };
}

/** Converts the problem of one part of a body into a problem of the whole body. */
export function problemBelow(part: string, problem: Problem): Problem {
  const { code, field, message } = problem;
  if (code === 'more_problems') return problem;
  return { code, field: `/${part}${field}`, message: field === '' ? `${part}: ${message}` : `${part}.${message}` };
}

function fieldPointer(path: readonly PathPart[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function fieldLabel(path: readonly PathPart[]): string {
  let label = '';
  for (const part of path) {
    if (typeof part === 'number') label += `[${part}]`;
    else label += label === '' ? part : `.${part}`;
  }
  return label;
}

/** Collects problems and ignored fields while a check walks through a body. */
export class Report {
  readonly problems: Problem[] = [];
  readonly ignored: string[] = [];
  readonly #path: PathPart[] = [];

  enter(part: PathPart): void {
    this.#path.push(part);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Adds a problem at the current path, or at `below` relative to it. Returns undefined, as a check without a clean value does. */
  add(code: ProblemCode, text: string, ...below: PathPart[]): undefined {
    this.append([fieldProblem(code, [...this.#path, ...below], text)]);
  }

  append(problems: readonly Problem[]): void {
    for (const problem of problems) {
      if (this.problems.length < LIMITS.problems_max) this.problems.push(problem);
      else
        this.problems[LIMITS.problems_max - 1] = requestProblem(
          'more_problems',
          'There are more problems than this list shows. Fix these, then try again.',
        );
    }
  }

  /** True when the list is full, so that further checks would add nothing. */
  get full(): boolean {
    return this.problems.at(-1)?.code === 'more_problems';
  }

  ignore(key: string): void {
    // body-text.ts has already refused names with forbidden characters, and they must not be written to a header.
    if (this.ignored.length === LIMITS.ignored_fields_max || hasForbiddenCharacter(key)) return;
    this.ignored.push(fieldPointer([...this.#path, key]));
  }
}
