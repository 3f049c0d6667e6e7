/** Use case: an operator writes all products of the storefront as a feed of another platform. */
import { hash } from 'node:crypto';
import type { Environment } from '../../domain/account.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { rankOffers } from '../../domain/storefront/best-offer.ts';
import { acpProducts } from '../../domain/storefront/feeds/acp.ts';
import type { FeedFormat, FeedSetup, LeftOut } from '../../domain/storefront/feeds/feed.ts';
import { googleTsv, googleXml } from '../../domain/storefront/feeds/google.ts';
import type { StorefrontOffer, StorefrontProduct } from '../../domain/storefront/product.ts';
import type { FeedFormatName } from '../../domain/vocabulary/file-types.ts';
import type { RankOrder } from '../../domain/vocabulary/rank-parts.ts';
import type { ShownShopOffer } from '../../store/port/storefront.ts';
import { joined, type WalkedStore, walkShop } from './shop-walk.ts';

const FORMATS: Readonly<Record<FeedFormatName, (setup: FeedSetup) => FeedFormat>> = Object.freeze({
  'google-xml': googleXml,
  'google-tsv': googleTsv,
  acp: acpProducts,
});

/** Returns the format with its settings. */
export function feedFormat(name: FeedFormatName, setup: Omit<FeedSetup, 'digest'>): FeedFormat {
  return FORMATS[name]({ ...setup, digest: (text) => hash('sha256', text).slice(0, 32) });
}

export interface FeedCounts {
  products: number;
  offers: number;
  readonly leftOut: Partial<Record<LeftOut, number>>;
}

export function feedTexts(
  store: WalkedStore,
  environment: Environment,
  format: FeedFormat,
  counts: FeedCounts,
  order: RankOrder,
): AsyncGenerator<string> {
  return joined(texts(store, environment, format, counts, order));
}

async function* texts(...[store, environment, format, counts, order]: Parameters<typeof feedTexts>) {
  yield format.head;
  for await (const { product, offers } of walkShop(store, environment)) {
    const written = format.write(parseExactJson(product) as StorefrontProduct, rankedOffers(offers, order));
    counts.products += written.offers > 0 ? 1 : 0;
    counts.offers += written.offers;
    for (const reason of written.leftOut) counts.leftOut[reason] = (counts.leftOut[reason] ?? 0) + 1;
    yield written.text;
  }
  yield format.tail;
}

/** The best offer first. */
function rankedOffers(offers: readonly ShownShopOffer[], order: RankOrder): readonly StorefrontOffer[] {
  const rankable = offers.map(({ accountId, skuId, sinceMs, shown }) => {
    return { ...(JSON.parse(shown) as StorefrontOffer), sinceMs, key: `${accountId}:${skuId}` };
  });
  return rankOffers(rankable, order).map(({ offer }) => offer);
}
