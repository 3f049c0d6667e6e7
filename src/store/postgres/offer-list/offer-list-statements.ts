/** Builds the SQL of the offer list: a statement for each path, and for each way to select offers. */
import { SUB_STATUS_BITS } from '../../../domain/offers/verdict-counts.ts';
import { stockSql, updatedSql } from '../../shared/offer-list/listed-offers.ts';
import { inStockSql } from '../../shared/offer-list/offer-counts.ts';
import { type FoundRow, orderOfPath, type Selector, type WalkPath } from '../../shared/offer-list/offer-list-walk.ts';
import type { RunPath } from '../../shared/offer-list/sorted-offers.ts';
import { type Statement, statement } from '../../shared/sql.ts';

/** Values by name, with their types. `key` and `order` are the position to continue from; unset filters are null. */
const TYPES = Object.freeze({
  account: 'bigint',
  sort: 'text',
  key: 'text',
  order: 'bigint',
  unpriced: 'float8',
  checked_at: 'bigint',
  limit: 'bigint',
  gathered: 'bigint',
  status: 'text',
  category: 'text',
  sub_status: 'integer',
  words: 'tsquery',
  /** The most selective words. */
  words_looked_up: 'tsquery',
  in_stock: 'boolean',
  archived: 'boolean',
  upcoming: 'bigint[]',
});

type ListValue = keyof typeof TYPES;
/** Returns the placeholder of a value. */
type Value = (name: ListValue) => string;

type ListValues = Readonly<Partial<Record<ListValue, unknown>>>;

export interface ListCommand<Row extends readonly unknown[]> {
  readonly statement: Statement<Row>;
  readonly values: readonly unknown[];
}

/** Makes the command from its values. */
type ListStatement<Row extends readonly unknown[]> = (values: ListValues) => ListCommand<Row>;

