/**
 * In charge of what can be wrong: the stable problem codes with their meaning, and the report in which a check
 * collects every problem of one body.
 *
 * Codes are part of the contract with integrators: they are never renamed and never reused for another cause.
 */
import { hasForbiddenCharacter } from './text.ts';

/** Codes of the API; the command line gives some of them too. */
export const API_PROBLEM_CODES = Object.freeze({
  // The request as such
  request_malformed:
    'The request is not valid HTTP, its headers are too large, its `Transfer-Encoding` is unknown, or its body has too many chunks.',
  route_not_found: 'There is nothing at this address.',
  method_not_allowed: 'The address exists but does not take this method; `Allow` lists those it takes.',
  query_invalid: 'A query parameter is out of range or cannot be decoded.',
  after_unknown: 'The SKU named by `after` does not exist.',
  // Who is asking
  credentials_wrong: 'The user is unknown or the secret does not fit; the two are not told apart.',
  token_missing: 'There is no `Authorization: Bearer` header.',
  token_invalid: 'The token was not issued by this Offerbook, or was altered.',
  token_expired: 'The token is older than 10 hours; ask for a new one.',
  token_revoked: 'The credential set that this token was issued for has been replaced.',
  merchant_suspended: 'The marketplace has suspended this merchant.',
  rate_limited: 'More than the allowed requests in 60 seconds; `Retry-After` says when to go on.',
  too_many_failures: 'Too many wrong secrets from this address, for this user or for all; the right one still works.',
  // The body as such
  body_missing: 'The call needs a JSON body and came without one.',
  body_too_large: 'The body is larger than 1 MiB, or than 8 KiB on a call that needs no token.',
  body_encoded: 'The body has a `Content-Encoding`; send plain JSON.',
  body_not_utf8: 'The body is not valid UTF-8.',
  body_not_json: 'The body is not JSON.',
  body_too_deep: 'The body is nested more than 32 levels deep.',
  body_too_complex:
    'The body has more than 50,000 commas and opening brackets outside of texts, or an object of more than 1,000 fields.',
  body_not_object: 'The body is JSON, but not an object.',
  // One field
  required: 'A required field is absent or null.',
  wrong_type: 'The value has the wrong JSON type; values are never converted.',
  too_short: 'The text has too few characters.',
  too_long: 'The text has too many characters (Unicode code points are counted).',
  too_small: 'The number is too small.',
  too_large: 'The number is too large.',
  too_few: 'The list has too few entries.',
  too_many: 'The list has too many entries; its entries were not looked at.',
  not_allowed: 'The value is not one of the allowed ones.',
  bad_format: 'The text does not have the required form.',
  bad_url: 'The text is not an absolute http or https URL.',
  forbidden_character: 'The text holds a NUL character or half of a surrogate pair.',
  duplicate_spelling: 'The same field was sent under both of its names.',
  // Rules between the fields of one body
  product_code_required: 'Neither `standard_product_codes` nor `ASIN` was sent.',
  product_code_length: 'The product code does not have the number of digits of its type.',
  map_price_required: '`map_implementation` 102 needs a `map_price`.',
  image_slot_repeated: 'Two alternate images name the same slot.',
  image_url_as_value: 'An attribute value is the address of an image.',
  caution_contradiction: "'no warning applicable' stands beside another cautionary statement.",
  service_required: 'A shipping exception names neither a `service_level` nor a `shipping_method`.',
  charge_required: 'An `override_type` needs a `shipping_charge_amount`.',
  charge_on_restricted: 'A restricted exception takes neither `override_type` nor `shipping_charge_amount`.',
  exclusive_repeated: 'A fulfillment node has more than one exclusive exception.',
  exclusive_with_include: 'A fulfillment node has an exclusive and an include exception.',
  exclusive_with_restricted: 'A fulfillment node has an exclusive and a restricted exception.',
  list_required_to_clear: 'Only `{}` or an empty list clears; a body with other fields and no list does not.',
  // Rules that need what is stored or set up
  sku_id_invalid: 'The SKU id in the address is empty, too long, `.`, `..`, holds NUL or cannot be decoded.',
  sku_unknown: 'The SKU was never uploaded.',
  sku_archived: 'The SKU is archived and cannot be updated until it is unarchived.',
  price_unset: 'The SKU has no price yet.',
  variation_unset: 'No variation group was uploaded to this SKU.',
  shipping_exception_unset: 'The SKU has no shipping exceptions.',
  returns_exception_unset: 'The SKU has no returns exception.',
  browse_node_unknown: 'The browse node is not in the taxonomy.',
  fulfillment_node_unknown: 'A body names a fulfillment node that the merchant does not have.',
  taxonomy_node_not_found: 'The taxonomy has no node of the id that was asked for.',
  fulfillment_node_not_found: 'The merchant has no fulfillment node of the id that was asked for.',
  return_location_unknown: 'The merchant has no such return location.',
  restricted_not_enabled: 'Rule 1: a restricted method or level is not enabled at the node.',
  all_restricted: 'Rule 2: every method (or every level) of the node would be restricted.',
  additional_charge_not_enabled: 'An additional charge names a method or level that the node does not have.',
  child_unknown: 'A child SKU was never uploaded.',
  child_archived: 'A child SKU is archived.',
  brand_differs: 'A child SKU has another brand than the parent.',
  refinement_missing: 'A member of the group lacks one of the refinement attributes.',
  // A bulk file as a whole; its rows have the codes of the single calls
  file_empty: 'The file holds nothing.',
  file_truncated: 'The file ends before its object, or its gzip, does.',
  file_not_object: 'The file is not a JSON object from SKU ids to bodies.',
  file_not_json: 'Between two rows the file is not JSON; what follows was not read.',
  file_gzip_damaged: 'The file begins as gzip and cannot be unpacked to its end.',
  file_unpacked_too_large: 'Unpacked, the file is larger than allowed; what follows was not read.',
  file_errors_too_many:
    'The file has more errors than are listed, or than the retry file takes; later ones are only counted.',
  // Bulk files and reports
  link_invalid: 'The signed address was changed, or is not one of this Offerbook.',
  link_expired: 'The signed address is older than 30 minutes; ask for a new one.',
  file_uploaded_before: 'A file was uploaded to this address before; an address takes one file.',
  file_too_large: 'The file has more bytes than this Offerbook takes.',
  file_not_uploaded:
    'The `url` is not an address that this merchant was given, nothing was uploaded to it yet, or it is older than a day.',
  file_not_found: 'There is no file of this id, or it is older than 30 days.',
  uploads_too_many: 'More uploads of this merchant are under way than may be; finish them first.',
  files_waiting_too_large:
    'The files of this merchant that are not done have as many bytes as they may have; hand over or cancel some, or wait.',
  disk_full: 'There is no room for files now; nothing was kept.',
  report_not_found: 'There is no report of this id, or it has expired.',
  reports_too_many: 'More reports of this merchant are not made yet than may be; wait for them.',
  // The list of problems itself, and the service
  more_problems: 'There are more problems than the 100 that are listed.',
  internal_error: 'Offerbook failed; the request id finds the cause in its log.',
  store_unavailable: 'The store cannot take the request now; nothing was changed, or the outcome is unknown.',
  overloaded: 'Too many requests are waiting; nothing was changed. Retry after the time in `Retry-After`.',
  stopping: 'The server is being stopped; nothing was changed.',
});

