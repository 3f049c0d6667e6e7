/** Reads lines of the report on all offers of an account. Runs in the reader thread, some hundred offers at once. */
import type { Status, SubStatus } from '../../../domain/vocabulary/statuses.ts';
import type { ReportRow } from '../../port/files.ts';
import type { NodeQuantity, RecordPage } from '../../port/offers.ts';
import { type Connection, query } from '../engine/engine.ts';

type LineColumns = readonly [
  order: number,
  skuId: string,
  title: string | null,
  status: Status | null,
  subStatuses: string | null,
  price: number | null,
  nodeIds: string,
  quantities: string,
  documentUpdatedMs: number,
  priceUpdatedMs: number | null,
  inventoryUpdatedMs: number | null,
];

export type ReportRows = ReturnType<typeof reportRows>;

export function reportRows(connection: Connection) {
  // Nodes come in key order; ORDER BY would sort them again.
  const selectLines = query<LineColumns>(
    connection,
    `SELECT s.id, s.sku_id, d.document ->> '$.product_title', r.status, r.sub_statuses, p.price,
       (SELECT json_group_array(i.node_id) FROM inventory i WHERE i.sku = s.id),
       (SELECT json_group_array(i.quantity) FROM inventory i WHERE i.sku = s.id),
       d.updated_ms, p.updated_ms, (SELECT max(i.updated_ms) FROM inventory i WHERE i.sku = s.id)
     FROM sku s INDEXED BY sku_by_account
     CROSS JOIN sku_document d ON d.sku = s.id
     LEFT JOIN review r ON r.sku = s.id
     LEFT JOIN price p ON p.sku = s.id
     WHERE s.account_id = ? AND s.id > ? ORDER BY s.id LIMIT ?`,
  );

  function readReportRows(accountId: number, after: number, limit: number): RecordPage<ReportRow> {
    // One extra row tells whether there are more.
    const rows = selectLines.all(accountId, after, limit + 1);
    const records = rows.slice(0, limit).map(lineOf);
    return { records, next: rows.length > limit ? rows[limit - 1]?.[0] : undefined };
  }

  return { readReportRows };
}

function lineOf(row: LineColumns): ReportRow {
  const [, skuId, title, status, subStatuses, price, nodeIds, quantities, ...times] = row;
  const [documentUpdatedMs, priceUpdatedMs, inventoryUpdatedMs] = times;
  return {
    skuId,
    title: title ?? '',
    status,
    subStatuses: subStatuses === null ? [] : (JSON.parse(subStatuses) as SubStatus[]),
    price,
    nodes: nodeIds === '[]' ? [] : nodesOf(JSON.parse(nodeIds), JSON.parse(quantities)),
    documentUpdatedMs,
    priceUpdatedMs,
    inventoryUpdatedMs,
  };
}

function nodesOf(nodeIds: readonly string[], quantities: readonly number[]): NodeQuantity[] {
  return nodeIds.map((fulfillment_node_id, place) => ({ fulfillment_node_id, quantity: quantities[place] as number }));
}
