/** Reads lines of the reports on all offers of an account. Runs in the reader thread, some hundred offers at once. */
import type { Status, SubStatus } from '../../../domain/vocabulary/statuses.ts';
import type { Fingerprint, ReportRow } from '../../port/files.ts';
import type { InventoryReading, NodeQuantity, RecordPage } from '../../port/offers.ts';
import { fingerprintOf, type PartColumns } from '../../shared/files/fingerprints.ts';
import { type Connection, query } from '../engine/engine.ts';
import { GROUP_COLUMNS } from '../offers/offer-reads.ts';

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

  // The stock comes in key order, as above. It is the last column, so that the others are those of both engines.
  const selectParts = query<readonly [...PartColumns, stock: string]>(
    connection,
    `SELECT s.id, s.sku_id, s.archived, d.document, p.price, p.nodes, e.exceptions, r.location_ids, ${GROUP_COLUMNS},
       (SELECT json_group_array(json_array(i.node_id, i.quantity)) FROM inventory i WHERE i.sku = s.id)
     FROM sku s INDEXED BY sku_by_account
     CROSS JOIN sku_document d ON d.sku = s.id
     LEFT JOIN price p ON p.sku = s.id
     LEFT JOIN shipping_exception e ON e.sku = s.id
     LEFT JOIN returns_exception r ON r.sku = s.id
     LEFT JOIN variation_group g ON g.parent = s.id
     WHERE s.account_id = ? AND s.id > ? ORDER BY s.id LIMIT ?`,
  );

  function readFingerprints(accountId: number, after: number, limit: number): RecordPage<Fingerprint> {
    const rows = selectParts.all(accountId, after, limit + 1);
    const records = rows.slice(0, limit).map((row) => fingerprintOf(row as unknown as PartColumns, stockOf(row[11])));
    return { records, next: rows.length > limit ? rows[limit - 1]?.[0] : undefined };
  }

  return { readReportRows, readFingerprints };
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

const NO_STOCK: readonly never[] = Object.freeze([]);

function stockOf(text: string): InventoryReading['nodes'] {
  if (text === '[]') return NO_STOCK;
  return (JSON.parse(text) as [string, number][]).map(([fulfillment_node_id, quantity]) => {
    return { fulfillment_node_id, quantity, updatedMs: 0 };
  });
}
