/** Reads the lines of reports, page by page in order of first upload. */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { Fingerprint, ReportRow } from '../../port/files.ts';
import type { RecordPage } from '../../port/offers.ts';
import { fingerprintOf, type PartColumns } from '../../shared/files/fingerprints.ts';
import { type Connection, statement } from '../engine/engine.ts';
import { storedInventory } from '../offers/stored-inventory.ts';

type OfferRow = readonly [
  uploadOrder: number,
  skuId: string,
  title: string | null,
  status: Status | null,
  subStatuses: string | null,
  price: number | null,
  inventory: string,
  stampMs: number,
  zeroedNumber: number,
  documentUpdatedMs: number,
  priceUpdatedMs: number | null,
];

/** Extracts the title in the database, which takes as long as sending the whole document. */
const ROWS = statement<OfferRow>(
  'read report rows',
  `SELECT upload_order, sku_id, document::json ->> 'product_title', review_status, review_sub_statuses, price,
     inventory, inventory_stamp_ms, inventory_zeroed_number, document_updated_ms, price_updated_ms
   FROM offer WHERE account_id = $1 AND upload_order > $2 ORDER BY upload_order LIMIT $3::bigint`,
);

export async function readReportRows(
  connection: Connection,
  accountId: number,
  after: number,
  limit: number,
): Promise<RecordPage<ReportRow>> {
  // One extra row shows whether there are more.
  const rows = await connection.run(ROWS, [accountId, after, limit + 1]);
  const page = rows.slice(0, limit);
  return { records: page.map(reportRow), next: rows.length > limit ? page.at(-1)?.[0] : undefined };
}

const PARTS = statement<readonly [...PartColumns, inventory: string, stampMs: number, zeroedNumber: number]>(
  'read fingerprints',
  `SELECT o.upload_order, o.sku_id, o.archived, o.document, o.price, o.price_nodes, o.shipping_exceptions,
     o.return_location_ids, o.group_refinements, o.group_title,
     CASE WHEN o.group_refinements IS NOT NULL THEN (
       SELECT json_agg(child.sku_id ORDER BY child.group_position) FROM offer child
       WHERE child.account_id = $1 AND child.group_parent = o.sku_id AND child.group_position > 0
     ) END,
     o.inventory, o.inventory_stamp_ms, o.inventory_zeroed_number
   FROM offer o WHERE o.account_id = $1 AND o.upload_order > $2 ORDER BY o.upload_order LIMIT $3::bigint`,
);

export async function readFingerprints(
  connection: Connection,
  accountId: number,
  after: number,
  limit: number,
): Promise<RecordPage<Fingerprint>> {
  const rows = await connection.run(PARTS, [accountId, after, limit + 1]);
  const page = rows.slice(0, limit);
  const records = page.map((row) => {
    const { 11: inventory, 12: stampMs, 13: zeroedNumber } = row;
    return fingerprintOf(row as unknown as PartColumns, storedInventory(inventory, stampMs, zeroedNumber).nodes);
  });
  return { records, next: rows.length > limit ? page.at(-1)?.[0] : undefined };
}

function reportRow(row: OfferRow): ReportRow {
  const [, skuId, title, status, subStatuses, price, inventory, stampMs, zeroedNumber, ...updated] = row;
  const [documentUpdatedMs, priceUpdatedMs] = updated;
  const { nodes } = storedInventory(inventory, stampMs, zeroedNumber);
  return {
    skuId,
    title: title ?? '',
    status,
    subStatuses: subStatuses === null ? [] : JSON.parse(subStatuses),
    price,
    nodes: nodes.map(({ fulfillment_node_id, quantity }) => ({ fulfillment_node_id, quantity })),
    documentUpdatedMs,
    priceUpdatedMs,
    inventoryUpdatedMs: nodes.length === 0 ? null : Math.max(...nodes.map(({ updatedMs }) => updatedMs)),
  };
}
