/** Reads the lines of reports, page by page in order of first upload. */
import type { Fingerprint, ReportOffer, ReportRow } from '../../../domain/bulk-files.ts';
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { ReportStore } from '../../port/files.ts';
import type { RecordPage } from '../../port/offers.ts';
import { groupTag, inventoryTag, priceTag, textTag } from '../../port/part-tags.ts';
import { commandsWith } from '../command.ts';
import {
  CLEARABLE_COLUMNS,
  ofEachClearable,
  SQLITE_CLEARABLE_COLUMNS,
  SQLITE_CLEARABLE_TABLES,
} from '../offers/clearable-parts.ts';
import type { Flag, GroupColumns, ShownColumns } from '../offers/offer-columns.ts';
import {
  evidenceIn,
  groupOf,
  nodePrices,
  SQLITE_GROUP_COLUMNS,
  SQLITE_STOCK,
  shownOf,
  storedInventory,
} from '../offers/offer-columns.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { readAnnounced, readUpcoming } from '../review/upcoming.ts';
import { engineStatement } from '../sql.ts';

const { snapshot } = commandsWith({ account: true, lane: 'background' });

type StockColumns = readonly [stock: string, stampMs: number, zeroedNumber: number];

const LINE = columnsOf<ReportRow>({ subStatuses: JSON_TEXT })(
  ...(['skuId', 'document', 'status', 'subStatuses', 'price', 'documentUpdatedMs', 'priceUpdatedMs'] as const),
);
type AdvisedColumns = readonly [evidence: string | null, hasShippingException: Flag];
type LineColumns = readonly [order: number, ...StockColumns, ...AdvisedColumns, ...line: unknown[]];

const LINES = engineStatement<LineColumns>(
  'read report rows',
  `SELECT upload_order, inventory, inventory_stamp_ms, inventory_zeroed_number, review_evidence, shipping_exceptions IS NOT NULL,
     sku_id, document, review_status, coalesce(review_sub_statuses, '[]'), price,
     document_updated_ms, price_updated_ms
   FROM offer WHERE account_id = $1 AND upload_order > $2 ORDER BY upload_order LIMIT $3::bigint`,
  `SELECT s.id, ${SQLITE_STOCK}, s.inventory_stamp_ms, s.inventory_zeroed_number, r.evidence, e.exceptions IS NOT NULL,
     s.sku_id, d.document, r.status, ifnull(r.sub_statuses, '[]'), p.price, d.updated_ms, p.updated_ms
   FROM sku s INDEXED BY sku_by_account
   CROSS JOIN sku_document d ON d.sku = s.id
   LEFT JOIN review r ON r.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   LEFT JOIN shipping_exception e ON e.sku = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);

type PriceColumns = readonly [price: number, nodes: string] | readonly [null, null];
type OtherColumns = readonly [skuId: string, archived: Flag, sku: string, ...clearable: (string | null)[]];
type PartColumns = readonly [order: number, ...StockColumns, ...PriceColumns, ...GroupColumns, ...OtherColumns];

/** The group of the parent `o`, or nulls. */
const POSTGRES_GROUP_COLUMNS = `o.group_refinements, o.group_title, CASE WHEN o.group_refinements IS NOT NULL THEN (
       SELECT json_agg(child.sku_id ORDER BY child.group_position) FROM offer child
       WHERE child.account_id = $1 AND child.group_parent = o.sku_id AND child.group_position > 0
     ) END`;

const PARTS = engineStatement<PartColumns>(
  'read fingerprints',
  `SELECT o.upload_order, o.inventory, o.inventory_stamp_ms, o.inventory_zeroed_number, o.price, o.price_nodes,
     ${POSTGRES_GROUP_COLUMNS}, o.sku_id, o.archived, o.document_tag${CLEARABLE_COLUMNS}
   FROM offer o WHERE o.account_id = $1 AND o.upload_order > $2 ORDER BY o.upload_order LIMIT $3::bigint`,
  `SELECT s.id, ${SQLITE_STOCK}, s.inventory_stamp_ms, s.inventory_zeroed_number, p.price, p.nodes,
     ${SQLITE_GROUP_COLUMNS}, s.sku_id, s.archived, d.tag${SQLITE_CLEARABLE_COLUMNS}
   FROM sku s INDEXED BY sku_by_account
   CROSS JOIN sku_document d ON d.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   ${SQLITE_CLEARABLE_TABLES}
   LEFT JOIN variation_group g ON g.parent = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);

type OfferColumns = readonly [
  order: number,
  ...StockColumns,
  price: number | null,
  nodes: string,
  priceUpdatedMs: number,
  skuId: string,
  status: Status | null,
  subStatuses: string,
  ...shown: ShownColumns,
  ...clearable: (string | null)[],
];
/** Positions at which the columns of `shownOf` begin, and among them the columns of the parts that can be cleared. */
const SHOWN_FROM = 10;
const CLEARABLE_FROM = 6;

