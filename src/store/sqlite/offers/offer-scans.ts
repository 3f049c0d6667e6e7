/** Reads many SKUs in the reader thread: skipping 900,000 rows takes about 40 ms, and no request should wait for that. */
import type { Int64 } from '../../../domain/int64.ts';
import { describeMembers } from '../../../domain/variation-group.ts';
import type { GroupMember, SkuPage, SkuPageRequest } from '../../port/offers.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';
import { skuLookup } from './sku-lookup.ts';

export type OfferScans = ReturnType<typeof offerScans>;

export function offerScans(connection: Connection) {
  const findSku = skuLookup(connection);
  // The index has this order. It is named, so that a plan that sorts is an error and not a slow list.
  const selectPage = query<[skuId: string]>(
    connection,
    `SELECT sku_id FROM sku INDEXED BY sku_by_account WHERE account_id = ? AND id > ? ORDER BY id LIMIT ? OFFSET ?`,
  );
  // SQLite returns numbers in JSON as text, so integers beyond 2^53 survive.
  const selectMembers = query<[skuId: string, archived: 0 | 1, brand: string | null, attributes: string | null]>(
    connection,
    `SELECT s.sku_id, s.archived, d.document ->> '$.brand', d.document -> '$.attributes_node_specific'
     FROM json_each(?2) asked
     CROSS JOIN sku s ON s.account_id = ?1 AND s.sku_id = asked.value
     CROSS JOIN sku_document d ON d.sku = s.id
     ORDER BY asked.key`,
  );

  function listSkus(accountId: number, { after, offset, limit }: SkuPageRequest): SkuPage | 'after_unknown' {
    let afterId = 0;
    if (after !== undefined) {
      const sku = findSku.get(accountId, after);
      if (sku === undefined) return 'after_unknown';
      afterId = sku[0];
    }
    // One extra row tells whether there are more.
    const skuIds = selectPage.all(accountId, afterId, limit + 1, offset).map(([skuId]) => skuId);
    const more = skuIds.length > limit;
    if (more) skuIds.pop();
    return { skuIds, more };
  }

  function readMembers(accountId: number, skuIds: readonly string[], refinements: readonly Int64[]): GroupMember[] {
    const rows = selectMembers.all(accountId, JSON.stringify(skuIds));
    const members = rows.map(([skuId, , brand, attributes]) => ({ skuId, brand: brand ?? '', attributes }));
    return describeMembers(members, refinements).map((member, place) => {
      return { ...member, archived: rows[place]?.[1] === 1 };
    });
  }

  /** Reads from the database file, which may be missing or damaged. */
  function ping(): void {
    findSku.get(0, '');
  }

  return { listSkus, readMembers, ping };
}
