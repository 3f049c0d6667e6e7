/**
 * In charge of the small tables of a store: the set-up, and who is to do background work. They have the same names in
 * every adapter, so that a copy of a whole store carries them row by row, ids included. Offers are stored in another way
 * in each, and are carried one by one. What the review found, the catalog of it and its pictures are as large as the
 * offers and are not carried: all offers are due for review in the new place, which finds them again. Bulk files and
 * reports are not carried either: their bytes lie in a folder of the old place, and they are kept for 30 days only. Nor are
 * sessions of the portal: people sign in again in the new place. Nor is the history of offers, which is larger than they are:
 * it begins anew, and the old place keeps its own.
 */

export type ColumnKind = 'text' | 'integer' | 'bytes';

/** In the order of the columns of its table. */
export type CopiedRow = readonly (string | number | Uint8Array | null)[];

export interface CopiedTable {
  readonly name: string;
  /** By the first of them, and by the second where the first is not unique, the rows are put in order. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** The column whose numbers the store gives out, each of them once. */
  readonly numberedBy?: string;
}

/** Each stands behind those that it refers to. */
export const COPIED_TABLES = Object.freeze([
  {
    name: 'merchant',
    columns: {
      merchant_id: 'text',
      name: 'text',
      created_ms: 'integer',
      suspended: 'integer',
      time_to_return_days: 'integer',
      return_shipping_methods: 'text',
    },
  },
  {
    name: 'account',
    columns: { account_id: 'integer', merchant_id: 'text', environment: 'text' },
    numberedBy: 'account_id',
  },
  {
    name: 'credential',
    columns: {
      credential_id: 'integer',
      account_id: 'integer',
      user_name: 'text',
      salt: 'bytes',
      secret_hash: 'bytes',
      created_ms: 'integer',
      ends_ms: 'integer',
      last_used_ms: 'integer',
    },
    numberedBy: 'credential_id',
  },
  {
    name: 'fulfillment_node',
    columns: { account_id: 'integer', node_id: 'text', rate_kind: 'text', methods: 'text', levels: 'text' },
  },
  { name: 'return_location', columns: { account_id: 'integer', location_id: 'text' } },
  {
    name: 'signing_key',
    columns: { number: 'integer', key_id: 'text', secret: 'bytes', created_ms: 'integer', ends_ms: 'integer' },
    numberedBy: 'number',
  },
  {
    name: 'portal_user',
    columns: {
      user_id: 'integer',
      email: 'text',
      role: 'text',
      merchant_id: 'text',
      created_ms: 'integer',
      password_hash: 'text',
      last_sign_in_ms: 'integer',
    },
    numberedBy: 'user_id',
  },
  { name: 'one_time_link', columns: { token_hash: 'bytes', user_id: 'integer', ends_ms: 'integer' } },
  {
    name: 'operator_act',
    columns: {
      act_id: 'integer',
      at_ms: 'integer',
      made_by: 'text',
      act: 'text',
      subject: 'text',
      detail: 'text',
    },
    numberedBy: 'act_id',
  },
  { name: 'pending_import', columns: { merchant_id: 'text', owner: 'text', lease_ends_ms: 'integer' } },
  { name: 'pending_removal', columns: { merchant_id: 'text', owner: 'text', exported_to: 'text' } },
  {
    name: 'taxonomy',
    columns: { only_row: 'integer', tag: 'text', source: 'text', nodes: 'integer', imported_ms: 'integer' },
  },
  { name: 'taxonomy_part', columns: { number: 'integer', lines: 'text' } },
  { name: 'policy', columns: { kind: 'text', key: 'text', value: 'text', merchant_ids: 'text' } },
  { name: 'placeholder', columns: { hash: 'text', note: 'text' } },
  {
    name: 'catalog_correction',
    columns: { code: 'text', environment: 'text', brand: 'text', title: 'text', category_id: 'text' },
  },
  {
    name: 'work_lease',
    columns: {
      kind: 'text',
      account_id: 'integer',
      due_ms: 'integer',
      announced_due_ms: 'integer',
      holder: 'text',
      lease_ends_ms: 'integer',
      fence: 'integer',
    },
  },
] as const satisfies readonly CopiedTable[]);

export type CopiedTableName = (typeof COPIED_TABLES)[number]['name'];

/** The rows of all of them; small beside the offers, so that they go as one. */
export type CopiedTables = Readonly<Record<CopiedTableName, readonly CopiedRow[]>>;

export function columnNames({ columns }: CopiedTable): readonly string[] {
  return Object.keys(columns);
}

export function columnKinds({ columns }: CopiedTable): readonly ColumnKind[] {
  return Object.values(columns);
}

/** Text and bytes are ordered by their bytes in every adapter, and so the rows of equal tables come in equal order. */
export function orderedBy(table: CopiedTable): string {
  return columnNames(table).slice(0, 2).join(', ');
}
