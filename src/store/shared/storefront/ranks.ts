/** Stores the ranks of offers, and tells each merchant of changed ones. */
import type { PositionDetail } from '../../../domain/events.ts';
import type { ProductCode } from '../../../domain/storefront/product.ts';
import type { RankChange, ShopRanking, StorefrontStore } from '../../port/storefront.ts';
import { scan, undone, write } from '../command.ts';
import { addOfferEvents } from '../feed/event-rows.ts';
import { columnsOf } from '../records.ts';
import { listsOf, rowsOf, rowsStatement, statement } from '../sql.ts';
import { lockStorefront } from './projection.ts';

const RANKING = columnsOf<ShopRanking>()('environment', 'ranked', 'rankOrder', 'rankWalk');
const UNRANKED = statement('find unranked products of storefront')`
  SELECT ${RANKING.list} FROM shop_feed WHERE last > ranked OR rank_walk IS NOT NULL OR rank_order <> $1`;
const MOVE = statement<[one: number]>('move ranking of storefront')`
  UPDATE shop_feed SET ranked = $5, rank_order = $6, rank_walk = $7
  WHERE environment = $1 AND ranked = $2 AND rank_order = $3
    AND coalesce(rank_walk, '-') = coalesce(CAST($4 AS text), '-') RETURNING 1`;
const CONTESTED = statement<[code: ProductCode]>('list contested products of storefront')`
  SELECT code FROM shop_offer WHERE environment = $1 AND code > $2 GROUP BY code HAVING count(*) > 1
  ORDER BY code LIMIT $3`;
const PUT = rowsStatement<[accountId: number, skuId: string]>('put ranks of storefront')`
  UPDATE shop_offer SET rank = i.rank
  FROM unnest($2::text[], $3::bigint[], $4::text[], $5::integer[]) AS i (code, account_id, sku_id, rank)
  WHERE shop_offer.environment = $1 AND shop_offer.code = ANY ($2::text[]) AND shop_offer.code = i.code
    AND shop_offer.account_id = i.account_id AND shop_offer.sku_id = i.sku_id
    AND shop_offer.rank IS DISTINCT FROM i.rank
  RETURNING shop_offer.account_id, shop_offer.sku_id`;

const OWN_SKUS = rowsStatement<[skuId: string, code: string]>('find products of SKUs in storefront')`
  SELECT sku_id, code FROM shop_sku WHERE account_id = $1 AND sku_id = ANY ($2::text[])`;
const RANKS = rowsStatement<[skuId: string, rank: number, rankOf: number]>(
  'read ranks of storefront',
  `SELECT own.sku_id, own.rank, count(*) FROM shop_offer AS own
   CROSS JOIN LATERAL (
     SELECT 1 FROM shop_offer
     WHERE shop_offer.environment = $1 AND shop_offer.code = own.code AND shop_offer.code = ANY ($3::text[])
       AND shop_offer.pack = own.pack LIMIT $5) AS compared
   WHERE own.environment = $1 AND own.account_id = $2 AND own.code = ANY ($3::text[]) AND own.sku_id = ANY ($4::text[])
     AND own.rank IS NOT NULL
   GROUP BY own.code, own.sku_id, own.rank`,
  `SELECT own.sku_id, own.rank, (SELECT count(*) FROM (
     SELECT 1 FROM shop_offer WHERE environment = $1 AND code = own.code AND pack = own.pack LIMIT $5))
   FROM shop_offer AS own
   WHERE own.environment = $1 AND own.account_id = $2 AND own.code = $3 AND own.sku_id = $4 AND own.rank IS NOT NULL`,
);

/** Two statements, because Citus distributes SKUs by account and offers by product. */
export const readStoredRanks = scan<StorefrontStore['readStoredRanks']>(
  async (sql, { accountId, environment }, skuIds, offers_max) => {
    const found = await sql.run(OWN_SKUS, [accountId, skuIds]);
    if (found.length === 0) return new Map();
    const lists = [found.map(([, code]) => code), found.map(([skuId]) => skuId)];
    const ranks = await sql.run(RANKS, [environment, accountId, ...lists, offers_max]);
    return new Map(ranks.map(([skuId, rank, rankOf]) => [skuId, { rank, rankOf }]));
  },
);

export const findUnranked = scan<StorefrontStore['findUnranked']>(rowsOf(UNRANKED, RANKING.of));

export const listContested = scan<StorefrontStore['listContested']>(rowsOf(CONTESTED, ([code]) => code));

export const storeRanks = write<StorefrontStore['storeRanks']>(
  { lane: 'background' },
  async (sql, from, to, changes, nowMs) => {
    const { environment } = from;
    await lockStorefront(sql, environment);
    const [, ...next] = RANKING.valuesOf(to);
    const moved = await sql.run(MOVE, [...RANKING.valuesOf(from), ...next]);
    if (moved.length === 0) return undone('overtaken');
    if (changes.length === 0) return 'stored';
    const put = await sql.run(PUT, [environment, ...listsOf(changes, 'code', 'accountId', 'skuId', 'rank')]);
    // Offers may have ended since they were ranked, or have been stored by a call that is repeated.
    const stored = new Set(put.map((key) => key.join(' ')));
    const told = changes.filter(({ accountId, skuId }) => stored.has(`${accountId} ${skuId}`));
    const byAccount = [...Map.groupBy(told, ({ accountId }) => accountId)].sort(([a], [b]) => a - b);
    for (const [accountId, own] of byAccount) {
      await addOfferEvents(sql, accountId, 'offer.position_changed', own.flatMap(eventOf), nowMs);
    }
    return 'stored';
  },
);

/** Coming on sale is no change of the rank. */
function eventOf({ skuId, before, rank, rankOf }: RankChange) {
  return before === null ? [] : [{ skuId, detail: JSON.stringify([before, rank, rankOf] satisfies PositionDetail) }];
}
