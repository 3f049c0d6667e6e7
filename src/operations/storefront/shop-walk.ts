/** Walks all products of the storefront in order of code. Products that change meanwhile have their old or new state. */
import type { Environment } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { TERM } from '../../domain/storefront/terms.ts';
import type {
  CountedShopProduct,
  ShopProductPage,
  ShopProductPosition,
  StorefrontStore,
} from '../../store/port/storefront.ts';

export type WalkedStore = Pick<StorefrontStore, 'listShopProducts' | 'readShopProduct'>;

/** The number of codes that the store reads in one step. */
const PAGE_PRODUCTS = 1000;
/** Products with more offers are read one by one, so that a page is 40 MB at most; usually it is 2 MB. */
const PAGE_OFFERS = 50;
/** Length of a text that is worth a write. */
const TEXT_CHARACTERS = 262_144;

/** Yields each product with its offers. The store reads the next page while the caller writes the products of this one. */
export async function* walkShop(store: WalkedStore, environment: Environment): AsyncGenerator<CountedShopProduct> {
  const query = { terms: [TERM.any], updatedSinceMs: undefined, limit: PAGE_PRODUCTS, offers_max: PAGE_OFFERS };
  const read = (after: ShopProductPosition | undefined) => store.listShopProducts(environment, { ...query, after });
  for (let coming: Promise<ShopProductPage> | undefined = read(undefined); coming !== undefined; ) {
    const { products, next }: ShopProductPage = await coming;
    coming = next === undefined ? undefined : read(next);
    // If the caller stops first, nothing else handles a failure of the read.
    coming?.catch(() => {});
    for (const product of products) {
      const { code, offers } = product;
      if (offers.length < PAGE_OFFERS) yield { ...product, offerCount: offers.length };
      else {
        const whole = await store.readShopProduct(environment, code, LIMITS.storefront_offers_max);
        if (whole !== undefined) yield whole;
      }
    }
  }
}

/** Joins short texts. */
export async function* joined(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let all = '';
  for await (const text of texts) {
    all += text;
    if (all.length < TEXT_CHARACTERS) continue;
    yield all;
    all = '';
  }
  if (all !== '') yield all;
}
