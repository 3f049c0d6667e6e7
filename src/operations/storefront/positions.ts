/** Reads the ranks of a merchant's own offers: current ranks, and the rank that an offer would have with another price. */
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { StoredPrice } from '../../domain/offers/part.ts';
import { refuseUnknown } from '../../domain/offers/write-state.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { catalogCodes, type SentCodes } from '../../domain/review/product-code.ts';
import { type RankedStored, rankStored } from '../../domain/storefront/best-offer.ts';
import { buildOffer, ownCode } from '../../domain/storefront/build-offer.ts';
import type { ProductCode, StorefrontOffer, StorefrontRank } from '../../domain/storefront/product.ts';
import type { Status } from '../../domain/vocabulary/statuses.ts';
import { unlessStoreIsDown } from '../../store/port/errors.ts';
import type { SkuKey } from '../../store/port/offers.ts';
import type { ShownShopOffer, StoredRank } from '../../store/port/storefront.ts';
import type { Context } from '../context.ts';
import { type StorefrontContext, unmergedCode } from './read-products.ts';

const { storefront_offers_max: RANKED_MAX } = LIMITS;

export interface OfferPosition {
  readonly code: string;
  /** Whether the storefront has the offer. */
  readonly isShown: boolean;
  /** Null if it has no rank: it is not shown, or comes after those that are ranked. */
  readonly rank: StorefrontRank | null;
  /** What the best offer costs with shipping; null unless the operator shows it. */
  readonly bestTotal: number | null;
}

export async function readPosition(
  { store, isOn, showsBestPrice, order }: StorefrontContext,
  account: Account,
  skuId: string,
): Promise<Outcome<OfferPosition>> {
  if (!isOn) return refuseRequest('storefront_off');
  const { accountId, environment } = account;
  const key = { accountId, skuId };
  const offer = await store.offers.readReviewedOffer(key);
  if (offer === undefined) return refuseUnknown(skuId);
  const code = await codeOf(store, offer.document, account, skuId);
  const product = await store.storefront.readShopProduct(environment, code, RANKED_MAX);
  const all = rankStored(product?.offers ?? [], order());
  const found = rankIn(all, key, showsBestPrice);
  if (found !== undefined) return accept({ code, isShown: true, ...found });
  const isBeyond = product !== undefined && product.offerCount > all.length;
  const isShown = isBeyond && (await store.storefront.hasShopOffer(environment, code, key));
  return accept({ code, isShown, ...NO_RANK });
}

/**
 * Returns the stored ranks of a page of offers by SKU id, without those of offers that are the only one of their product. Returns none if a
 * node of the products is down, because the list of offers is useful without ranks.
 */
export async function readRanks(
  { store, isOn }: StorefrontContext,
  account: Account,
  skuIds: readonly string[],
): Promise<ReadonlyMap<string, StoredRank>> {
  if (!isOn || skuIds.length === 0) return new Map();
  const reading = store.storefront.readStoredRanks(account, skuIds, RANKED_MAX);
  const ranks = await unlessStoreIsDown(reading, new Map<string, StoredRank>());
  // A stored rank may be older than the end of another offer.
  return new Map([...ranks].filter(([, { rank, rankOf }]) => rankOf > 1 && rank <= rankOf));
}

/** Returns the position with this price and status; undefined while the storefront is off, or if the SKU was erased. */
export async function positionWith(
  { store, isOn, showsBestPrice, order }: StorefrontContext,
  { names, rules, nowMs }: Pick<Context, 'names' | 'rules' | 'nowMs'>,
  account: Account,
  skuId: string,
  { price, status }: { readonly price: Omit<StoredPrice, 'updatedMs'>; readonly status: Status },
): Promise<OfferPosition | undefined> {
  if (!isOn) return undefined;
  const { accountId, environment } = account;
  const key = { accountId, skuId };
  const [source] = await store.storefront.readOfferSources(accountId, [skuId]);
  if (source === undefined) return undefined;
  const code = await codeOf(store, source.document, account, skuId);
  const updated = { ...source, status, price: { ...price, updatedMs: nowMs() } };
  // Ranks do not depend on names.
  const setup = { account, merchant: { name: '' }, taxonomy: rules.taxonomy.current.tree, names };
  const built = buildOffer(updated, setup);
  if (built === undefined) return { code, isShown: false, ...NO_RANK };
  // One more than are ranked, because the stored offer is replaced.
  const product = await store.storefront.readShopProduct(environment, code, RANKED_MAX + 1);
  // A product that is found only by another code is not the offer's product.
  const offers = product?.code === code ? product.offers : [];
  const sinceMs = offers.find((each) => isOf(each, key))?.sinceMs ?? nowMs();
  const own = { ...key, rank: null, sinceMs, shown: JSON.stringify(built.offer) };
  const all = firstOffers([...offers.filter((each) => !isOf(each, key)), own]);
  return { code, isShown: true, ...(rankIn(rankStored(all, order()), key, showsBestPrice) ?? NO_RANK) };
}

const NO_RANK = { rank: null, bestTotal: null };

function codeOf(
  store: StorefrontContext['store'],
  document: string,
  { merchantId, environment }: Account,
  skuId: string,
): Promise<ProductCode> {
  const code = catalogCodes(JSON.parse(document) as SentCodes)[0] ?? ownCode(merchantId, skuId);
  return unmergedCode(store, environment, code);
}

function isOf(stored: SkuKey, { accountId, skuId }: SkuKey): boolean {
  return stored.accountId === accountId && stored.skuId === skuId;
}

/** Returns the offers that are ranked, as `readShopProduct` chooses them. */
function firstOffers(offers: readonly ShownShopOffer[]): readonly ShownShopOffer[] {
  if (offers.length <= RANKED_MAX) return offers;
  const read = offers.map((stored) => ({ stored, offer: JSON.parse(stored.shown) as StorefrontOffer }));
  read.sort((a, b) => {
    const byOffer = a.offer.total - b.offer.total || b.offer.quantity - a.offer.quantity;
    return byOffer || a.stored.sinceMs - b.stored.sinceMs;
  });
  return read.slice(0, RANKED_MAX).map(({ stored }) => stored);
}

/** Undefined if the offer is not among those that are ranked. */
function rankIn(
  all: readonly RankedStored<SkuKey>[],
  key: SkuKey,
  showsBestPrice: boolean,
): Pick<OfferPosition, 'rank' | 'bestTotal'> | undefined {
  const own = all.find(({ stored }) => isOf(stored, key));
  if (own === undefined) return undefined;
  const pack = own.offer.multipack_quantity;
  const best = all.find(({ offer: each, rank }) => each.multipack_quantity === pack && rank.rank === 1);
  const isPublic = showsBestPrice && best?.offer.price_visibility === 'public';
  if (isPublic) return { rank: own.rank, bestTotal: best.offer.total };
  // The difference from the merchant's own price would reveal the price of the best offer.
  const why = own.rank.rank_reason === 'total' ? 'Costs more than the best offer' : own.rank.why;
  return { rank: { ...own.rank, above_best: null, why }, bestTotal: null };
}
