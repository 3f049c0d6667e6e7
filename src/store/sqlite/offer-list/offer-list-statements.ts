/**
 * Builds the SQL for the offer list: the index for each path, and the conditions for filters. Statements name their index: if it cannot be
 * used, they fail instead of running slowly.
 */

import type { KeyOrder, ListPosition, OfferFilter } from '../../../domain/offers/offer-list.ts';
import { SUB_STATUS_BITS } from '../../../domain/offers/verdict-counts.ts';
import { wordsLookedUp } from '../../../domain/text/search-words.ts';
import { SQLITE_VALUES } from '../../shared/offer-list/listed-offers.ts';
import {
  accountWord,
  type GatherRequest,
  type Selector,
  type WalkPath,
} from '../../shared/offer-list/offer-list-walk.ts';
import type { RunPath, SortRequest } from '../../shared/offer-list/sorted-offers.ts';

type SqlValue = string | number;

/** Text with a placeholder for each value. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

function sql(text: string, ...values: readonly SqlValue[]): Sql {
  return { text, values };
}

/** The columns of `s` (sku), `l` (offer_listing) or `w` (offer_words) that hold a list position. An order needs one of them, or both. */
type OrderColumns = Readonly<Partial<Record<keyof ListPosition, string>>>;

const ORDERS: Readonly<Record<KeyOrder, OrderColumns>> = Object.freeze({
  upload: { order: 's.id' },
  sku: { key: 's.sku_id' },
  title: { key: 'l.title_key', order: 'l.sku' },
  status: { key: 'l.status', order: 'l.sku' },
});
const PLACE = Object.freeze(['key', 'order'] as const);

export interface Path {
  readonly from: string;
  /** Conditions that the index covers. */
  readonly where: readonly Sql[];
  readonly order: OrderColumns;
  /** Joins the other tables. */
  readonly join: string;
  /** The other conditions, which need the joined tables. */
  readonly rest: readonly Sql[];
}

const JOIN_LISTING = 'CROSS JOIN offer_listing l ON l.sku = s.id';

export function pathSql(path: WalkPath | RunPath | Selector, accountId: number, filter: OfferFilter): Path {
  const left = restOf(filter, path);
  const listing = isListed(left) ? JOIN_LISTING : '';
  const rest = conditionsSql(left);
  if (path === 'words') {
    const where = [sql('offer_words MATCH ?', matchOf(accountId, filter))];
    const join = `CROSS JOIN sku s ON s.id = w.rowid ${listing}`;
    return { from: 'offer_words w', where, order: { order: 'w.rowid' }, join, rest };
  }
  if (path === 'upcoming') {
    const from = `upcoming_failure u INDEXED BY upcoming_failure_by_change
           CROSS JOIN sku s INDEXED BY sku_by_key ON s.account_id = u.account_id AND s.sku_id = u.sku_id`;
    const where = [sql('u.account_id = ?', accountId), announcedSql(filter.upcoming)];
    return { from, where, order: ORDERS.upload, join: listing, rest };
  }
  if (path === 'upload' || path === 'sku') {
    const from = `sku s INDEXED BY ${path === 'upload' ? 'sku_by_account' : 'sku_by_key'}`;
    return { from, where: [sql('s.account_id = ?', accountId)], order: ORDERS[path], join: listing, rest };
  }
  if (path === 'archived') {
    const where = [sql('s.account_id = ?', accountId), sql('s.archived = 1')];
    return { from: 'sku s INDEXED BY sku_archived', where, order: ORDERS.upload, join: listing, rest };
  }
  const { status = '', categoryId = '', subStatus } = filter;
  const bit = subStatus === undefined ? 0 : SUB_STATUS_BITS[subStatus];
  const listed = { order: 'l.sku' };
  const [index, order, ...selected] = {
    title: ['title', ORDERS.title],
    statuses: ['status', ORDERS.status],
    status: ['status', listed, sql('l.status = ?', status)],
    category: ['category', listed, sql('l.category_id = ?', categoryId)],
    sub_status: [`sub_status_${bit}`, listed, sql(`l.sub_statuses & ${bit} <> 0`)],
  }[path] as [index: string, order: OrderColumns, ...selected: Sql[]];
  const from = `offer_listing l INDEXED BY offer_listing_by_${index}`;
  const where = [sql('l.account_id = ?', accountId), ...selected];
  return { from, where, order, join: 'CROSS JOIN sku s ON s.id = l.sku', rest };
}

function matchOf(accountId: number, { words }: OfferFilter): string {
  return wordsLookedUp(words)
    .map((word) => `"${accountWord(accountId, word)}"*`)
    .join(' AND ');
}

function announcedSql(announcedIds: readonly number[] = []): Sql {
  return sql(`u.announced_id IN (${announcedIds.map(() => '?')})`, ...announcedIds);
}

