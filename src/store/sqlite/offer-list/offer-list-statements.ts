/**
 * Builds the SQL for the offer list: the index for each path, and the conditions for filters. Statements name their index: if it cannot be
 * used, they fail instead of running slowly.
 */

import type { ListPlace, OfferFilter } from '../../port/offer-list.ts';
import { SUB_STATUS_BITS } from '../../shared/offer-counts.ts';
import {
  accountWord,
  type GatherRequest,
  type KeyOrder,
  type Selector,
  type WalkPath,
  wordsLookedUp,
} from '../../shared/offer-list-walk.ts';
import type { RunPath, SortRequest } from '../../shared/sorted-offers.ts';

type SqlValue = string | number;

/** Text with a placeholder for each value. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The columns of `s` (sku) and `l` (offer_listing) that define an order. */
interface OrderColumns {
  readonly columns: readonly string[];
  readonly values: (place: ListPlace) => readonly SqlValue[];
}

const BY_UPLOAD: OrderColumns = { columns: ['s.id'], values: ({ order }) => [order] };
const BY_LISTED_UPLOAD: OrderColumns = { columns: ['l.sku'], values: ({ order }) => [order] };
const BY_WORD_UPLOAD: OrderColumns = { columns: ['w.rowid'], values: ({ order }) => [order] };
const BY_SKU: OrderColumns = { columns: ['s.sku_id'], values: ({ key }) => [key] };
const BY_TITLE: OrderColumns = { columns: ['l.title_key', 'l.sku'], values: ({ key, order }) => [key, order] };
const BY_STATUS: OrderColumns = { columns: ['l.status', 'l.sku'], values: ({ key, order }) => [key, order] };

/** Column with the sort key of a list position. NULL in upload order, which has no key, and by SKU id, which is selected anyway. */
export const KEY_COLUMNS: Readonly<Record<KeyOrder, string>> = Object.freeze({
  upload: 'NULL',
  sku: 'NULL',
  title: 'l.title_key',
  status: 'l.status',
});

/** Sort values that have no index. They use the tables `s` (sku), `d` (sku_document) and `p` (price, may be missing). */
export const VALUES = Object.freeze({
  price: 'p.price',
  stock: 'coalesce((SELECT sum(i.quantity) FROM inventory i WHERE i.sku = s.id), 0)',
  updated: `max(d.updated_ms, coalesce(p.updated_ms, 0),
         coalesce((SELECT max(i.updated_ms) FROM inventory i WHERE i.sku = s.id), 0))`,
});

interface Path {
  readonly from: string;
  readonly where: Sql;
  readonly order: OrderColumns;
  /** Joins the other table. */
  readonly join: string;
}

const JOIN_LISTING = 'CROSS JOIN offer_listing l ON l.sku = s.id';
const JOIN_SKU = 'CROSS JOIN sku s ON s.id = l.sku';

export function pathSql(path: WalkPath | RunPath, accountId: number, filter: OfferFilter): Path {
  if (path === 'words') {
    const where = { text: 'offer_words MATCH ?', values: [matchOf(accountId, filter)] };
    const join = `CROSS JOIN sku s ON s.id = w.rowid ${isListed(restOf(filter, path)) ? JOIN_LISTING : ''}`;
    return { from: 'offer_words w', where, order: BY_WORD_UPLOAD, join };
  }
  if (path === 'upload' || path === 'sku') {
    const index = path === 'upload' ? 'sku_by_account' : 'sku_by_key';
    return {
      from: `sku s INDEXED BY ${index}`,
      where: { text: 's.account_id = ?', values: [accountId] },
      order: path === 'upload' ? BY_UPLOAD : BY_SKU,
      join: isListed(filter) ? JOIN_LISTING : '',
    };
  }
  if (path === 'title' || path === 'statuses') {
    const where = { text: 'l.account_id = ?', values: [accountId] };
    const [index, order] = path === 'title' ? (['by_title', BY_TITLE] as const) : (['by_status', BY_STATUS] as const);
    return { from: `offer_listing l INDEXED BY offer_listing_${index}`, where, order, join: JOIN_SKU };
  }
  const { index, condition } = selection(path, filter);
  const where = { text: `l.account_id = ? AND ${condition.text}`, values: [accountId, ...condition.values] };
  return { from: `offer_listing l INDEXED BY ${index}`, where, order: BY_LISTED_UPLOAD, join: JOIN_SKU };
}

function selection(selector: Exclude<Selector, 'words'>, filter: OfferFilter): { index: string; condition: Sql } {
  const { status = '', categoryId = '', subStatus } = filter;
  if (selector === 'status') {
    return { index: 'offer_listing_by_status', condition: { text: 'l.status = ?', values: [status] } };
  }
  if (selector === 'category') {
    return { index: 'offer_listing_by_category', condition: { text: 'l.category_id = ?', values: [categoryId] } };
  }
  const bit = subStatus === undefined ? 0 : SUB_STATUS_BITS[subStatus];
  const condition = { text: `l.sub_statuses & ${bit} <> 0`, values: [] };
  return { index: `offer_listing_by_sub_status_${bit}`, condition };
}

