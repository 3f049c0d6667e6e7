/** In charge of storing what a copy of another store brings: rows and offers with the ids and numbers that they have. */
import { COPIED_TABLES, type ColumnKind, type CopiedTables, columnKinds, columnNames } from '../port/copied-tables.ts';
import type { CopiedCounters, CopiedNode, CopiedOffer } from '../port/copy.ts';
import { type Connection, statement } from './engine.ts';
import { PLACES } from './write-numbers.ts';

const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'bigint',
  bytes: 'bytea',
};

const TABLES = COPIED_TABLES.map((table) => {
  const columns = columnNames(table).join(', ');
  const lists = columnKinds(table).map((kind, place) => `$${place + 1}::${TYPES[kind]}[]`);
  return {
    table,
    find: statement<[1]>(`copy find ${table.name}`, `SELECT 1 FROM ${table.name} LIMIT 1`),
    insert: statement<[]>(
      `copy write ${table.name}`,
      `INSERT INTO ${table.name} (${columns}) SELECT ${columns} FROM unnest(${lists.join(', ')}) AS i (${columns})`,
    ),
  };
});

/** A sequence does not take part in transactions: it is raised, never set back. */
const RAISE_WRITES = statement<[number]>(
  'copy raise write number',
  `SELECT setval('write_number', $1) WHERE $1 > coalesce(pg_sequence_last_value('write_number'::regclass), 0)`,
);
const RAISE_ROWS = statement<[number]>(
  'copy raise row number',
  `SELECT setval(pg_get_serial_sequence($1, $2), $3)
   WHERE $3 > coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0)`,
);

type Column = readonly [name: string, type: string, partOf: (offer: CopiedOffer) => unknown];

const COLUMNS: readonly Column[] = [
  ['sku_id', 'text', (offer) => offer.skuId],
  ['upload_order', 'bigint', (offer) => offer.order],
  ['first_upload_ms', 'bigint', (offer) => offer.firstUploadMs],
  ['archived', 'boolean', (offer) => offer.archived],
  ['archive_number', 'bigint', ({ numbers }) => orNull(numbers.archived)],
  ['document', 'text', (offer) => offer.document],
  ['document_updated_ms', 'bigint', (offer) => offer.documentUpdatedMs],
  ['document_number', 'bigint', ({ numbers }) => numbers.document],
  ['price', 'float8', ({ price }) => price?.price ?? null],
  ['price_nodes', 'text', ({ price }) => price?.nodes ?? null],
  ['price_updated_ms', 'bigint', ({ price }) => price?.updatedMs ?? null],
  ['price_number', 'bigint', ({ price, numbers }) => (price === null ? null : numbers.price)],
  ['inventory', 'jsonb', ({ nodes }) => inventoryText(nodes)],
  ['inventory_stamp_ms', 'bigint', (offer) => offer.stampMs],
  [
    'inventory_number',
    'bigint',
    ({ nodes }) => nodes.reduce((highest, [, , , number]) => Math.max(highest, number), 0),
  ],
  ['inventory_zeroed_number', 'bigint', ({ numbers }) => numbers.inventory],
  ['shipping_exceptions', 'text', (offer) => offer.shippingExceptions],
  ['shipping_number', 'bigint', ({ numbers }) => orNull(numbers.shippingExceptions)],
  ['return_location_ids', 'text', (offer) => offer.returnLocationIds],
  ['returns_number', 'bigint', ({ numbers }) => orNull(numbers.returnLocations)],
  ['group_parent', 'text', ({ membership }) => membership?.parentSkuId ?? null],
  ['group_position', 'integer', ({ membership }) => membership?.position ?? null],
  ['group_refinements', 'text', ({ membership }) => membership?.refinements ?? null],
  ['group_title', 'text', ({ membership }) => membership?.title ?? null],
  ['group_number', 'bigint', ({ numbers }) => orNull(numbers.group)],
  // What the review found is not copied: it finds it again, by what is known in the new place.
  ['review_mark', 'bigint', ({ numbers }) => numbers.document],
  ['review_marked_ms', 'bigint', () => Date.now()],
];

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const LISTS = COLUMNS.map(([, type], place) => `$${place + 2}::${type}[]`).join(', ');
const INSERT_OFFERS = statement<[]>(
  'copy write offers',
  `INSERT INTO offer (account_id, ${NAMES}) SELECT $1::bigint, ${NAMES} FROM unnest(${LISTS}) AS i (${NAMES})`,
);

export async function hasCopiedRows(connection: Connection): Promise<boolean> {
  const found = await Promise.all(TABLES.map(({ find }) => connection.run(find)));
  return found.some((rows) => rows.length > 0);
}

export async function insertTables(connection: Connection, tables: CopiedTables): Promise<void> {
  for (const { table, insert } of TABLES) {
    const rows = tables[table.name];
    const lists = columnNames(table).map((_, place) => rows.map((row) => row[place] ?? null));
    if (rows.length > 0) await connection.run(insert, lists);
  }
}

export async function raiseCounters(
  connection: Connection,
  { writeNumber, orderMax, rows }: CopiedCounters,
): Promise<void> {
  // The order of an upload is made of its number: the next one must come behind all that are there.
  await connection.run(RAISE_WRITES, [Math.max(writeNumber, Math.ceil(orderMax / PLACES))]);
  for (const table of COPIED_TABLES) {
    if ('numberedBy' in table) await connection.run(RAISE_ROWS, [table.name, table.numberedBy, rows[table.name] ?? 0]);
  }
}

export async function insertOffers(
  connection: Connection,
  accountId: number,
  offers: readonly CopiedOffer[],
): Promise<void> {
  await connection.run(INSERT_OFFERS, [accountId, ...COLUMNS.map(([, , partOf]) => offers.map(partOf))]);
}

/** What was never written has no number here. */
function orNull(number: number): number | null {
  return number === 0 ? null : number;
}

/** Text, not an object: a node may bear a name that objects have a meaning for. */
function inventoryText(nodes: readonly CopiedNode[]): string {
  return `{${nodes.map(([nodeId, ...entry]) => `${JSON.stringify(nodeId)}:[${entry.join(',')}]`).join(',')}}`;
}