const OFFERS = engineStatement<OfferColumns>(
  'read offers for a report',
  `SELECT o.upload_order, o.inventory, o.inventory_stamp_ms, o.inventory_zeroed_number, o.price, o.price_nodes,
     o.price_updated_ms, o.sku_id, o.review_status, coalesce(o.review_sub_statuses, '[]'), o.document, o.document_tag, o.archived,
     ${POSTGRES_GROUP_COLUMNS}${CLEARABLE_COLUMNS}
   FROM offer o WHERE o.account_id = $1 AND o.upload_order > $2 ORDER BY o.upload_order LIMIT $3::bigint`,
  `SELECT s.id, ${SQLITE_STOCK}, s.inventory_stamp_ms, s.inventory_zeroed_number, p.price, p.nodes, p.updated_ms,
     s.sku_id, r.status, ifnull(r.sub_statuses, '[]'), d.document, d.tag, s.archived,
     ${SQLITE_GROUP_COLUMNS}${SQLITE_CLEARABLE_COLUMNS}
   FROM sku s INDEXED BY sku_by_account
   CROSS JOIN sku_document d ON d.sku = s.id
   LEFT JOIN review r ON r.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   ${SQLITE_CLEARABLE_TABLES}
   LEFT JOIN variation_group g ON g.parent = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);

export const readReportRows = snapshot<ReportStore['readReportRows']>(async (sql, accountId, after, limit) => {
  const rows = await sql.run(LINES, [accountId, after, limit + 1]);
  const failing = await readUpcoming(
    sql,
    accountId,
    rows.map(([, , , , , , skuId]) => String(skuId)),
  );
  // Failures of settled changes are forgotten in the background.
  const announced = await readAnnounced(sql);
  const bySku = Map.groupBy(
    failing.filter(({ announcedId }) => announced.has(announcedId)),
    ({ skuId }) => skuId,
  );
  return pageOf(rows, limit, (row) => {
    const line = lineOf(row);
    return { ...line, upcoming: (bySku.get(line.skuId) ?? []).map(({ announcedId }) => announcedId) };
  });
});

export const readReportOffers = snapshot<ReportStore['readReportOffers']>(async (sql, accountId, after, limit) => {
  return pageOf(await sql.run(OFFERS, [accountId, after, limit + 1]), limit, offerOf);
});

export const readFingerprints = snapshot<ReportStore['readFingerprints']>(async (sql, accountId, after, limit) => {
  return pageOf(await sql.run(PARTS, [accountId, after, limit + 1]), limit, fingerprintOf);
});

/** One extra row tells whether there are more. */
function pageOf<Row extends readonly [order: number, ...unknown[]], T>(
  rows: readonly Row[],
  limit: number,
  recordOf: (row: Row) => T,
): RecordPage<T> {
  return { records: rows.slice(0, limit).map(recordOf), next: rows.length > limit ? rows[limit - 1]?.[0] : undefined };
}

function lineOf([, stock, stampMs, zeroedNumber, evidence, hasException, ...line]: LineColumns): Omit<
  ReportRow,
  'upcoming'
> {
  const { nodes } = storedInventory(stock, stampMs, zeroedNumber);
  return {
    ...LINE.of(line),
    evidence: evidenceIn(evidence),
    hasShippingException: Boolean(hasException),
    nodes: nodes.map(({ fulfillment_node_id, quantity }) => ({ fulfillment_node_id, quantity })),
    inventoryUpdatedMs: nodes.length === 0 ? null : Math.max(...nodes.map(({ updatedMs }) => updatedMs)),
  };
}

function offerOf(row: OfferColumns): ReportOffer {
  const [, stock, stampMs, zeroedNumber, price, nodes, updatedMs, skuId, status, subStatuses] = row;
  const offer = shownOf(row.slice(SHOWN_FROM) as readonly unknown[] as ShownColumns, CLEARABLE_FROM);
  const inventory = storedInventory(stock, stampMs, zeroedNumber);
  const priced = price === null ? {} : { price: { price, nodes: nodePrices(nodes), updatedMs } };
  return { skuId, status, subStatuses: JSON.parse(subStatuses), stored: { offer, inventory, ...priced } };
}

/** Names each column, because columnsOf is slower and a report may have a million fingerprints. */
function fingerprintOf(row: PartColumns): Fingerprint {
  const [, stock, stampMs, zeroedNumber, price, priceNodes, refinements, title, children, ...others] = row;
  const [skuId, archived, sku, ...clearable] = others;
  const group = groupOf([refinements, title, children]);
  return {
    skuId,
    archived: Boolean(archived),
    sku,
    price: price === null ? null : priceTag({ price, nodes: nodePrices(priceNodes) }),
    inventory: inventoryTag(storedInventory(stock, stampMs, zeroedNumber)),
    variation: group && groupTag(group),
    ...ofEachClearable((_, index) => {
      const text = clearable[index] ?? null;
      return text && textTag(text);
    }),
  };
}