function listStatement<Row extends readonly unknown[]>(title: string, write: (value: Value) => string) {
  const names: ListValue[] = [];
  const text = write((name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::${TYPES[name]}`;
  });
  const made = statement<Row>(title)`${text}`;
  return (values: ListValues) => ({ statement: made, values: names.map((name) => values[name]) });
}

/** The values and upload orders are JSON lists, null if no offer matches. */
type RunRow = [values: string | null, orders: string | null, end: number | null, examined: number];

const LISTING_COLUMNS = 'sku_id, upload_order, title_key, status, category_id, sub_statuses, words';
const OFFER_COLUMNS = 'sku_id, upload_order, archived, inventory, inventory_zeroed_number';
/** Additional columns that offers are sorted by. */
const VALUE_COLUMNS = 'price, price_updated_ms, document_updated_ms, inventory_stamp_ms';

const ORDERS = Object.freeze({
  upload: { columns: ['upload_order'], position: (value: Value) => value('order'), key: `''`, order: 'upload_order' },
  sku: { columns: ['sku_id'], position: (value: Value) => value('key'), key: 'sku_id', order: '0::bigint' },
  title: byKey('title_key'),
  status: byKey('status'),
});

function byKey(column: string) {
  const position = (value: Value) => `(${value('key')}, ${value('order')})`;
  return { columns: [column, 'upload_order'], position, key: column, order: 'upload_order' };
}

type Selection = (value: Value) => string;

/** Each selection uses an index. Bits are literals, since the planner could not match a parameter to the index of a bit. */
const SELECTIONS: ReadonlyMap<string, Selection> = new Map<string, Selection>([
  [
    'upcoming',
    (value) => `sku_id = ANY (ARRAY(
         SELECT u.sku_id FROM unnest(${value('upcoming')}) AS i (announced_id) CROSS JOIN LATERAL (
           SELECT sku_id FROM upcoming_failure
           WHERE account_id = ${value('account')} AND announced_id = i.announced_id LIMIT ${value('gathered')}) u))`,
  ],
  ['words', (value) => `words @@ ${value('words_looked_up')}`],
  ['status', (value) => `status = ${value('status')}`],
  ['category', (value) => `category_id = ${value('category')}`],
  ...Object.values(SUB_STATUS_BITS).map((bit): [string, Selection] => {
    return [`sub_status ${bit}`, () => `sub_statuses & ${bit} <> 0`];
  }),
]);

/** Selects offers by their own index. */
const ARCHIVED = 'archived';

function listingConditions(value: Value, e: string): string {
  return `(${value('status')} IS NULL OR ${e}.status = ${value('status')})
       AND (${value('category')} IS NULL OR ${e}.category_id = ${value('category')})
       AND (${value('sub_status')} IS NULL OR ${e}.sub_statuses & ${value('sub_status')} <> 0)
       AND (${value('words')} IS NULL OR ${e}.words @@ ${value('words')})`;
}

function offerConditions(value: Value, o: string): string {
  return `(${value('archived')} IS NULL OR ${o}.archived = ${value('archived')})
       AND (${value('in_stock')} IS NULL OR ${value('in_stock')} = ${inStockSql(o)})`;
}

function upcomingCondition(value: Value): string {
  return `(${value('upcoming')} IS NULL OR (
         SELECT true FROM upcoming_failure u WHERE u.account_id = ${value('account')} AND u.sku_id = e.sku_id
           AND u.announced_id = ANY (${value('upcoming')}) LIMIT 1))`;
}

/**
 * Filters listings `e`; reads offers only if their own filters are set. Selects the conditions instead of using EXISTS, for which
 * the planner may read all offers of the account.
 */
function conditionsAlongListings(value: Value): string {
  return `${listingConditions(value, 'e')} AND ${upcomingCondition(value)}
       AND ((${value('archived')} IS NULL AND ${value('in_stock')} IS NULL) OR (
         SELECT ${offerConditions(value, 'o')}
         FROM offer o WHERE o.account_id = ${value('account')} AND o.sku_id = e.sku_id))`;
}

/** Filters offers `e`; reads listings only if their filters are set. */
function conditionsAlongOffers(value: Value): string {
  const unset = (['status', 'category', 'sub_status', 'words'] as const).map((name) => `${value(name)} IS NULL`);
  return `${offerConditions(value, 'e')} AND ${upcomingCondition(value)}
       AND ((${unset.join(' AND ')}) OR (
         SELECT ${listingConditions(value, 'l')}
         FROM offer_listing l WHERE l.account_id = ${value('account')} AND l.sku_id = e.sku_id))`;
}

/** Returns the number by which offer `o` is sorted. */
function sortedValue(value: Value, o: string): string {
  return `CASE ${value('sort')}
       WHEN 'price' THEN coalesce(${o}.price, ${value('unpriced')})
       WHEN 'stock' THEN ${stockSql(o)}
       ELSE ${updatedSql(o)} END`;
}

interface WalkStatements {
  readonly walk: ListStatement<FoundRow>;
  /** Finds the last of the examined offers; `checked_at` is how many come before it. */
  readonly end: ListStatement<FoundRow>;
}

function walkStatements(name: string, descending: boolean): WalkStatements {
  const path = name.split(' ')[0] as WalkPath;
  const isAlongOffers = path === 'upload' || path === 'sku' || path === 'archived';
  const table = isAlongOffers ? 'offer' : 'offer_listing';
  const { columns, position, key, order } = ORDERS[orderOfPath(path)];
  const selection = path === 'archived' ? () => ARCHIVED : SELECTIONS.get(name);
  const where = (value: Value) =>
    `WHERE account_id = ${value('account')}${selection === undefined ? '' : ` AND ${selection(value)}`}
         AND ${columns.length === 1 ? columns[0] : `(${columns.join(', ')})`} ${descending ? '<' : '>'} ${position(value)}`;
  const orderBy = columns.map((column) => (descending ? `${column} DESC` : column)).join(', ');
  return {
    walk: listStatement(
      `walk offers by ${titleOf(name, descending)}`,
      (value) => `SELECT sku_id, ${key}, ${order}
     FROM (SELECT ${isAlongOffers ? OFFER_COLUMNS : LISTING_COLUMNS} FROM ${table}
       ${where(value)}
       ORDER BY ${orderBy} LIMIT ${value('checked_at')}) e
     WHERE ${isAlongOffers ? conditionsAlongOffers(value) : conditionsAlongListings(value)}
     ORDER BY ${orderBy} LIMIT ${value('limit')}`,
    ),
    end: listStatement(
      `find end of walk by ${titleOf(name, descending)}`,
      (value) => `SELECT sku_id, ${key}, ${order} FROM ${table} ${where(value)}
     ORDER BY ${orderBy} OFFSET ${value('checked_at')} LIMIT 1`,
    ),
  };
}

/** Selects offers in the order of the index, so that the planner chooses no other index. The other two indexes have no such order. */
function selectedOffers(name: string, value: Value, behind = ''): string {
  const order = name === 'words' || name === 'upcoming' ? '' : 'ORDER BY upload_order';
  return `offer_listing WHERE account_id = ${value('account')} AND ${SELECTIONS.get(name)?.(value)} ${behind} ${order}`;
}

/** Sorts without an index, which is fast enough for the few gathered offers. */
function gatherStatement(name: string, descending: boolean): ListStatement<FoundRow> {
  const direction = descending ? ' DESC' : '';
  return listStatement(
    `gather offers by ${titleOf(name, descending)}`,
    (value) => `SELECT sku_id, key, upload_order
     FROM (
       SELECT e.sku_id, CASE ${value('sort')} WHEN 'sku' THEN e.sku_id WHEN 'title' THEN e.title_key
           WHEN 'status' THEN e.status ELSE '' END AS key,
         CASE ${value('sort')} WHEN 'sku' THEN 0 ELSE e.upload_order END AS upload_order
       FROM (SELECT ${LISTING_COLUMNS} FROM ${selectedOffers(name, value)} LIMIT ${value('gathered')}) e
       WHERE ${conditionsAlongListings(value)} OFFSET 0) fitting
     WHERE (key, upload_order) ${descending ? '<' : '>'} (${value('key')}, ${value('order')})
     ORDER BY key${direction}, upload_order${direction} LIMIT ${value('limit')}`,
  );
}

/** Reads offers in order of upload, except by words, and sorts the matches. */
function runStatement(name: string): ListStatement<RunRow> {
  const isAlongOffers = name === 'upload' || name === 'archived';
  return listStatement(`sort offers by ${name}`, (value) => {
    const behind = name === 'words' ? '' : `AND upload_order > ${value('order')}`;
    const selected = name === 'archived' ? `AND ${ARCHIVED}` : '';
    const examined = isAlongOffers
      ? `SELECT ${OFFER_COLUMNS}, ${VALUE_COLUMNS} FROM offer
         WHERE account_id = ${value('account')} ${selected} ${behind} ORDER BY upload_order`
      : `SELECT ${LISTING_COLUMNS} FROM ${selectedOffers(name, value, behind)}`;
    const sorted = isAlongOffers
      ? sortedValue(value, 'e')
      : `(SELECT ${sortedValue(value, 'o')} FROM offer o WHERE o.account_id = ${value('account')} AND o.sku_id = e.sku_id)`;
    const inOrder = 'ORDER BY value, upload_order) FILTER (WHERE fits)';
    return `SELECT json_agg(value ${inOrder}, json_agg(upload_order ${inOrder}, max(upload_order), count(*)
     FROM (
       SELECT upload_order, fits, CASE WHEN fits THEN ${sorted} END AS value
       FROM (
         SELECT e.*, ${isAlongOffers ? conditionsAlongOffers(value) : conditionsAlongListings(value)} AS fits
         FROM (${examined} LIMIT ${value('limit')}) e OFFSET 0) e OFFSET 0) sorted`;
  });
}

function countStatement(name: string): ListStatement<[offers: number]> {
  return listStatement(
    `count offers by ${name}`,
    (value) => `SELECT count(*) FROM (
       SELECT FROM ${selectedOffers(name, value)}
       LIMIT ${value('limit')}) counted`,
  );
}

/**
 * Builds the statement for each name and direction. Returns a function that finds a statement; `bit`: the bit of the sub-status, for paths
 * by sub-status.
 */
function statementsOf<T>(
  names: Iterable<string>,
  make: (name: string, descending: boolean) => T,
  directions: readonly boolean[] = [false, true],
) {
  const made = new Map<string, T>();
  for (const name of names) {
    for (const descending of directions) made.set(titleOf(name, descending), make(name, descending));
  }
  return (path: WalkPath | RunPath | Selector, bit: number | null, descending = false): T => {
    const title = titleOf(path === 'sub_status' ? `sub_status ${bit}` : path, descending);
    const found = made.get(title);
    if (found === undefined) throw new Error(`No statement exists for ${title}.`);
    return found;
  };
}

function titleOf(name: string, descending: boolean): string {
  return descending ? `${name} down` : name;
}

const ORDERED = SELECTIONS.keys().filter((name) => name !== 'words' && name !== 'upcoming');
const SORTED = SELECTIONS.keys().filter((name) => name !== 'upcoming');
export const walkAlong = statementsOf(['upload', 'sku', 'title', 'statuses', 'archived', ...ORDERED], walkStatements);
export const gatherOf = statementsOf(SELECTIONS.keys(), gatherStatement);
export const countOf = statementsOf(SELECTIONS.keys(), countStatement, [false]);
export const runOf = statementsOf(['upload', 'archived', ...SORTED], runStatement, [false]);