/** Selects ids of SKUs that a selector finds, in the third column. */
export function selectedSql(selector: Selector, accountId: number, filter: OfferFilter, max: number): Sql {
  if (selector === 'words') {
    return {
      text: `SELECT '', NULL, rowid FROM offer_words WHERE offer_words MATCH ? LIMIT ?`,
      values: [matchOf(accountId, filter), max],
    };
  }
  const { index, condition } = selection(selector, filter);
  return {
    text: `SELECT '', NULL, l.sku FROM offer_listing l INDEXED BY ${index} WHERE l.account_id = ? AND ${condition.text} LIMIT ?`,
    values: [accountId, ...condition.values, max],
  };
}

function matchOf(accountId: number, { words }: OfferFilter): string {
  return wordsLookedUp(words)
    .map((word) => `"${accountWord(accountId, word)}"*`)
    .join(' AND ');
}

/** Conditions of the filters on `s` and `l`. */
export function conditionsSql(filter: OfferFilter): Sql[] {
  const conditions: Sql[] = filter.words.map((word) => ({ text: 'instr(l.words, ?) > 0', values: [` ${word}`] }));
  // `+` keeps SQLite from using another index, because the path already has one.
  if (filter.status !== undefined) conditions.push({ text: '+l.status = ?', values: [filter.status] });
  if (filter.categoryId !== undefined) conditions.push({ text: '+l.category_id = ?', values: [filter.categoryId] });
  if (filter.subStatus !== undefined) {
    conditions.push({ text: 'l.sub_statuses & ? <> 0', values: [SUB_STATUS_BITS[filter.subStatus]] });
  }
  if (filter.archived !== undefined) {
    conditions.push({ text: '+s.archived = ?', values: [filter.archived ? 1 : 0] });
  }
  if (filter.inStock !== undefined) {
    conditions.push({
      text: 'EXISTS (SELECT 1 FROM inventory i WHERE i.sku = s.id AND i.quantity > 0) = ?',
      values: [filter.inStock ? 1 : 0],
    });
  }
  return conditions;
}

export function behindSql(order: OrderColumns, place: ListPlace, descending: boolean): Sql {
  return comparison(order, descending ? '<' : '>', place);
}

export function upToSql(order: OrderColumns, place: ListPlace, descending: boolean): Sql {
  return comparison(order, descending ? '>=' : '<=', place);
}

function comparison({ columns, values }: OrderColumns, operator: string, place: ListPlace): Sql {
  const places = columns.map(() => '?').join(', ');
  const [left, right] = columns.length === 1 ? [columns[0], places] : [`(${columns.join(', ')})`, `(${places})`];
  return { text: `${left} ${operator} ${right}`, values: values(place) };
}

export function orderBySql({ columns }: OrderColumns, descending: boolean): string {
  return columns.map((column) => (descending ? `${column} DESC` : column)).join(', ');
}

/**
 * Selects matching SKUs among the gathered SKUs, in order; the caller adds the limit. In upload order the list is the outer loop, so no
 * more SKUs are examined than needed. By SKU id and title, all matches are sorted.
 */
export function gatheredSql(
  request: GatherRequest,
  order: KeyOrder,
  skus: readonly number[],
  descending: boolean,
): Sql {
  const rest = restOf(request, request.selector);
  const conditions = conditionsSql(rest);
  const columns = { upload: BY_UPLOAD, sku: BY_SKU, title: BY_TITLE, status: BY_STATUS }[order];
  if (order !== 'upload') conditions.push(behindSql(columns, request.after, descending));
  const listing = isListed(rest) || order === 'title' || order === 'status' ? GATHERED_LISTING : '';
  const orderBy = order === 'upload' ? '' : `ORDER BY ${orderBySql(columns, descending)}`;
  return {
    text: `SELECT s.sku_id, ${KEY_COLUMNS[order]}, s.id
           FROM json_each(?) h ${listing} CROSS JOIN sku s ON s.id = h.value
           ${whereSql(conditions)} ${orderBy} LIMIT ?`,
    values: [JSON.stringify(skus), ...conditions.flatMap(({ values }) => values)],
  };
}

/** Selects the values and ids of a run as two JSON lists, sorted. */
export function runSql({ order, unpriced }: SortRequest, { from, join }: Path, conditions: readonly Sql[]): Sql {
  return {
    text: `SELECT json_group_array(value), json_group_array(id) FROM (
             SELECT coalesce(${VALUES[order]}, ?) AS value, s.id AS id FROM ${from} ${join}
             ${order === 'updated' ? 'CROSS JOIN sku_document d ON d.sku = s.id' : ''}
             ${order === 'stock' ? '' : 'LEFT JOIN price p ON p.sku = s.id'}
             ${whereSql(conditions)} ORDER BY value, s.id)`,
    values: [unpriced, ...conditions.flatMap(({ values }) => values)],
  };
}

const GATHERED_LISTING = 'CROSS JOIN offer_listing l ON l.sku = h.value';

function whereSql(conditions: readonly Sql[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ text }) => text).join(' AND ')}`;
}

/** Returns the filter without the conditions that the selector or path covers. */
export function restOf(filter: OfferFilter, selector: Selector | RunPath): OfferFilter {
  const { words, status, categoryId, subStatus, inStock, archived } = filter;
  return {
    words: selector === 'words' ? words.filter((word) => !wordsLookedUp(words).includes(word)) : words,
    status: selector === 'status' ? undefined : status,
    categoryId: selector === 'category' ? undefined : categoryId,
    subStatus: selector === 'sub_status' ? undefined : subStatus,
    inStock,
    archived,
  };
}

function isListed({ words, status, categoryId, subStatus }: OfferFilter): boolean {
  return words.length > 0 || status !== undefined || categoryId !== undefined || subStatus !== undefined;
}
