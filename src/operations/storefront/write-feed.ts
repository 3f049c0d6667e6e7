/** Use case: an operator writes all products of the storefront as a feed of another platform, page by page. */
import type { Environment } from '../../domain/account.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { rankOffers } from '../../domain/storefront/best-offer.ts';
import type { FeedFormat, LeftOut } from '../../domain/storefront/feeds/feed.ts';
import type { StorefrontOffer, StorefrontProduct } from '../../domain/storefront/product.ts';
import { TERM } from '../../domain/storefront/terms.ts';
import type { ShopProductPosition, ShownShopOffer, StorefrontStore } from '../../store/port/storefront.ts';

/** Usually 300 KB of text; about 80 MB if each product has the maximum number of offers. */
const PAGE_PRODUCTS = 100;
/** Offers of a product in a feed, those with the lowest total. */
const OFFERS_MAX = 1000;

export interface FeedCounts {
  products: number;
  offers: number;
  readonly leftOut: Partial<Record<LeftOut, number>>;
}

/** Products that change meanwhile have their old or new state. */
export async function* feedTexts(
  store: Pick<StorefrontStore, 'listShopProducts'>,
  environment: Environment,
  format: FeedFormat,
  counts: FeedCounts,
): AsyncGenerator<string> {
  yield format.head;
  let after: ShopProductPosition | undefined;
  do {
    const { products, next } = await store.listShopProducts(environment, {
      terms: [TERM.any],
      updatedSinceMs: undefined,
      after,
      limit: PAGE_PRODUCTS,
      offers_max: OFFERS_MAX,
    });
    let page = '';
    for (const { product, offers } of products) {
      const written = format.write(parseExactJson(product) as StorefrontProduct, rankedOffers(offers));
      counts.products += written.offers > 0 ? 1 : 0;
      counts.offers += written.offers;
      for (const reason of written.leftOut) counts.leftOut[reason] = (counts.leftOut[reason] ?? 0) + 1;
      page += written.text;
    }
    if (page !== '') yield page;
    after = next;
  } while (after !== undefined);
  if (format.tail !== '') yield format.tail;
}

/** The best offer first. */
function rankedOffers(offers: readonly ShownShopOffer[]): readonly StorefrontOffer[] {
  const rankable = offers.map(({ accountId, skuId, sinceMs, shown }) => {
    return { ...(JSON.parse(shown) as StorefrontOffer), sinceMs, key: `${accountId}:${skuId}` };
  });
  return rankOffers(rankable).map(({ offer }) => offer);
}
