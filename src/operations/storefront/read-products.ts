/** Reads products of the storefront with their ranked offers. */
import type { Environment } from '../../domain/account.ts';
import { parseExactJson, stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { spliceJson } from '../../domain/offers/stored-json.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { type CatalogCode, readCatalogCode } from '../../domain/review/product-code.ts';
import { type RankedStored, rankStored } from '../../domain/storefront/best-offer.ts';
import { isOwnCode } from '../../domain/storefront/build-offer.ts';
import type { ProductCode, StorefrontProduct } from '../../domain/storefront/product.ts';
import { type ProductQuery, queryTerms } from '../../domain/storefront/terms.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import type { RankOrder } from '../../domain/vocabulary/rank-parts.ts';
import type {
  CountedShopProduct,
  ShopProduct,
  ShopProductPosition,
  ShownShopOffer,
  StorefrontStore,
} from '../../store/port/storefront.ts';
import type { Store } from '../../store/port.ts';
import type { FeedWaits } from '../events/feed-waits.ts';

export interface StorefrontContext {
  readonly store: Pick<Store, 'catalog' | 'offers' | 'settings' | 'storefront'>;
  /** Whether live offers are projected. */
  readonly isOn: boolean;
  /** Whether merchants may know the price of the best offer. */
  readonly showsBestPrice: boolean;
  /** The parts of the order of offers that the operator chose. */
  readonly order: () => RankOrder;
  readonly waits: FeedWaits;
  /** Whether feeds can link to the storefront: `STOREFRONT_URL` is set. */
  readonly hasUrl: boolean;
}

/** A product, with what identifies this version of it. */
export interface ProductReading {
  /** Ranks the offers, and returns the JSON text. */
  json(): string;
  readonly versions: readonly (number | string)[];
}

type Ranked = RankedStored<ShownShopOffer>;

export async function readProduct(
  { store, isOn, order }: StorefrontContext,
  environment: Environment,
  text: string,
): Promise<Outcome<ProductReading>> {
  if (!isOn) return refuseRequest('storefront_off');
  const asked = isOwnCode(text) ? text : readCatalogCode(text);
  const code = await unmergedCode(store, environment, asked);
  const read = async (one: ProductCode | undefined) =>
    one && (await store.storefront.readShopProduct(environment, one, LIMITS.storefront_offers_max));
  // For a moment after a merge, the offers are still shown under the old code.
  const product = (await read(code)) ?? (code === asked ? undefined : await read(asked));
  if (product === undefined) return refuseRequest('product_not_found');
  const members = await readGroup(store.storefront, environment, product);
  const versions = [product, ...othersOf(product, members)].flatMap(({ number, updatedMs }) => [number, updatedMs]);
  const now = order();
  return accept({ json: () => wholeProductJson(product, members, now), versions: [...versions, ...now] });
}

/** Returns the code under which a product is shown. */
export async function unmergedCode<Code extends ProductCode | undefined>(
  store: Pick<Store, 'catalog'>,
  environment: Environment,
  code: Code,
): Promise<Code | CatalogCode> {
  if (code === undefined || isOwnCode(code)) return code;
  const [known] = await store.catalog.readProducts(environment, [code as CatalogCode]);
  return known?.sameAs ?? code;
}

export interface MergedProduct {
  readonly codes: readonly string[];
  readonly offers: number;
  /** The best offer of each multipack quantity, with the product that it has now. */
  readonly best: readonly (RankedStored<ShownShopOffer> & { readonly code: ProductCode })[];
}

/** Returns how the storefront shows both products after they were merged; undefined if it shows none of them. */
export async function previewMerge(
  { store, isOn, order }: StorefrontContext,
  environment: Environment,
  codes: readonly ProductCode[],
): Promise<MergedProduct | undefined> {
  if (!isOn) return undefined;
  const read = (code: ProductCode) => store.storefront.readShopProduct(environment, code, LIMITS.storefront_offers_max);
  const found = (await Promise.all(codes.map(read))).filter((product) => product !== undefined);
  // A product that is found only by another of its codes is not merged.
  const products = found.filter(({ code }) => codes.includes(code));
  if (products.length === 0) return undefined;
  const all = products.flatMap(({ code, offers }) => offers.map((offer) => ({ ...offer, code })));
  return {
    codes: [...new Set(products.flatMap(({ product }) => (JSON.parse(product) as StorefrontProduct).codes))],
    offers: products.reduce((sum, { offerCount }) => sum + offerCount, 0),
    best: rankStored(all, order())
      .filter(({ rank }) => rank.rank === 1)
      .map((ranked) => ({ ...ranked, code: ranked.stored.code })),
  };
}

/** The members of the variation group, including the product itself. */
export async function readGroup(
  store: Pick<StorefrontStore, 'listShopGroup'>,
  environment: Environment,
  { product }: ShopProduct,
): Promise<readonly ShopProduct[]> {
  // Most products have no group, and an export reads a million of them: this search is faster than the parser.
  if (!product.includes('"group":{')) return [];
  const { group } = JSON.parse(product) as StorefrontProduct;
  return group === null ? [] : store.listShopGroup(environment, group.id, LIMITS.storefront_variations_max);
}

/** Returns the product with all its offers and variations as JSON text. */
export function wholeProductJson(
  product: CountedShopProduct,
  members: readonly ShopProduct[],
  order: RankOrder,
): string {
  return productJson(product, {
    offer_count: String(product.offerCount),
    offers: `[${rankStored(product.offers, order).map(offerJson).join()}]`,
    variations: `[${othersOf(product, members)
      .map((other) => variationJson(other, product))
      .join()}]`,
  });
}

function othersOf({ code }: ShopProduct, members: readonly ShopProduct[]): readonly ShopProduct[] {
  return members.filter((member) => member.code !== code);
}

function productJson({ product, updatedMs }: ShopProduct, members: Readonly<Record<string, string>>): string {
  return spliceJson(product, { updated: `"${isoTime(updatedMs)}"`, ...members });
}

function offerJson({ stored, rank }: Ranked): string {
  const members = Object.entries(rank).map(([name, value]) => [name, JSON.stringify(value)]);
  return spliceJson(stored.shown, {
    on_sale_since: `"${isoTime(stored.sinceMs)}"`,
    ...(Object.fromEntries(members) as Record<string, string>),
  });
}

/** Shows what distinguishes a product of the group: the attributes in which its products differ. */
function variationJson({ code, product }: ShopProduct, { product: own }: ShopProduct): string {
  const ids = (parseExactJson(own) as StorefrontProduct).group?.attribute_ids ?? [];
  const { title, images, attributes } = parseExactJson(product) as StorefrontProduct;
  const differing = attributes.filter(({ id }) => ids.includes(id));
  return stringifyExactJson({ code, title, image: images[0] ?? null, attributes: differing });
}

export interface ProductsQuery extends ProductQuery {
  readonly updatedSinceMs: number | undefined;
  readonly after: ShopProductPosition | undefined;
  readonly limit: number;
}

/** The JSON texts of a page of products, each with its best offer for each multipack quantity. */
export async function listProducts(
  { store, isOn, order }: StorefrontContext,
  environment: Environment,
  { updatedSinceMs, after, limit, ...query }: ProductsQuery,
): Promise<Outcome<{ readonly products: readonly string[]; readonly next: ShopProductPosition | undefined }>> {
  if (!isOn) return refuseRequest('storefront_off');
  const offers_max = LIMITS.storefront_listed_offers_max;
  const asked = { terms: queryTerms(query), updatedSinceMs, after, limit, offers_max };
  const page = await store.storefront.listShopProducts(environment, asked);
  const products = page.products.map((product) => {
    const best = rankStored(product.offers, order()).filter(({ rank }) => rank.rank === 1);
    return productJson(product, { best_offers: `[${best.map(offerJson).join()}]` });
  });
  return accept({ products, next: page.next });
}