/** Conditions of the filters on `s` and `l`. */
function conditionsSql({ words, status, categoryId, subStatus, archived, inStock, upcoming }: OfferFilter): Sql[] {
  const conditions = words.map((word) => sql('instr(l.words, ?) > 0', ` ${word}`));
  // `+` keeps SQLite from using another index, because the path already has one.
  if (status !== undefined) conditions.push(sql('+l.status = ?', status));
  if (categoryId !== undefined) conditions.push(sql('+l.category_id = ?', categoryId));
  if (subStatus !== undefined) conditions.push(sql('l.sub_statuses & ? <> 0', SUB_STATUS_BITS[subStatus]));
  if (archived !== undefined) conditions.push(sql('+s.archived = ?', Number(archived)));
  if (inStock !== undefined) {
    const found = 'EXISTS (SELECT 1 FROM inventory i WHERE i.sku = s.id AND i.quantity > 0)';
    conditions.push(sql(`${found} = ?`, Number(inStock)));
  }
  if (upcoming !== undefined) {
    const { text, values } = announcedSql(upcoming);
    const own = 'u.account_id = s.account_id AND u.sku_id = s.sku_id';
    // The result of EXISTS is compared with a value, because SQLite would turn a plain EXISTS into a join, and could begin with it.
    conditions.push(sql(`EXISTS (SELECT 1 FROM upcoming_failure u WHERE ${own} AND ${text}) = 1`, ...values));
  }
  return conditions;
}

/** `operator`: the comparison in ascending order. */
export function comparedSql(
  columns: OrderColumns,
  operator: '>' | '<=',
  position: ListPosition,
  descending: boolean,
): Sql {
  const parts = PLACE.filter((part) => columns[part] !== undefined);
  const directed = descending ? { '>': '<', '<=': '>=' }[operator] : operator;
  const text = `(${parts.map((part) => columns[part]).join(', ')}) ${directed} (${parts.map(() => '?').join(', ')})`;
  return sql(text, ...parts.map((part) => position[part]));
}

/** Selects the key and the upload order of a list position. */
export function placeSql({ key = `''`, order = '0' }: OrderColumns): string {
  return `${key}, ${order}`;
}

export function orderBySql(columns: OrderColumns, descending: boolean): string {
  const sorted = PLACE.flatMap((part) => columns[part] ?? []);
  return `ORDER BY ${sorted.map((column) => (descending ? `${column} DESC` : column)).join(', ')}`;
}

/** `values`: the values of the placeholders in `end`. */
export function selectSql(
  columns: string,
  from: string,
  conditions: readonly Sql[],
  end: string,
  ...values: readonly SqlValue[]
): Sql {
  return sql(`SELECT ${columns} FROM ${from} ${whereSql(conditions)} ${end}`, ...valuesOf(conditions), ...values);
}

/**
 * Selects matching SKUs among the gathered SKUs, in order. In upload order the list is the outer loop, so no more SKUs are examined than
 * needed. By SKU id and title, all matches are sorted.
 */
export function gatheredSql(
  { after, limit, selector, ...filter }: GatherRequest,
  order: KeyOrder,
  skus: readonly number[],
  descending: boolean,
): Sql {
  const rest = restOf(filter, selector);
  const conditions = conditionsSql(rest);
  const columns = ORDERS[order];
  if (order !== 'upload') conditions.push(comparedSql(columns, '>', after, descending));
  const isJoined = isListed(rest) || order === 'title' || order === 'status';
  return {
    text: `SELECT s.sku_id, ${placeSql(columns)}
           FROM json_each(?) h ${isJoined ? 'CROSS JOIN offer_listing l ON l.sku = h.value' : ''}
           CROSS JOIN sku s ON s.id = h.value
           ${whereSql(conditions)} ${order === 'upload' ? '' : orderBySql(columns, descending)} LIMIT ?`,
    values: [JSON.stringify(skus), ...valuesOf(conditions), limit],
  };
}

/** Selects the values and ids of a run as two JSON lists, sorted. */
export function runSql({ order, unpriced }: SortRequest, { from, join }: Path, conditions: readonly Sql[]): Sql {
  return {
    text: `SELECT json_group_array(value), json_group_array(id) FROM (
             SELECT coalesce(${SQLITE_VALUES[order]}, ?) AS value, s.id AS id FROM ${from} ${join}
             ${order === 'updated' ? 'CROSS JOIN sku_document d ON d.sku = s.id' : ''}
             ${order === 'stock' ? '' : 'LEFT JOIN price p ON p.sku = s.id'}
             ${whereSql(conditions)} ORDER BY value, s.id)`,
    values: [unpriced, ...valuesOf(conditions)],
  };
}

function whereSql(conditions: readonly Sql[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ text }) => text).join(' AND ')}`;
}

function valuesOf(conditions: readonly Sql[]): readonly SqlValue[] {
  return conditions.flatMap(({ values }) => values);
}

/** Returns the filter without the conditions that the path covers. The index may still have words that an offer no longer has. */
function restOf(filter: OfferFilter, path: WalkPath | Selector): OfferFilter {
  const { words, status, categoryId, subStatus, inStock, archived, upcoming } = filter;
  return {
    words,
    status: path === 'status' ? undefined : status,
    categoryId: path === 'category' ? undefined : categoryId,
    subStatus: path === 'sub_status' ? undefined : subStatus,
    inStock,
    archived: path === 'archived' ? undefined : archived,
    upcoming: path === 'upcoming' ? undefined : upcoming,
  };
}

function isListed({ words, status, categoryId, subStatus }: OfferFilter): boolean {
  return words.length > 0 || status !== undefined || categoryId !== undefined || subStatus !== undefined;
}
