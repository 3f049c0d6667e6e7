/** Stores the ranks of offers, and tells each merchant of changed ones. */
import type { PositionDetail } from '../../../domain/events.ts';
import type { RankChange, ShopRanking, StorefrontStore } from '../../port/storefront.ts';
import { scan, undone, write } from '../command.ts';
import { addOfferEvents } from '../feed/event-rows.ts';
import { columnsOf } from '../records.ts';
import { listsOf, rowsOf, rowsStatement, statement } from '../sql.ts';
import { lockStorefront } from './projection.ts';

const RANKING = columnsOf<ShopRanking>()('environment', 'ranked');
const UNRANKED = statement('find unranked products of storefront')`
  SELECT ${RANKING.list} FROM shop_feed WHERE last > ranked`;
const MOVE = statement<[one: number]>('move ranking of storefront')`
  UPDATE shop_feed SET ranked = $3 WHERE environment = $1 AND ranked = $2 RETURNING 1`;
const PUT = rowsStatement<[accountId: number, skuId: string]>('put ranks of storefront')`
  UPDATE shop_offer SET rank = i.rank
  FROM unnest($2::text[], $3::bigint[], $4::text[], $5::integer[]) AS i (code, account_id, sku_id, rank)
  WHERE shop_offer.environment = $1 AND shop_offer.code = ANY ($2::text[]) AND shop_offer.code = i.code
    AND shop_offer.account_id = i.account_id AND shop_offer.sku_id = i.sku_id
    AND shop_offer.rank IS DISTINCT FROM i.rank
  RETURNING shop_offer.account_id, shop_offer.sku_id`;

export const findUnranked = scan<StorefrontStore['findUnranked']>(rowsOf(UNRANKED, RANKING.of));

export const storeRanks = write<StorefrontStore['storeRanks']>(
  { lane: 'background' },
  async (sql, { environment, ranked }, to, changes, nowMs) => {
    await lockStorefront(sql, environment);
    if ((await sql.run(MOVE, [environment, ranked, to.ranked])).length === 0) return undone('overtaken');
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
