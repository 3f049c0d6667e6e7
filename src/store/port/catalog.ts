/** Port for the product catalog, the offers that use each product, and news about products. */
import type { Environment } from '../../domain/account.ts';
import type { Precondition } from '../../domain/precondition.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { SkuKey } from './offers.ts';
import type { ChangeNote } from './settings.ts';

/** Background work that marks the offers of changed products as due. It belongs to no account. */
export const NEWS_KIND = 'catalog-news';
export const NEWS_ACCOUNT = 0;

export interface CatalogUser extends SkuKey {
  readonly code: CatalogCode;
}

/** A changed product whose offers are not all marked as due yet. */
export interface CatalogNews {
  readonly environment: Environment;
  readonly code: CatalogCode;
  /** Identifies this change of the product; another change gets another number. */
  readonly number: number;
  /** Offers up to and including this one, in order of account and SKU id, are already marked. */
  readonly markedUpTo: SkuKey | null;
}

/**
 * One product per code and environment. Requests read it only for the fixes of a review.
 *
 * Offers that looked up a code before its product was added or changed are re-reviewed. The commit of the product stores this
 * work as news, so that it survives a crash.
 */
export interface CatalogStore {
  /**
   * Returns products in any order, without unknown codes. A merged product has the data of the product that it was merged into.
   * `offers`: as offers added them, without the operator's corrections. `unmerged`: with their own data, also of merged products.
   */
  readProducts(
    environment: Environment,
    codes: readonly CatalogCode[],
    source?: 'offers' | 'unmerged',
  ): Promise<readonly KnownProduct[]>;
  /** Returns the products that were merged into this one, in order. */
  listMergedProducts(environment: Environment, code: CatalogCode): Promise<readonly CatalogCode[]>;
  /** Returns products as offers added them, in order of code, after this code. */
  readProductPage(environment: Environment, after: CatalogCode | '', limit: number): Promise<readonly KnownProduct[]>;
  /**
   * Adds products for unknown codes, with news. If only one offer uses a known code, the new product replaces the old one. Returns the
   * products stored afterwards, one per code.
   */
  addProducts(environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]>;
  /**
   * Stores the operator's correction, with news. `currentTag`: the precondition does not hold; null if there is no such product.
   * `merge_refused`: the other product is merged itself, this one has merged products, or the other one has too many.
   */
  setProduct(
    environment: Environment,
    product: KnownProduct,
    note?: ChangeNote,
    precondition?: Precondition,
  ): Promise<'stored' | 'merge_refused' | { readonly currentTag: string | null }>;
  /** Records that the review of these offers uses the codes, until the offers are erased or forgotten. */
  noteCatalogUsers(environment: Environment, users: readonly CatalogUser[]): Promise<void>;
  forgetCatalogUsers(users: readonly CatalogUser[]): Promise<void>;
  /**
   * Call this after products were added or replaced. Drops news about products that only one offer uses, which is the offer that added
   * them. Announces work for all other news.
   */
  settleCatalogNews(environment: Environment, codes: readonly CatalogCode[]): Promise<void>;
  /** Returns news in a stable order. */
  readCatalogNews(limit: number): Promise<readonly CatalogNews[]>;
  /** Records the last marked offer; undefined: all are marked. Does nothing if there is newer news. */
  moveCatalogNews(news: CatalogNews, markedUpTo: SkuKey | undefined): Promise<void>;
  countCatalogUsers(environment: Environment, code: CatalogCode): Promise<number>;
  /** Returns offers in order of account and SKU id. */
  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: SkuKey | null,
    limit: number,
  ): Promise<readonly SkuKey[]>;
}
