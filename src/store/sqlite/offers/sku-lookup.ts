/** Finds a SKU by its key: its id, and whether it is archived. */
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';

type FoundSku = readonly [id: number, archived: 0 | 1];

export function skuLookup(connection: Connection) {
  const byKey = query<FoundSku>(connection, 'SELECT id, archived FROM sku WHERE account_id = ? AND sku_id = ?');

  function find(accountId: number, skuId: string): FoundSku | undefined {
    return byKey.get(accountId, skuId);
  }

  /** Returns the id of a SKU that may be changed, or why it may not. */
  function findOpen(accountId: number, skuId: string): number | 'unknown' | 'archived' {
    const sku = byKey.get(accountId, skuId);
    if (sku === undefined) return 'unknown';
    return sku[1] === 1 ? 'archived' : sku[0];
  }

  return { find, findOpen };
}
