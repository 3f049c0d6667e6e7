/** Finds a SKU by its key: its id, and whether it is archived. */
import { type Connection, type Query, query } from '../engine/engine.ts';

export function skuLookup(connection: Connection): Query<readonly [id: number, archived: 0 | 1]> {
  return query(connection, 'SELECT id, archived FROM sku WHERE account_id = ? AND sku_id = ?');
}
