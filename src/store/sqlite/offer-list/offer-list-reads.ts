/** Reads pages of the offer list. Runs in the reader thread. Statements are built for the filters in use, and cached. */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { ListedOffer, ListPlace } from '../../port/offer-list.ts';
import { verdictOf } from '../../shared/offer-columns.ts';
import {
  type FoundOffer,
  type GatherRequest,
  isDescending,
  type KeyOrder,
  orderOf,
  orderOfPath,
  type Walked,
  type WalkRequest,
} from '../../shared/offer-list-walk.ts';
import type { RunRequest, SortedRun } from '../../shared/sorted-offers.ts';
import { type Connection, type Query, query } from '../engine/engine.ts';
import {
  behindSql,
  conditionsSql,
  gatheredSql,
  KEY_COLUMNS,
  orderBySql,
  pathSql,
  restOf,
  runSql,
  type Sql,
  selectedSql,
  upToSql,
  VALUES,
} from './offer-list-statements.ts';

/** Maximum number of cached statements. People use few of the possible filter combinations. */
const KEPT_MAX = 100;

type PlaceColumns = [skuId: string, key: string | number | null, sku: number];

export type OfferListReads = ReturnType<typeof offerListReads>;

export function offerListReads(connection: Connection) {
  const kept = new Map<string, Query<readonly unknown[]>>();
  const selectNames = query<[skuId: string]>(
    connection,
    `SELECT s.sku_id FROM json_each(?2) asked CROSS JOIN sku s ON s.id = asked.value AND s.account_id = ?1
     ORDER BY asked.key`,
  );
  const selectListed = query<
    readonly [
      skuId: string,
      document: string,
      archived: 0 | 1,
      price: number | null,
      priceNodes: string,
      quantity: number,
      updatedMs: number,
      status: Status | null,
      subStatuses: string | null,
      rules: string | null,
      due: 0 | 1,
      categoryId: string | null,
    ]
  >(
    connection,
    `SELECT s.sku_id, d.document, s.archived, p.price, coalesce(p.nodes, '[]'), ${VALUES.stock}, ${VALUES.updated},
       v.status, v.sub_statuses, v.rules, EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id), l.category_id
     FROM json_each(?2) asked
     CROSS JOIN sku s ON s.account_id = ?1 AND s.sku_id = asked.value
     CROSS JOIN sku_document d ON d.sku = s.id
     LEFT JOIN price p ON p.sku = s.id
     LEFT JOIN review v ON v.sku = s.id
     LEFT JOIN offer_listing l ON l.sku = s.id
     ORDER BY asked.key`,
  );

  function walk(accountId: number, request: WalkRequest): Walked {
    const { path, descending, after, examined_max, limit } = request;
    const { from, where, order, join } = pathSql(path, accountId, request);
    const orderBy = orderBySql(order, descending);
    const behind = behindSql(order, after, descending);
    // The last offer to examine, found in the index alone: 20,000 take a millisecond.
    const key = KEY_COLUMNS[orderOfPath(path)];
    const columns = [path === 'sku' ? 's.sku_id' : `''`, key, numberOf(path)];
    const last = all({
      text: `SELECT ${columns.join(', ')} FROM ${from} WHERE ${where.text} AND ${behind.text} ORDER BY ${orderBy}
             LIMIT 1 OFFSET ?`,
      values: [...where.values, ...behind.values, examined_max - 1],
    })[0];
    const end = last === undefined ? undefined : placeOf(orderOfPath(path), last);
    const conditions = [where, behind, ...conditionsSql(request)];
    if (end !== undefined) conditions.push(upToSql(order, end, descending));
    const found = all({
      text: `SELECT s.sku_id, ${key}, s.id FROM ${from} ${join}
             WHERE ${conditions.map(({ text }) => text).join(' AND ')} ORDER BY ${orderBy} LIMIT ?`,
      values: [...conditions.flatMap(({ values }) => values), limit],
    }).map((row) => foundOf(orderOfPath(path), row));
    return { found, end: found.length === limit ? undefined : end };
  }

  function gather(accountId: number, request: GatherRequest): FoundOffer[] | 'too_many' {
    const { selector, sort, after, limit, gathered_max } = request;
    const selected = selectedSql(selector, accountId, request, gathered_max + 1);
    const skus = all(selected).map(({ 2: sku }) => sku);
    if (skus.length > gathered_max) return 'too_many';
    const descending = isDescending(sort);
    const order = orderOf(sort);
    const fitting = gatheredSql(request, order, inOrder(skus, order, after, descending), descending);
    const rows = all({ text: fitting.text, values: [...fitting.values, limit] });
    return rows.map((row) => foundOf(order, row));
  }

  /** Reads a run. Word lookups are expensive, so the run is empty if they find too many offers. */
  function readRun(accountId: number, request: RunRequest): SortedRun {
    const { path, after, examined_max } = request;
    const along = pathSql(path, accountId, request);
    const behind = behindSql(along.order, { key: '', order: after }, false);
    const [id] = along.order.columns;
    const last = all({
      text: `SELECT '', NULL, ${id} FROM ${along.from} WHERE ${along.where.text} AND ${behind.text} ORDER BY ${id}
             LIMIT 1 OFFSET ?`,
      values: [...along.where.values, ...behind.values, examined_max - 1],
    })[0];
    const end = last?.[2];
    if (path === 'words' && end !== undefined) return { values: new Float64Array(), orders: new Float64Array(), end };
    const conditions = [along.where, behind, ...conditionsSql(restOf(request, path))];
    if (end !== undefined) conditions.push(upToSql(along.order, { key: '', order: end }, false));
    const [[values, orders] = []] = all<[values: string, orders: string]>(runSql(request, along, conditions));
    return { values: numbersOf(values), orders: numbersOf(orders), end };
  }

  function nameOffers(accountId: number, orders: readonly number[]): string[] {
    return selectNames.all(accountId, JSON.stringify(orders)).map(([skuId]) => skuId);
  }

  function readListed(accountId: number, skuIds: readonly string[]): ListedOffer[] {
    return selectListed.all(accountId, JSON.stringify(skuIds)).map((row) => {
      const [skuId, document, archived, price, priceNodes, quantity, updatedMs, status, ...rest] = row;
      const [subStatuses, rules, due, categoryId] = rest;
      const verdict = verdictOf(due === 1, status, subStatuses, rules);
      return { skuId, document, archived: archived === 1, price, priceNodes, quantity, updatedMs, verdict, categoryId };
    });
  }

  function all<Row extends readonly unknown[] = PlaceColumns>({ text, values }: Sql): Row[] {
    let statement = kept.get(text);
    if (statement === undefined) {
      if (kept.size >= KEPT_MAX) kept.clear();
      statement = query<readonly unknown[]>(connection, text);
      kept.set(text, statement);
    }
    return statement.all(...values) as unknown as Row[];
  }

  return { walk, gather, readRun, nameOffers, readListed };
}

/** If the list is in upload order, which is the order of the ids: returns the ids after `after`, sorted. */
function inOrder(skus: readonly number[], order: KeyOrder, after: ListPlace, descending: boolean): readonly number[] {
  if (order !== 'upload') return skus;
  const behind = skus.filter((sku) => (descending ? sku < after.order : sku > after.order));
  return behind.sort((one, other) => (descending ? other - one : one - other));
}

function numbersOf(list = '[]'): Float64Array {
  return Float64Array.from(JSON.parse(list) as number[]);
}

function numberOf(path: WalkRequest['path']): string {
  return path === 'upload' || path === 'sku' ? 's.id' : 'l.sku';
}

function placeOf(order: KeyOrder, [skuId, key, sku]: PlaceColumns): ListPlace {
  return order === 'sku' ? { key: skuId, order: 0 } : { key: String(key ?? ''), order: sku };
}

function foundOf(order: KeyOrder, row: PlaceColumns): FoundOffer {
  return { skuId: row[0], place: placeOf(order, row) };
}
