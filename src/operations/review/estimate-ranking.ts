/** Estimates the impact of another order of offers: ranks the products with several offers by both orders. */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { ENVIRONMENTS } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { rankStored } from '../../domain/storefront/best-offer.ts';
import type { RankOrder } from '../../domain/vocabulary/rank-parts.ts';
import type { Impact } from '../../store/port/settings.ts';
import type { StorefrontStore } from '../../store/port/storefront.ts';

/** Takes a few milliseconds. Requests are served between batches. */
const BATCH_PRODUCTS = 20;
const PAGE_PRODUCTS = 1000;

/** Counts exactly, up to a number of products in each environment. */
export async function estimateRanking(
  store: Pick<StorefrontStore, 'listContested' | 'readShopOffers'>,
  before: RankOrder,
  after: RankOrder,
): Promise<Impact> {
  const merchants = new Set<string>();
  let [offers, live, products, examined, isExact] = [0, 0, 0, 0, true];
  for (const environment of ENVIRONMENTS) {
    let [last, ranked] = ['', 0];
    for (;;) {
      const codes = await store.listContested(environment, last, PAGE_PRODUCTS);
      for (let start = 0; start < codes.length; start += BATCH_PRODUCTS) {
        const batch = codes.slice(start, start + BATCH_PRODUCTS);
        const found = await store.readShopOffers(environment, batch, LIMITS.storefront_offers_max);
        for (const stored of found.values()) {
          const was = new Map(rankStored(stored, before).map(({ stored: offer, rank }) => [offer, rank.rank]));
          const changed = rankStored(stored, after).filter(({ stored: offer, rank }) => was.get(offer) !== rank.rank);
          examined += stored.length;
          offers += changed.length;
          if (environment === 'live') live += changed.length;
          if (changed.some(({ rank }) => rank.rank === 1)) products++;
          for (const { offer } of changed) merchants.add(offer.merchant_id);
        }
        await eventLoopTick();
      }
      ranked += codes.length;
      if (codes.length < PAGE_PRODUCTS) break;
      last = codes.at(-1) ?? '';
      if (ranked >= LIMITS.impact_products_max) {
        isExact = false;
        break;
      }
    }
  }
  return { offers, live, merchants: merchants.size, offSale: 0, isExact, products, examined };
}
