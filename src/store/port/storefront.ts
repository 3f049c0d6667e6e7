/**
 * Port for the storefront: a projection of all live offers in stock, by product, and the log of its changes.
 *
 * Background work follows the change feed of each account, builds its offers and stores the differences. Only differences are stored and
 * logged, so that work may be repeated. All changes of an environment are stored one after the other, so their numbers have no gaps.
 */
import type { Environment, FulfillmentNode } from '../../domain/account.ts';
import type { FeedPosition } from '../../domain/events.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { OfferSource } from '../../domain/storefront/build-offer.ts';
import type { ProductCode } from '../../domain/storefront/product.ts';
import type { StoredEventType } from '../../domain/vocabulary/event-types.ts';
import type { SkuKey } from './offers.ts';

/** The only kind of background work here. It belongs to no account. */
export const STOREFRONT_KIND = 'storefront';
export const STOREFRONT_ACCOUNT = 0;

/** The events of a merchant's feed that may change what is shown. */
export const PROJECTED_EVENTS: readonly StoredEventType[] = [
  'offer.updated',
  'offer.status_changed',
  'offer.recategorized',
];

/** Maximum number of offers that one call projects: it takes a few milliseconds, for which other writes wait on SQLite. */
export const PROJECTED_OFFERS_MAX = 100;

/** How far an account is projected. */
export interface ShopAccount {
  readonly accountId: number;
  readonly environment: Environment;
  /** Digest of the settings that its offers are shown with; '': its offers must be projected again. */
  readonly basis: string;
  /** Tag of its change feed. */
  readonly tag: string;
  /** Events after it are not projected yet. */
  readonly position: FeedPosition;
  readonly walk: ShopWalk | null;
}

/**
 * Projects all offers of an account again: first its `offers` in order of upload, then those that are `shown` in order of SKU id, because
 * only there an erased offer can still be found. `after`: the SKU up to which this is done.
 */
export interface ShopWalk {
  readonly stage: 'offers' | 'shown';
  readonly after: string | null;
}

/** An offer as it is shown now; null: it is not. */
export interface ProjectedOffer {
  readonly skuId: string;
  readonly shown: {
    readonly code: ProductCode;
    /** The parent of its variation group. */
    readonly parent: string | null;
    /** In ten-thousandths. */
    readonly total: number;
    /** JSON text of a StorefrontOffer. */
    readonly offer: string;
    /** JSON text of a StorefrontProduct. */
    readonly product: string;
  } | null;
}

export interface CorrectedProduct {
  readonly environment: Environment;
  readonly code: CatalogCode;
  /** Identifies the correction. */
  readonly number: number;
}

/** An offer of a product. */
export interface ShownShopOffer extends SkuKey {
  readonly sinceMs: number;
  /** JSON text of a StorefrontOffer. */
  readonly shown: string;
  /** The rank that was last stored; null before the first. */
  readonly rank: number | null;
}

/** How far the products of an environment are ranked: changes with a higher number are not. */
export interface ShopRanking {
  readonly environment: Environment;
  readonly ranked: number;
  /** The order that the products are ranked by: its parts with commas. */
  readonly rankOrder: string;
  /** The code up to which all products are ranked by this order; null: all are. */
  readonly rankWalk: string | null;
}

/** The rank that was last stored. */
export interface StoredRank {
  readonly rank: number;
  /** Number of offers that are compared. */
  readonly rankOf: number;
}

/** An offer whose rank is not the stored one. */
export interface RankChange extends SkuKey {
  readonly code: ProductCode;
  readonly before: number | null;
  readonly rank: number;
  /** Number of offers that are compared. */
  readonly rankOf: number;
}

export interface ShopProduct {
  readonly code: ProductCode;
  readonly updatedMs: number;
  /** Rises with every change to the product or its offers. */
  readonly number: number;
  /** JSON text of a StorefrontProduct. */
  readonly product: string;
}

export interface ShopProductWithOffers extends ShopProduct {
  /** With the lowest total first, then the largest stock, then the longest time on sale, up to a limit. */
  readonly offers: readonly ShownShopOffer[];
}

export interface CountedShopProduct extends ShopProductWithOffers {
  /** The number of all its offers. */
  readonly offerCount: number;
}

export interface ShopProductPage {
  readonly products: readonly ShopProductWithOffers[];
  /** Where the next page starts; undefined on the last. */
  readonly next: ShopProductPosition | undefined;
}

/** A place in the list: a code, or the number of an event in the order of changes. */
export type ShopProductPosition = string | number;

export interface ShopProductQuery {
  /** All of them must apply. */
  readonly terms: readonly string[];
  /** Lists in order of last change, from this time on. Only changes that are in the log are found. */
  readonly updatedSinceMs: number | undefined;
  /** A number with `updatedSinceMs`, otherwise a code. */
  readonly after: ShopProductPosition | undefined;
  readonly limit: number;
  /** Maximum number of offers of each product. */
  readonly offers_max: number;
}