/** Codes that the portal gives beside those of the API; the command line gives those of the setup too. */
export const PORTAL_PROBLEM_CODES = Object.freeze({
  // Who is asking
  session_missing: 'Nobody has signed in: the request has no session cookie.',
  session_ended: 'The session has ended or was ended; sign in again.',
  forbidden_role: 'The role of the person does not allow the call.',
  csrf_invalid: 'A change came without the `X-CSRF-Token` of the session, or from a page of another site.',
  sign_in_wrong: 'The e-mail address or the password is wrong; the two are not told apart.',
  password_wrong: 'The current password is wrong.',
  one_time_link_ended: 'The link to set a password by was used, has ended, or never was.',
  user_is_oneself: 'Nobody removes or resets oneself.',
  // Setup
  merchant_exists: 'There is a merchant with this id already.',
  merchant_unknown: 'There is no merchant with this id.',
  merchant_unfinished: 'The merchant is half imported or half removed: that has to be finished first.',
  fulfillment_node_exists: 'The merchant has a fulfillment node with this id already.',
  fulfillment_nodes_full: 'The merchant has 1,000 fulfillment nodes in this environment and can have no more.',
  return_location_exists: 'The merchant has a return location with this id already.',
  return_locations_full: 'The merchant has 1,000 return locations in this environment and can have no more.',
  user_exists: 'There is a portal user with this e-mail address already.',
  user_unknown: 'There is no portal user with this e-mail address.',
  policy_exists: 'There is such a policy already.',
  policy_unknown: 'There is no such policy.',
  product_code_invalid: 'The text is no correct product code: GTIN-14, EAN, UPC, ISBN or ASIN.',
  product_unknown: 'The catalog of this environment does not know the product code.',
  placeholder_exists: 'The placeholder is known already.',
  placeholder_unknown: 'No placeholder of this hash was added.',
  placeholder_unusable: 'Unsupported image format, or the image is too plain to be told apart from others.',
  // Lines of a taxonomy that is put in force
  taxonomy_unreadable: 'A line of the taxonomy is not UTF-8, not JSON, too long, or of no form that is known.',
  taxonomy_newer: 'The taxonomy has a format that this release does not know.',
  taxonomy_field: 'A field of a line of the taxonomy breaks a rule, or is not known.',
  taxonomy_repeated: 'An id or a name stands twice in the taxonomy where it may stand once.',
  taxonomy_parent: 'The parent of a node is not in the taxonomy, below the node itself, or too deep.',
  taxonomy_attribute: 'An attribute contradicts itself, or a node names one that is not in the taxonomy.',
  taxonomy_too_large: 'The file, the nodes or the attributes of the taxonomy are more than allowed.',
  taxonomy_empty: 'The taxonomy has no nodes.',
});

