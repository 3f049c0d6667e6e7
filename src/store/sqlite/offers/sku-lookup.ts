/** In charge of finding a SKU by its key: its number, by which the other tables know it, and whether it is archived. */
import type { Connection, Query } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';

type FoundSku = readonly [id: number, archived: 0 | 1];

export class SkuLookup {
  readonly #byKey: Query<FoundSku>;

  constructor(connection: Connection) {
    this.#byKey = query(connection, 'SELECT id, archived FROM sku WHERE account_id = ? AND sku_id = ?');
  }

  find(accountId: number, skuId: string): FoundSku | undefined {
    return this.#byKey.get(accountId, skuId);
  }

  /** The number of a SKU that may be changed, else what stands against it. */
  findOpen(accountId: number, skuId: string): number | 'unknown' | 'archived' {
    const sku = this.#byKey.get(accountId, skuId);
    if (sku === undefined) return 'unknown';
    return sku[1] === 1 ? 'archived' : sku[0];
  }
}
