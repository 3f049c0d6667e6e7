/**
 * Reads offers by full key on the request thread: a read takes about 6 us, less than a call to another thread.
 *
 * Each read is one statement, so it sees one state of the database.
 */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type {
  GroupUpload,
  InventoryReading,
  Lookup,
  ShownOffer,
  SkuKey,
  SkuState,
  StoredOffer,
  StoredPrice,
} from '../../port/offers.ts';
import type { StoredReview } from '../../port/review.ts';
import {
  type GroupColumns,
  groupOf,
  type ShownColumns,
  SQLITE_GROUP_COLUMNS,
  shownOf,
  verdictOf,
} from '../../shared/offer-columns.ts';
import { type Connection, query } from '../engine/engine.ts';
import { IN_GROUP, STOCK_NODES, stockNodeIds } from '../review/review-reads.ts';

const NONE: readonly never[] = Object.freeze([]);

const SHOWN_COLUMNS = `d.document, s.archived, e.exceptions, r.location_ids, ${SQLITE_GROUP_COLUMNS}`;
const SHOWN_TABLES = `
  FROM sku s
  JOIN sku_document d ON d.sku = s.id
  LEFT JOIN shipping_exception e ON e.sku = s.id
  LEFT JOIN returns_exception r ON r.sku = s.id
  LEFT JOIN variation_group g ON g.parent = s.id`;

export type OfferReads = ReturnType<typeof offerReads>;

export function offerReads(connection: Connection) {
  const ofKey = 'WHERE s.account_id = ? AND s.sku_id = ?';
  const selectState = query<[archived: 0 | 1]>(connection, `SELECT s.archived FROM sku s ${ofKey}`);
  const selectOffer = query<
    readonly [...ShownColumns, priced: 0 | 1, inGroup: 0 | 1, stockNodes: string, evidence: string | null]
  >(
    connection,
    `SELECT ${SHOWN_COLUMNS}, EXISTS (SELECT 1 FROM price p WHERE p.sku = s.id), ${IN_GROUP}, ${STOCK_NODES}, v.evidence
     ${SHOWN_TABLES} LEFT JOIN review v ON v.sku = s.id ${ofKey}`,
  );
  const selectReviewed = query<
    readonly [...ShownColumns, status: Status | null, subStatuses: string | null, rules: string | null, due: 0 | 1]
  >(
    connection,
    `SELECT ${SHOWN_COLUMNS}, v.status, v.sub_statuses, v.rules, EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id)
     ${SHOWN_TABLES} LEFT JOIN review v ON v.sku = s.id ${ofKey}`,
  );
  const selectPrice = query<readonly [price: number, nodes: string, updatedMs: number] | readonly [null, null, null]>(
    connection,
    `SELECT p.price, p.nodes, p.updated_ms FROM sku s LEFT JOIN price p ON p.sku = s.id ${ofKey}`,
  );
  // One row if there are no nodes. Only then the sku table is read, which takes a third of the time; else its index is
  // enough.
  const selectInventory = query<
    readonly [nodeId: string, quantity: number, updatedMs: number] | [null, null, null, stampMs: number]
  >(
    connection,
    `SELECT i.node_id, i.quantity, i.updated_ms,
       CASE WHEN i.sku IS NULL THEN (SELECT z.inventory_stamp_ms FROM sku z WHERE z.id = s.id) END
     FROM sku s LEFT JOIN inventory i ON i.sku = s.id ${ofKey} ORDER BY i.node_id`,
  );
  const selectShipping = query<[exceptions: string | null]>(
    connection,
    `SELECT e.exceptions FROM sku s LEFT JOIN shipping_exception e ON e.sku = s.id ${ofKey}`,
  );
  const selectReturns = query<[locationIds: string | null]>(
    connection,
    `SELECT r.location_ids FROM sku s LEFT JOIN returns_exception r ON r.sku = s.id ${ofKey}`,
  );
  const selectGroup = query<GroupColumns>(
    connection,
    `SELECT ${SQLITE_GROUP_COLUMNS} FROM sku s LEFT JOIN variation_group g ON g.parent = s.id ${ofKey}`,
  );

  function readSkuState({ accountId, skuId }: SkuKey): SkuState {
    const row = selectState.get(accountId, skuId);
    if (row === undefined) return 'unknown';
    return row[0] === 1 ? 'archived' : 'open';
  }

  function readOffer({ accountId, skuId }: SkuKey): StoredOffer | undefined {
    const row = selectOffer.get(accountId, skuId);
    if (row === undefined) return undefined;
    const { 7: priced, 8: inGroup, 9: stockNodes, 10: evidence } = row;
    return {
      ...shownOf(row),
      priced: priced === 1,
      inGroup: inGroup === 1,
      stockNodeIds: stockNodeIds(stockNodes),
      evidence,
    };
  }

  function readReviewedOffer({
    accountId,
    skuId,
  }: SkuKey): (ShownOffer & { verdict: StoredReview | null }) | undefined {
    const row = selectReviewed.get(accountId, skuId);
    if (row === undefined) return undefined;
    const { 7: status, 8: subStatuses, 9: rules, 10: due } = row;
    return { ...shownOf(row), verdict: verdictOf(due === 1, status, subStatuses, rules) };
  }

  function readPrice({ accountId, skuId }: SkuKey): Lookup<StoredPrice> {
    const row = selectPrice.get(accountId, skuId);
    if (row === undefined) return 'unknown';
    const [price, nodes, updatedMs] = row;
    if (price === null) return 'unset';
    return { price, nodes: nodes === '[]' ? NONE : JSON.parse(nodes), updatedMs };
  }

  function readInventory({ accountId, skuId }: SkuKey): InventoryReading | undefined {
    const rows = selectInventory.all(accountId, skuId);
    const first = rows[0];
    if (first === undefined) return undefined;
    if (first[0] === null) return { nodes: NONE, stampMs: first[3] };
    const nodes = [];
    for (const [nodeId, quantity, updatedMs] of rows as [string, number, number][]) {
      nodes.push({ fulfillment_node_id: nodeId, quantity, updatedMs });
    }
    return { nodes, stampMs: null };
  }

  function readShippingExceptions({ accountId, skuId }: SkuKey): Lookup<string> {
    const row = selectShipping.get(accountId, skuId);
    if (row === undefined) return 'unknown';
    return row[0] ?? 'unset';
  }

  function readReturnLocations({ accountId, skuId }: SkuKey): Lookup<readonly string[]> {
    const row = selectReturns.get(accountId, skuId);
    if (row === undefined) return 'unknown';
    return row[0] === null ? 'unset' : JSON.parse(row[0]);
  }

  function readGroup({ accountId, skuId }: SkuKey): Lookup<GroupUpload> {
    const row = selectGroup.get(accountId, skuId);
    if (row === undefined) return 'unknown';
    return groupOf(row) ?? 'unset';
  }

  return {
    readSkuState,
    readOffer,
    readReviewedOffer,
    readPrice,
    readInventory,
    readShippingExceptions,
    readReturnLocations,
    readGroup,
  };
}