/** Codes that only the command line gives. */
export const COMMAND_PROBLEM_CODES = Object.freeze({
  // The command line
  usage_wrong: 'The command does not exist, or was given options or arguments that it does not take.',
  setting_invalid: 'An environment variable has a value that is not allowed.',
  data_dir_locked: 'Another server is using the data folder.',
  address_unavailable: 'The server cannot listen on this address: it is in use, not allowed or not of this machine.',
  process_lost: 'One of several processes of the server ended before it was ready, or did not stop in good order.',
  demo_refused: 'The demo has known credentials and runs only where nobody else can reach it.',
  stopped: 'The command was stopped by a signal before it was done.',
  not_confirmed: 'The command cannot be undone and was not confirmed.',
  // Commands that speak to a server
  credentials_missing: 'No user or no secret was given, and there is nobody to ask.',
  server_unreachable: 'The server does not answer, or not as an Offerbook does.',
  no_errors: 'The file has no errors to show.',
  // Files that the command line writes and reads
  file_exists: 'The file exists already; commands never overwrite one.',
  file_unwritable: 'The file cannot be written: no room, no right, or no such folder.',
  file_unreadable: 'The file cannot be read.',
  database_elsewhere: 'The database is a PostgreSQL, which has tools of its own for this.',
  database_missing: 'The data folder has no database.',
  database_exists: 'The data folder has a database already.',
  backup_invalid: 'The file is not a backup of Offerbook, or cannot be read as one.',
  backup_newer: 'The backup was made by a newer release than this one.',
  backup_damaged: 'The copy that was read back is damaged or lacks rows; it was not kept.',
  // Lines of an export that is moved in
  import_unreadable: 'A line of the export is not JSON, not UTF-8 or too long.',
  import_misplaced: 'A line of the export stands where it cannot: its kind is unknown, or lines before it are missing.',
  import_incomplete: 'The export ends too early, or does not hold as much as its last line says.',
  import_newer: 'The export has a format that this release does not know.',
  import_repeated: 'A SKU, a node, a user or a merchant stands twice in the export, or a user is taken.',
  import_busy: 'Another import of the same merchant is at work.',
  import_overtaken: 'Another command took the import over, because it gave no sign of life for too long.',
  import_group: 'A variation group names a SKU that is not in the export, or that is in another group.',
  // A merchant that is removed
  removal_ended: 'The merchant was let in again, or another removal of it was begun, before anything was erased.',
  // A whole store that is copied into another
  copy_target_used: 'The store to copy into is not empty, or holds an unfinished copy of another one.',
  copy_unfinished: 'The store to copy from is itself the target of a copy that is not finished.',
  copy_source_changed: 'The store to copy from has changed since the copy, which was cut off, was begun.',
  copy_overtaken: 'Another copy into the same store is at work.',
  copy_differs: 'What was copied is not what the source holds.',
});

export type ProblemCode =
  | keyof typeof API_PROBLEM_CODES
  | keyof typeof PORTAL_PROBLEM_CODES
  | keyof typeof COMMAND_PROBLEM_CODES;

export interface Problem {
  readonly code: ProblemCode;
  /** JSON pointer into the body; '' where the fault is not in the body. */
  readonly field: string;
  readonly message: string;
}

export const PROBLEMS_MAX = 100;
export const IGNORED_FIELDS_MAX = 20;

export type PathPart = string | number;

/** A problem that stands in no field of the body. */
export function requestProblem(code: ProblemCode, message: string): Problem {
  return { code, field: '', message };
}

/** A problem at a field: the message opens with the field as a merchant writes it, `bullets[2]`. */
export function fieldProblem(code: ProblemCode, path: readonly PathPart[], text: string): Problem {
  const label = fieldLabel(path);
  return { code, field: fieldPointer(path), message: label === '' ? `The body ${text}` : `${label}: ${text}` };
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

/** What one body was found to be: collects problems and ignored fields while a check walks down the body. */
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

  /** Adds a problem here, or at the path given below here. */
  add(code: ProblemCode, text: string, ...below: PathPart[]): void {
    this.append([fieldProblem(code, [...this.#path, ...below], text)]);
  }

  append(problems: readonly Problem[]): void {
    for (const problem of problems) {
      if (this.problems.length < PROBLEMS_MAX) this.problems.push(problem);
      else
        this.problems[PROBLEMS_MAX - 1] = requestProblem('more_problems', 'There are more problems than listed here.');
    }
  }

  /** The list is full: walking on would find nothing that is shown. */
  get full(): boolean {
    return this.problems.at(-1)?.code === 'more_problems';
  }

  ignore(key: string): void {
    // Names with forbidden characters are refused by body-text.ts already, and are not to be written in a header.
    if (this.ignored.length === IGNORED_FIELDS_MAX || hasForbiddenCharacter(key)) return;
    this.ignored.push(fieldPointer([...this.#path, key]));
  }
}
