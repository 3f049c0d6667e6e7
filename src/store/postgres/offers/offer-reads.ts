/** Reads offers by key, on a shared connection or within a transaction. */
import type { SkuKey } from '../../port/offers.ts';
import { storedInventory } from '../../shared/offers/offer-columns.ts';
import { readsByKey } from '../../shared/offers/offer-reads.ts';
import { type Sql, statement } from '../../shared/sql.ts';

const INVENTORY = statement<[inventory: string, stampMs: number, zeroedNumber: number]>('read inventory')`
  SELECT inventory, inventory_stamp_ms, inventory_zeroed_number FROM offer WHERE account_id = $1 AND sku_id = $2`;

export function offerReads(run: Sql['run']) {
  return {
    ...readsByKey(({ statement, of }) => async ({ accountId, skuId }) => {
      const [row] = await run(statement, [accountId, skuId]);
      return of(row);
    }),
    async readInventory({ accountId, skuId }: SkuKey) {
      const [row] = await run(INVENTORY, [accountId, skuId]);
      if (row === undefined) return undefined;
      const { nodes, stampMs } = storedInventory(...row);
      return { nodes, stampMs: nodes.length === 0 ? stampMs : null };
    },
  };
}