export interface ShopEvent {
  readonly number: number;
  readonly code: ProductCode;
  readonly atMs: number;
  /** JSON text. */
  readonly body: string;
}

export interface ShopFeedState {
  readonly tag: string;
  readonly last: number;
  readonly dropped: number;
}

export interface StorefrontStore {
  /** The fulfillment nodes of all accounts, in order of account. */
  listShopNodes(): Promise<readonly (FulfillmentNode & { readonly accountId: number })[]>;
  listShopAccounts(): Promise<readonly ShopAccount[]>;
  /** Returns accounts with events that have no number yet. Reading their feeds numbers them. */
  findUnnumbered(): Promise<readonly number[]>;
  /** Returns accounts with numbered events that are not projected, or with a walk. */
  findShopWork(): Promise<readonly ShopAccount[]>;
  /** Restarts the projection of all offers of an account, or begins to drop the account if it was removed. */
  beginShopWalk(account: ShopAccount): Promise<void>;
  /** Ends the projection of an account that was removed. */
  dropShopAccount(accountId: number): Promise<void>;
  /** Returns the offers that exist. */
  readOfferSources(accountId: number, skuIds: readonly string[]): Promise<readonly OfferSource[]>;
  /** Returns offers that are shown, in order of SKU id. */
  listShownSkus(accountId: number, after: string | null, limit: number): Promise<readonly string[]>;
  /** Returns the members of the parents' groups, as they are and as they are shown. */
  readGroupSkus(accountId: number, parents: readonly string[]): Promise<readonly string[]>;
  /**
   * Stores how offers of an account are shown now, and moves the account from `from` to `to`. `overtaken`: another process has moved it;
   * nothing was changed. If the account does not move, its position is not compared.
   */
  projectOffers(
    from: ShopAccount,
    to: ShopAccount,
    offers: readonly ProjectedOffer[],
    nowMs: number,
  ): Promise<'stored' | 'overtaken'>;
  /** In order of environment and code. */
  readShopCorrections(after: CorrectedProduct | undefined, limit: number): Promise<readonly CorrectedProduct[]>;
  /** Returns keys of offers of a product, in order of account and SKU id. */
  listShopOffers(
    environment: Environment,
    code: CatalogCode,
    after: SkuKey | undefined,
    limit: number,
  ): Promise<readonly SkuKey[]>;
  dropShopCorrection(correction: CorrectedProduct): Promise<void>;
  /**
   * Returns a product with its offers, in one snapshot. `code` may also be another code of the product. Undefined if no offer of it is
   * live and in stock.
   */
  readShopProduct(
    environment: Environment,
    code: ProductCode,
    offers_max: number,
  ): Promise<CountedShopProduct | undefined>;
  /** Returns the offers of each product that has some, by its code, in order of total, stock and time on sale. */
  readShopOffers(
    environment: Environment,
    codes: readonly ProductCode[],
    offers_max: number,
  ): Promise<ReadonlyMap<string, readonly ShownShopOffer[]>>;
  /** Returns the stored ranks of those offers that have one, by SKU id. Counts at most `offers_max` offers of a product. */
  readStoredRanks(
    account: Pick<ShopAccount, 'accountId' | 'environment'>,
    skuIds: readonly string[],
    offers_max: number,
  ): Promise<ReadonlyMap<string, StoredRank>>;
  /** Returns environments with products that are not ranked by this order yet. */
  findUnranked(order: string): Promise<readonly ShopRanking[]>;
  /** Returns codes of products with several offers, in order. */
  listContested(environment: Environment, after: string, limit: number): Promise<readonly ProductCode[]>;
  /**
   * Stores ranks, and adds an event for each offer that had another rank before. `overtaken`: another process has moved the ranking;
   * nothing was changed.
   */
  storeRanks(
    from: ShopRanking,
    to: ShopRanking,
    changes: readonly RankChange[],
    nowMs: number,
  ): Promise<'stored' | 'overtaken'>;
  /** Whether an offer of the product is live and in stock. `code` is its own code. */
  hasShopOffer(environment: Environment, code: ProductCode, key: SkuKey): Promise<boolean>;
  /** Returns the products of a variation group, in order of code. */
  listShopGroup(environment: Environment, groupId: string, limit: number): Promise<readonly ShopProduct[]>;
  /** May return fewer products than `limit`, even none, and `next`: it reads a bounded number of products. */
  listShopProducts(environment: Environment, query: ShopProductQuery): Promise<ShopProductPage>;
  /** Undefined before the first event. */
  readShopFeed(environment: Environment): Promise<ShopFeedState | undefined>;
  readShopEvents(environment: Environment, after: number, limit: number): Promise<readonly ShopEvent[]>;
  /** Drops events older than `beforeMs`, for at most a few milliseconds. */
  tidyShopFeed(environment: Environment, beforeMs: number): Promise<'more' | 'done'>;
}
