/** Reads pages of the offer list. Runs in the reader thread. Statements are built for the filters in use, and cached. */
import { isDescending, type KeyOrder, type ListPosition, orderOf } from '../../../domain/offers/offer-list.ts';
import type { SortedRun } from '../../../domain/offers/sorted-runs.ts';
import {
  type FoundOffer,
  type FoundRow,
  foundOf,
  type GatherRequest,
  type Walked,
  type WalkRequest,
} from '../../shared/offer-list/offer-list-walk.ts';
import type { RunRequest } from '../../shared/offer-list/sorted-offers.ts';
import type { Connection, Query } from '../engine/connection.ts';
import {
  comparedSql,
  gatheredSql,
  orderBySql,
  type Path,
  pathSql,
  placeSql,
  runSql,
  type Sql,
  selectSql,
} from './offer-list-statements.ts';

/** Maximum number of cached statements. People use few of the possible filter combinations. */
const KEPT_MAX = 100;

export type OfferListReads = ReturnType<typeof offerListReads>;

export function offerListReads(connection: Connection) {
  const kept = new Map<string, Query<readonly unknown[]>>();
  function walk(accountId: number, request: WalkRequest): Walked {
    const { path, descending, after, examined_max, limit } = request;
    const along = pathSql(path, accountId, request);
    const { conditions, end } = examine(along, after, descending, examined_max);
    const columns = `s.sku_id, ${placeSql(along.order)}`;
    const inOrder = `${orderBySql(along.order, descending)} LIMIT ?`;
    const rows = all<FoundRow>(selectSql(columns, `${along.from} ${along.join}`, conditions, inOrder, limit));
    const found = rows.map(foundOf);
    return { found, end: found.length === limit ? undefined : end };
  }

  function gather(accountId: number, request: GatherRequest): FoundOffer[] | 'too_many' {
    const { selector, sort, after, gathered_max } = request;
    const { from, where, order: selected } = pathSql(selector, accountId, request);
    const rows = all<readonly [number]>(selectSql(`${selected.order}`, from, where, 'LIMIT ?', gathered_max + 1));
    if (rows.length > gathered_max) return 'too_many';
    // An offer may fail under several announced changes.
    const skus = [...new Set(rows.map(([sku]) => sku))];
    const descending = isDescending(sort);
    const order = orderOf(sort);
    const fitting = gatheredSql(request, order, inOrder(skus, order, after, descending), descending);
    return all<FoundRow>(fitting).map(foundOf);
  }

  /** Reads a run. Word lookups are expensive, so the run is empty if they find too many offers. */
  function readRun(accountId: number, request: RunRequest): SortedRun {
    const { path, after, examined_max } = request;
    const along = pathSql(path, accountId, request);
    const { conditions, end } = examine(along, { key: '', order: after }, false, examined_max);
    if (path === 'words' && end !== undefined) return { values: numbersOf(), orders: numbersOf(), end: end.order };
    const [[values, orders] = []] = all<[values: string, orders: string]>(runSql(request, along, conditions));
    return { values: numbersOf(values), orders: numbersOf(orders), end: end?.order };
  }

  /**
   * Finds the last offer to examine, in the index alone: 20,000 take a millisecond. Returns the conditions of all offers up to it;
   * `end` is undefined at the end of the path.
   */
  function examine({ from, where, order, rest }: Path, after: ListPosition, descending: boolean, examined_max: number) {
    const behind = [...where, comparedSql(order, '>', after, descending)];
    const last = `${orderBySql(order, descending)} LIMIT 1 OFFSET ?`;
    const [row] = all<readonly [string, number]>(selectSql(placeSql(order), from, behind, last, examined_max - 1));
    if (row === undefined) return { conditions: [...behind, ...rest], end: undefined };
    const end = { key: row[0], order: row[1] };
    return { conditions: [...behind, comparedSql(order, '<=', end, descending), ...rest], end };
  }

  function all<Row extends readonly unknown[]>({ text, values }: Sql): Row[] {
    let statement = kept.get(text);
    if (statement === undefined) {
      if (kept.size >= KEPT_MAX) kept.clear();
      statement = connection.query<readonly unknown[]>(text);
      kept.set(text, statement);
    }
    return statement.all(...values) as unknown as Row[];
  }

  return { walk, gather, readRun };
}

/** If the list is in upload order, which is the order of the ids: returns the ids after `after`, sorted. */
function inOrder(
  skus: readonly number[],
  order: KeyOrder,
  after: ListPosition,
  descending: boolean,
): readonly number[] {
  if (order !== 'upload') return skus;
  const behind = skus.filter((sku) => (descending ? sku < after.order : sku > after.order));
  return behind.sort((one, other) => (descending ? other - one : one - other));
}

function numbersOf(list = '[]'): Float64Array {
  return Float64Array.from(JSON.parse(list) as number[]);
}
