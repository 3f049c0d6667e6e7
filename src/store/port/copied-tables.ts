/**
 * Lists the small tables, which are copied row by row with their ids: account settings and pending background work. Both
 * engines have them under the same names. A new table must be listed here, or named in the tests of copies.
 *
 * A copy omits the rest. The review recreates its results, the catalog and the images, because all offers are due in the copy.
 * Bulk files and reports are stored in a folder of the source and expire after 30 days. Users sign in again. The history is
 * larger than the offers and starts empty, like the request log. Idempotency keys expire after a day.
 */
/** In the order of its table's columns. */
export type CopiedRow = readonly (string | number | Uint8Array | null)[];

interface CopiedTable {
  readonly name: string;
  /** Rows are ordered by the first two. */
  readonly columns: readonly string[];
  /** The column with generated ids, which are never reused. */
  readonly numberedBy?: string;
}

/** Each table comes after the tables that it references. */
export const COPIED_TABLES = Object.freeze([
  {
    name: 'merchant',
    columns: ['merchant_id', 'name', 'created_ms', 'suspended', 'time_to_return_days', 'return_shipping_methods'],
  },
  { name: 'account', columns: ['account_id', 'merchant_id', 'environment', 'logs_bodies'], numberedBy: 'account_id' },
  {
    name: 'credential',
    columns: [
      'credential_id',
      'account_id',
      'user_name',
      'name',
      'salt',
      'secret_hash',
      'created_ms',
      'ends_ms',
      'last_used_ms',
    ],
    numberedBy: 'credential_id',
  },
  { name: 'fulfillment_node', columns: ['account_id', 'node_id', 'rate_kind', 'methods', 'levels'] },
  { name: 'return_location', columns: ['account_id', 'location_id'] },
  { name: 'signing_key', columns: ['number', 'key_id', 'secret', 'created_ms', 'ends_ms'], numberedBy: 'number' },
  {
    name: 'portal_user',
    columns: ['user_id', 'email', 'role', 'merchant_id', 'created_ms', 'password_hash', 'last_sign_in_ms'],
    numberedBy: 'user_id',
  },
  { name: 'one_time_link', columns: ['token_hash', 'user_id', 'ends_ms'] },
  { name: 'operator_act', columns: ['act_id', 'at_ms', 'made_by', 'act', 'subject', 'detail'], numberedBy: 'act_id' },
  { name: 'pending_import', columns: ['merchant_id', 'owner', 'lease_ends_ms'] },
  { name: 'pending_removal', columns: ['merchant_id', 'owner', 'exported_to'] },
  { name: 'taxonomy', columns: ['only_row', 'tag', 'source', 'nodes', 'imported_ms'] },
  { name: 'taxonomy_part', columns: ['number', 'lines'] },
  { name: 'policy', columns: ['kind', 'key', 'value', 'merchant_ids'] },
  { name: 'placeholder', columns: ['hash', 'note'] },
  {
    name: 'rule_change',
    columns: [
      ...(['change_id', 'at_ms', 'made_by', 'act', 'subject', 'impact'] as const),
      ...(['rule', 'key', 'replaced', 'replacement_hash', 'undone_ms'] as const),
    ],
    numberedBy: 'change_id',
  },
  { name: 'catalog_correction', columns: ['code', 'environment', 'brand', 'title', 'category_id'] },
  {
    name: 'work_lease',
    columns: ['kind', 'account_id', 'due_ms', 'announced_due_ms', 'holder', 'lease_ends_ms', 'fence'],
  },
] as const satisfies readonly CopiedTable[]);

export type CopiedTableName = (typeof COPIED_TABLES)[number]['name'];

/** The rows of all tables; small compared to the offers, so they are copied in one step. */
export type CopiedTables = Readonly<Record<CopiedTableName, readonly CopiedRow[]>>;
