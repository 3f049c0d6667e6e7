/** Port of the product catalog, the offers that use each product, and news about products. */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { OfferReference } from './review.ts';

/** To mark the offers of products that the catalog has learned something of. It is for no account in particular. */
export const NEWS_KIND = 'catalog-news';

export const NEWS_ACCOUNT = 0;

export interface CatalogUser extends OfferReference {
  readonly code: CatalogCode;
}

/** The catalog has learned something of a product, and not all who are reviewed by it were told. */
export interface CatalogNews {
  readonly environment: Environment;
  readonly code: CatalogCode;
  /** Another one where there are news again. */
  readonly number: number;
  /** The offers up to this one, by account and SKU id, are marked. */
  readonly toldUpTo: OfferReference | undefined;
}

/**
 * One product for each code and environment. Reached only by its key, outside the way of requests.
 *
 * Whoever looked a code up before the catalog knew it, or knew it better, is to be reviewed again. That this is to be done is
 * stored in the commit of the product, as news, so that the work survives a crash.
 */
export interface CatalogStore {
  /** In any order; codes that the catalog does not know are left out. */
  readProducts(environment: Environment, codes: readonly CatalogCode[]): Promise<readonly KnownProduct[]>;
  /**
   * Adds those whose code is not known yet, with news of them. What an offer brought is replaced where a single offer is
   * reviewed by it: that is the one which brings another now. Gives for each code what stands there then.
   */
  addProducts(environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]>;
  /** Adds or replaces, as the operator says, with news of it; what offers say of it counts no longer. */
  setProduct(environment: Environment, product: KnownProduct): Promise<void>;
  /** Remembers that the offers are reviewed by these codes, until they are erased or it is forgotten. */
  noteCatalogUsers(environment: Environment, users: readonly CatalogUser[]): Promise<void>;
  /** They are not reviewed by these codes any more. */
  forgetCatalogUsers(users: readonly CatalogUser[]): Promise<void>;
  /**
   * After products were added or replaced: drops the news of those that a single offer is reviewed by, the one that brought
   * it, and announces work of the kind `catalog-news` where others are left.
   */
  settleCatalogNews(environment: Environment, codes: readonly CatalogCode[]): Promise<void>;
  /** In any order, in which they stay. */
  readCatalogNews(limit: number): Promise<readonly CatalogNews[]>;
  /** The offers up to the one given are marked; undefined: all are. Nothing where there are news again since. */
  moveCatalogNews(news: CatalogNews, toldUpTo: OfferReference | undefined): Promise<void>;
  /** How many offers are reviewed by the code. */
  countCatalogUsers(environment: Environment, code: CatalogCode): Promise<number>;
  /** In order of account and SKU id, from behind `after`. */
  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): Promise<readonly OfferReference[]>;
}

/** What the command line corrects the catalog with, beside running servers; open-store.ts opens it. */
export interface CatalogClient {
  readonly catalog: Pick<CatalogStore, 'readProducts' | 'setProduct' | 'countCatalogUsers'>;
  close(): Promise<void>;
}
