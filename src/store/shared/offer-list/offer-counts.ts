/** Counts offers for the offer list. */
import type { CountChange, CountKind } from '../../../domain/offers/verdict-counts.ts';
import type { Status, SubStatus } from '../../../domain/vocabulary/statuses.ts';
import { DUE_COUNTED_MAX, type OfferCounts, type OfferListStore } from '../../port/offer-list.ts';
import { scan } from '../command.ts';
import { engineStatement, firstOf, insertStatement, listsOf, numberOf } from '../sql.ts';

const ADD_UP = 'DO UPDATE SET offers = offer_count.offers + excluded.offers';
const COUNT = ['kind', 'value', 'offers'];
/** Values: see `countValues`. */
export const MOVE_COUNTS = insertStatement('move offer counts', 'offer_count', ['account_id'], ADD_UP, COUNT);

export function countValues(accountId: number, changes: readonly CountChange[]): readonly unknown[] {
  return [accountId, ...listsOf(changes, 0, 1, 2)];
}

/** A stored count, or, with the kind `due`, the number of offers due for review. Its value is `reviewed` or `unreviewed`. */
type CountRow = readonly [kind: CountKind | 'due', value: string, offers: number];

/** One statement sees one snapshot. With two, an offer in review could be in neither count or in both. */
const COUNTS = engineStatement<CountRow>(
  'read offer counts',
  `SELECT kind, value, offers FROM offer_count WHERE account_id = $1
   UNION ALL
   SELECT 'due', CASE WHEN review_status IS NULL THEN 'unreviewed' ELSE 'reviewed' END, count(*) FROM (
     SELECT review_status FROM offer WHERE account_id = $1 AND review_mark IS NOT NULL LIMIT ${DUE_COUNTED_MAX}) due
   GROUP BY 2`,
  `SELECT kind, value, offers FROM offer_count WHERE account_id = $1
   UNION ALL
   SELECT 'due', iif(EXISTS (SELECT 1 FROM offer_listing l WHERE l.sku = q.sku), 'reviewed', 'unreviewed') reviewed, count(*)
   FROM (SELECT sku FROM review_due INDEXED BY review_due_by_account WHERE account_id = $1
     LIMIT ${DUE_COUNTED_MAX}) q
   GROUP BY reviewed`,
);

/** SQL for PostgreSQL, like the next two functions: the nodes of the offer `o`. */
export function nodesOf(o: string): string {
  return `jsonb_each(${o}.inventory) AS node (id, entry)`;
}

/** Nodes with a lower number than the last zeroing read as zero. The first test skips offers that were never zeroed, which are most. */
export function isCurrent(o: string): string {
  return `(${o}.inventory_zeroed_number = 0 OR (node.entry -> 2)::bigint >= ${o}.inventory_zeroed_number)`;
}

export function inStockSql(o: string): string {
  return `EXISTS (SELECT FROM ${nodesOf(o)} WHERE (node.entry -> 0)::bigint > 0 AND ${isCurrent(o)})`;
}

const OUT_OF_STOCK = engineStatement<[offers: number]>(
  'count offers out of stock',
  `SELECT count(*) FROM offer_listing l
   WHERE l.account_id = $1 AND l.status = 'available' AND l.upload_order % $2 = 0 AND NOT (
     SELECT ${inStockSql('o')} FROM offer o WHERE o.account_id = $1 AND o.sku_id = l.sku_id)`,
  `SELECT count(*) FROM offer_listing l WHERE l.account_id = $1 AND l.status = 'available' AND l.sku % $2 = 0
     AND NOT EXISTS (SELECT 1 FROM inventory i WHERE i.sku = l.sku AND i.quantity > 0)`,
);
const PARENT = engineStatement<[parentId: string | null]>(
  'read parent of group',
  'SELECT CASE WHEN group_position > 0 THEN group_parent END FROM offer WHERE account_id = $1 AND sku_id = $2',
  `SELECT p.sku_id FROM sku s
   LEFT JOIN variation_member m ON m.sku = s.id AND m.parent <> m.sku
   LEFT JOIN sku p ON p.id = m.parent
   WHERE s.account_id = $1 AND s.sku_id = $2`,
);

export const readOfferCounts = scan<OfferListStore['readOfferCounts']>(async (sql, accountId) => {
  return countsOf(await sql.run(COUNTS, [accountId]));
});

export const countOutOfStock = scan<OfferListStore['countOutOfStock']>(numberOf(OUT_OF_STOCK));
export const readGroupParent = scan<OfferListStore['readGroupParent']>(firstOf(PARENT, ([parentId]) => parentId));

/** All rows are of one snapshot, so that no offer is missing or counted twice. */
function countsOf(rows: readonly CountRow[]): OfferCounts {
  const of = (wanted: CountRow[0]) =>
    rows
      .filter(([kind, , offers]) => kind === wanted && offers > 0)
      .map(([, value, offers]) => [value, offers] as const);
  const due = new Map<string, number>(of('due'));
  const unreviewed = due.get('unreviewed') ?? 0;
  return {
    byStatus: new Map(of('status') as [Status, number][]),
    bySubStatus: new Map(of('sub_status') as [SubStatus, number][]),
    due: unreviewed + (due.get('reviewed') ?? 0),
    unreviewed,
  };
}
