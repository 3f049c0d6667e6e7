/** Reads the lines of the ProductStatus report, page by page in order of first upload. */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { ReportRow } from '../../port/files.ts';
import type { RecordPage } from '../../port/offers.ts';
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
