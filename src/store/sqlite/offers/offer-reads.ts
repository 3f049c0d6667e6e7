/** Reads offers by full key on the request thread: a read takes about 6 us, less than a call to another thread. */
import type { InventoryReading } from '../../../domain/offers/part.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { SkuKey } from '../../port/offers.ts';
import { readsByKey } from '../../shared/offers/offer-reads.ts';
import { type Connection, textOf } from '../engine/connection.ts';
import { RESTORE_ADVICE } from '../engine/engine.ts';

const NONE: readonly never[] = Object.freeze([]);

export type OfferReads = ReturnType<typeof offerReads>;

export function offerReads(connection: Connection) {
  // Returns one row if there are no nodes. Only then is the sku table read, which takes a third of the time; else its index is enough.
  const selectInventory = connection.query<
    readonly [nodeId: string, quantity: number, updatedMs: number] | [null, null, null, stampMs: number]
  >(`
    SELECT i.node_id, i.quantity, i.updated_ms,
      CASE WHEN i.sku IS NULL THEN (SELECT z.inventory_stamp_ms FROM sku z WHERE z.id = s.id) END
    FROM sku s LEFT JOIN inventory i ON i.sku = s.id WHERE s.account_id = ? AND s.sku_id = ? ORDER BY i.node_id`);

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

  const reads = readsByKey(({ statement, of }) => {
    const select = connection.query<readonly unknown[]>(textOf(statement));
    return ({ accountId, skuId }) => of(intact(select.get(accountId, skuId)));
  });
  return { ...reads, readInventory };
}

/** SQLite notices a damaged page by its pointers. The last page of a long document, the first column, has none, but has its end. */
function intact<Row extends readonly unknown[] | undefined>(row: Row): Row {
  const document = row?.[0];
  if (typeof document === 'string' && !document.endsWith('}')) {
    throw new StoreUnavailableError(`A stored offer is damaged: ${RESTORE_ADVICE}.`);
  }
  return row;
}
