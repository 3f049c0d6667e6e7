/** In charge of the SQL of the list of offers: a statement for each path, and for each way to select offers. */
import { orderOfPath, type Selector, type WalkPath } from '../../shared/offer-list-walk.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import { SUB_STATUS_BITS } from '../../shared/sub-status-bits.ts';

/** A statement with the names of its values, in their order. */
export interface NamedStatement<Name extends string, Row extends readonly unknown[]> {
  readonly statement: Statement<Row>;
  readonly names: readonly Name[];
}

/** What stands for the value in the text. */
type Parameter<Name extends string> = (name: Name) => string;

function namedStatement<Name extends string, Row extends readonly unknown[]>(
  title: string,
  types: Readonly<Record<Name, string>>,
  write: (parameter: Parameter<Name>) => string,
): NamedStatement<Name, Row> {
  const names: Name[] = [];
  const text = write((name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${types[name]}`;
  });
  return { statement: statement<Row>(title, text), names };
}

export function valuesOf<Name extends string>(
  { names }: NamedStatement<Name, readonly unknown[]>,
  values: Readonly<Record<Name, unknown>>,
): readonly unknown[] {
  return names.map((name) => values[name]);
}

/** Of the place where to go on: `key` and `order`. Filters are null where they leave nothing out. */
const TYPES = Object.freeze({
  account: 'bigint',
  sort: 'text',
  key: 'text',
  order: 'bigint',
  checked_at: 'bigint',
  limit: 'bigint',
  gathered: 'bigint',
  status: 'text',
  category: 'text',
  sub_status: 'integer',
  words: 'tsquery',
  /** Those of them that are looked up. */
  words_looked_up: 'tsquery',
  in_stock: 'boolean',
  archived: 'boolean',
});

export type ListValue = keyof typeof TYPES;
type Value = Parameter<ListValue>;

export type FoundRow = [skuId: string, key: string, order: number];

const LISTING_COLUMNS = 'sku_id, upload_order, title_key, status, category_id, sub_statuses, words';
const OFFER_COLUMNS = 'sku_id, upload_order, archived, inventory, inventory_zeroed_number';

const ORDERS = Object.freeze({
  upload: { columns: ['upload_order'], place: (value: Value) => value('order'), key: `''`, order: 'upload_order' },
  sku: { columns: ['sku_id'], place: (value: Value) => value('key'), key: 'sku_id', order: '0::bigint' },
  title: {
    columns: ['title_key', 'upload_order'],
    place: (value: Value) => `(${value('key')}, ${value('order')})`,
    key: 'title_key',
    order: 'upload_order',
  },
});

/** Each by an index. A bit is written out: by a parameter the planner could not take the index of that bit. */
const SELECTIONS: ReadonlyMap<string, (value: Value) => string> = new Map([
  ['words', (value: Value) => `words @@ ${value('words_looked_up')}`],
  ['status', (value: Value) => `status = ${value('status')}`],
  ['category', (value: Value) => `category_id = ${value('category')}`],
  ...Object.values(SUB_STATUS_BITS).map((bit) => {
    return [`sub_status ${bit}`, () => `sub_statuses & ${bit} <> 0`] as const;
  }),
]);

/** Of the listing `e`. */
function listingConditions(value: Value, e: string): string {
  return `(${value('status')} IS NULL OR ${e}.status = ${value('status')})
       AND (${value('category')} IS NULL OR ${e}.category_id = ${value('category')})
       AND (${value('sub_status')} IS NULL OR ${e}.sub_statuses & ${value('sub_status')} <> 0)
       AND (${value('words')} IS NULL OR ${e}.words @@ ${value('words')})`;
}

/** Of the offer `o`: nodes with a lower number than that of the last zeroing read as zero. */
function offerConditions(value: Value, o: string): string {
  return `(${value('archived')} IS NULL OR ${o}.archived = ${value('archived')})
       AND (${value('in_stock')} IS NULL OR ${value('in_stock')} = EXISTS (
         SELECT FROM jsonb_each(${o}.inventory) AS node (id, entry)
         WHERE (node.entry ->> 0)::bigint > 0 AND (node.entry ->> 2)::bigint >= ${o}.inventory_zeroed_number))`;
}

/**
 * What the filters leave of the listings `e`; the offers are read only where their own filters are set. The conditions are
 * selected, not asked for by EXISTS, which the planner may answer by reading all offers of the account.
 */
function conditionsAlongListings(value: Value): string {
  return `${listingConditions(value, 'e')}
       AND ((${value('archived')} IS NULL AND ${value('in_stock')} IS NULL) OR (
         SELECT ${offerConditions(value, 'o')}
         FROM offer o WHERE o.account_id = ${value('account')} AND o.sku_id = e.sku_id))`;
}

/** What the filters leave of the offers `e`; the listings are read only where their filters are set. */
function conditionsAlongOffers(value: Value): string {
  const unset = (['status', 'category', 'sub_status', 'words'] as const).map((name) => `${value(name)} IS NULL`);
  return `${offerConditions(value, 'e')}
       AND ((${unset.join(' AND ')}) OR (
         SELECT ${listingConditions(value, 'l')}
         FROM offer_listing l WHERE l.account_id = ${value('account')} AND l.sku_id = e.sku_id))`;
}

interface WalkStatements {
  readonly walk: NamedStatement<ListValue, FoundRow>;
  /** The last of those that are looked at; `checked_at` is how many come before it. */
  readonly end: NamedStatement<ListValue, FoundRow>;
}

function walkStatements(name: string, path: WalkPath, descending: boolean): WalkStatements {
  const isAlongOffers = path === 'upload' || path === 'sku';
  const table = isAlongOffers ? 'offer' : 'offer_listing';
  const { columns, place, key, order } = ORDERS[orderOfPath(path)];
  const selection = SELECTIONS.get(name);
  const where = (value: Value) =>
    `WHERE account_id = ${value('account')}${selection === undefined ? '' : ` AND ${selection(value)}`}
         AND ${columns.length === 1 ? columns[0] : `(${columns.join(', ')})`} ${descending ? '<' : '>'} ${place(value)}`;
  const orderBy = columns.map((column) => (descending ? `${column} DESC` : column)).join(', ');
  const title = `by ${name}${descending ? ' down' : ''}`;
  return {
    walk: namedStatement(
      `walk offers ${title}`,
      TYPES,
      (value) => `SELECT sku_id, ${key}, ${order}
     FROM (SELECT ${isAlongOffers ? OFFER_COLUMNS : LISTING_COLUMNS} FROM ${table}
       ${where(value)}
       ORDER BY ${orderBy} LIMIT ${value('checked_at')}) e
     WHERE ${isAlongOffers ? conditionsAlongOffers(value) : conditionsAlongListings(value)}
     ORDER BY ${orderBy} LIMIT ${value('limit')}`,
    ),
    end: namedStatement(
      `find end of walk ${title}`,
      TYPES,
      (value) => `SELECT sku_id, ${key}, ${order} FROM ${table} ${where(value)}
     ORDER BY ${orderBy} OFFSET ${value('checked_at')} LIMIT 1`,
    ),
  };
}

const PATHS: readonly (readonly [name: string, path: WalkPath])[] = [
  ['upload', 'upload'],
  ['sku', 'sku'],
  ['title', 'title'],
  ['status', 'status'],
  ['category', 'category'],
  ...Object.values(SUB_STATUS_BITS).map((bit) => [`sub_status ${bit}`, 'sub_status'] as const),
];

const WALKS = inBothDirections((descending) => {
  return new Map(PATHS.map(([name, path]) => [name, walkStatements(name, path, descending)]));
});

interface GatherStatements {
  readonly count: NamedStatement<ListValue, [offers: number]>;
  readonly gather: NamedStatement<ListValue, FoundRow>;
}

/** In the order of the index, which keeps the planner from another one; that of words has no order. */
function selectedListings(name: string, selection: (value: Value) => string, value: Value): string {
  const order = name === 'words' ? '' : 'ORDER BY upload_order';
  return `WHERE account_id = ${value('account')} AND ${selection(value)} ${order}`;
}

/** A sort by no index: of few enough. */
function gatherStatement(name: string, selection: (value: Value) => string, descending: boolean) {
  const direction = descending ? ' DESC' : '';
  const keyOf = (value: Value) =>
    `CASE ${value('sort')} WHEN 'sku' THEN e.sku_id WHEN 'title' THEN e.title_key ELSE '' END`;
  const orderOf = (value: Value) => `CASE ${value('sort')} WHEN 'sku' THEN 0 ELSE e.upload_order END`;
  return namedStatement<ListValue, FoundRow>(
    `gather offers by ${name}${descending ? ' down' : ''}`,
    TYPES,
    (value) => `SELECT sku_id, key, upload_order FROM (
       SELECT e.sku_id, ${keyOf(value)} AS key, ${orderOf(value)} AS upload_order
       FROM (SELECT ${LISTING_COLUMNS} FROM offer_listing
         ${selectedListings(name, selection, value)} LIMIT ${value('gathered')}) e
       WHERE ${conditionsAlongListings(value)}) fitting
     WHERE (key, upload_order) ${descending ? '<' : '>'} (${value('key')}, ${value('order')})
     ORDER BY key${direction}, upload_order${direction} LIMIT ${value('limit')}`,
  );
}

const COUNTS: ReadonlyMap<string, GatherStatements['count']> = new Map(
  Array.from(SELECTIONS, ([name, selection]) => {
    const count = namedStatement<ListValue, [offers: number]>(
      `count offers by ${name}`,
      TYPES,
      (value) => `SELECT count(*) FROM (
       SELECT FROM offer_listing ${selectedListings(name, selection, value)}
       LIMIT ${value('limit')}) counted`,
    );
    return [name, count];
  }),
);

const GATHERS = inBothDirections((descending) => {
  return new Map(
    Array.from(SELECTIONS, ([name, selection]) => [name, gatherStatement(name, selection, descending)] as const),
  );
});

/** `bit` is that of the sub-status, where it is selected by one. */
export function walkAlong(path: WalkPath, bit: number | null, descending: boolean): WalkStatements {
  return found(WALKS[descending ? 'down' : 'up'], nameOf(path, bit));
}

export function countOf(selector: Selector, bit: number | null): GatherStatements['count'] {
  return found(COUNTS, nameOf(selector, bit));
}

export function gatherOf(selector: Selector, bit: number | null, descending: boolean): GatherStatements['gather'] {
  return found(GATHERS[descending ? 'down' : 'up'], nameOf(selector, bit));
}

function nameOf(path: WalkPath | Selector, bit: number | null): string {
  return path === 'sub_status' ? `sub_status ${bit}` : path;
}

function found<T>(all: ReadonlyMap<string, T>, name: string): T {
  const one = all.get(name);
  if (one === undefined) throw new Error(`There is no statement by ${name}.`);
  return one;
}

function inBothDirections<T>(make: (descending: boolean) => T): { readonly up: T; readonly down: T } {
  return { up: make(false), down: make(true) };
}
