/** Reads the offers of a page of the offer list. */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { ListedOffer, OfferListStore } from '../../port/offer-list.ts';
import { scan } from '../command.ts';
import { type Flag, nodePrices, verdictOf } from '../offers/offer-columns.ts';
import { columnsOf, FLAG } from '../records.ts';
import { engineStatement } from '../sql.ts';
import { isCurrent, nodesOf } from './offer-counts.ts';

/** Values that have no column. They use the tables `s` (sku), `d` (sku_document) and `p` (price, may be missing). */
export const SQLITE_VALUES = Object.freeze({
  price: 'p.price',
  stock: 'coalesce((SELECT sum(i.quantity) FROM inventory i WHERE i.sku = s.id), 0)',
  updated: `max(d.updated_ms, coalesce(p.updated_ms, 0),
         coalesce((SELECT max(i.updated_ms) FROM inventory i WHERE i.sku = s.id), 0))`,
});

/** SQL for PostgreSQL, like the next function: the quantity of the offer `o` at all nodes. */
export function stockSql(o: string): string {
  return `coalesce((SELECT sum((node.entry -> 0)::float8) FROM ${nodesOf(o)} WHERE ${isCurrent(o)}), 0)`;
}

export function updatedSql(o: string): string {
  return `greatest(${o}.document_updated_ms, ${o}.price_updated_ms, (
         SELECT max(CASE WHEN ${isCurrent(o)} THEN (node.entry -> 1)::float8 ELSE ${o}.inventory_stamp_ms END)
         FROM ${nodesOf(o)}))`;
}

const NAMES = engineStatement<[skuId: string]>(
  'name offers',
  `SELECT o.sku_id FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (upload_order, position)
   CROSS JOIN LATERAL (
     SELECT sku_id FROM offer WHERE offer.account_id = $1 AND offer.upload_order = asked.upload_order LIMIT 1) AS o
   ORDER BY asked.position`,
  `SELECT s.sku_id FROM json_each($2) asked CROSS JOIN sku s ON s.id = asked.value AND s.account_id = $1
   ORDER BY asked.key`,
);

const OFFER = columnsOf<ListedOffer>({ archived: FLAG, priceNodes: { read: nodePrices } })(
  ...(['skuId', 'document', 'archived', 'price', 'priceNodes', 'categoryId', 'quantity', 'updatedMs'] as const),
);
type VerdictColumns = [isDue: Flag, status: Status | null, subStatuses: string | null, rules: string | null];
/** Has the columns of OFFER, then those of the verdict. */
const LISTED = engineStatement<readonly unknown[]>(
  'read listed offers',
  `SELECT o.sku_id, o.document, o.archived, o.price, coalesce(o.price_nodes, '[]'),
     (SELECT l.category_id FROM offer_listing l WHERE l.account_id = $1 AND l.sku_id = o.sku_id),
     ${stockSql('o')}, ${updatedSql('o')},
     o.review_mark IS NOT NULL, o.review_status, o.review_sub_statuses, o.review_rules
   FROM unnest($2::text[]) WITH ORDINALITY AS asked (sku_id, position)
   CROSS JOIN LATERAL (
     SELECT * FROM offer WHERE offer.account_id = $1 AND offer.sku_id = asked.sku_id LIMIT 1) AS o
   ORDER BY asked.position`,
  `SELECT s.sku_id, d.document, s.archived, p.price, coalesce(p.nodes, '[]'), l.category_id,
     ${SQLITE_VALUES.stock}, ${SQLITE_VALUES.updated},
     EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id), v.status, v.sub_statuses, v.rules
   FROM json_each($2) asked
   CROSS JOIN sku s ON s.account_id = $1 AND s.sku_id = asked.value
   CROSS JOIN sku_document d ON d.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   LEFT JOIN review v ON v.sku = s.id
   LEFT JOIN offer_listing l ON l.sku = s.id
   ORDER BY asked.key`,
);

/** Returns the SKU ids of offers by their upload orders. Leaves out erased offers. */
export const nameOffers = scan<(accountId: number, orders: readonly number[]) => Promise<readonly string[]>>(
  async (sql, accountId, orders) => (await sql.run(NAMES, [accountId, orders])).map(([skuId]) => skuId),
);

export const readListed = scan<OfferListStore['readListed']>(async (sql, accountId, skuIds) => {
  return (await sql.run(LISTED, [accountId, skuIds])).map((row) => {
    const [isDue, ...review] = row.slice(OFFER.names.length) as VerdictColumns;
    return { ...OFFER.of(row), verdict: verdictOf(Boolean(isDue), ...review) };
  });
});
