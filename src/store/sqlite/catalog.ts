/**
 * In charge of the catalog: products that offers made, the operator's corrections of them, and which offers are judged by
 * them. Reads run in the reader thread, writes in the writer thread, inside a transaction that is not their own.
 */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogUser } from '../port/catalog.ts';
import type { OfferReference } from '../port/review.ts';
import { type ProductRow, productsOf, rowOfProduct } from '../shared/product-row.ts';
import { CatalogNewsWrites } from './catalog-news.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class CatalogReads {
  readonly #ofOffers;
  readonly #ofOperator;
  readonly #countUsers;
  readonly #users;

  constructor(connection: Connection) {
    const find = (table: string) =>
      query<[...ProductRow]>(
        connection,
        `SELECT p.code, p.brand, p.title, p.category_id FROM json_each(?2) asked
         CROSS JOIN ${table} p ON p.code = asked.value AND p.environment = ?1`,
      );
    this.#ofOffers = find('catalog');
    this.#ofOperator = find('catalog_correction');
    this.#countUsers = query<[count: number]>(
      connection,
      'SELECT count(*) FROM catalog_user WHERE code = ? AND environment = ?',
    );
    this.#users = query<[accountId: number, skuId: string]>(
      connection,
      `SELECT account_id, sku_id FROM catalog_user
       WHERE code = ? AND environment = ? AND (account_id, sku_id) > (?, ?) ORDER BY account_id, sku_id LIMIT ?`,
    );
  }

  readProducts(environment: Environment, codes: readonly CatalogCode[]): readonly KnownProduct[] {
    const asked = JSON.stringify(codes);
    return productsOf(this.#ofOffers.all(environment, asked), this.#ofOperator.all(environment, asked));
  }

  countUsers(environment: Environment, code: CatalogCode): number {
    return this.#countUsers.get(code, environment)?.[0] ?? 0;
  }

  readUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): readonly OfferReference[] {
    const rows = this.#users.all(code, environment, after?.accountId ?? 0, after?.skuId ?? '', limit);
    return rows.map(([accountId, skuId]) => ({ accountId, skuId }));
  }
}

export class CatalogWrites {
  readonly news: CatalogNewsWrites;
  readonly #reads: CatalogReads;
  readonly #add;
  readonly #replaceUnshared;
  readonly #correct;
  readonly #noteUser;
  readonly #forgetUser;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.news = new CatalogNewsWrites(connection, numbers);
    this.#reads = new CatalogReads(connection);
    this.#add = query(
      connection,
      `INSERT INTO catalog (environment, code, brand, title, category_id) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#replaceUnshared = query(
      connection,
      `UPDATE catalog SET brand = ?3, title = ?4, category_id = ?5 WHERE environment = ?1 AND code = ?2 AND
         (SELECT count(*) FROM (SELECT 1 FROM catalog_user WHERE code = ?2 AND environment = ?1 LIMIT 2)) = 1`,
    );
    this.#correct = query(
      connection,
      'INSERT OR REPLACE INTO catalog_correction (environment, code, brand, title, category_id) VALUES (?, ?, ?, ?, ?)',
    );
    this.#noteUser = query(
      connection,
      'INSERT INTO catalog_user (environment, code, account_id, sku_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#forgetUser = query(connection, 'DELETE FROM catalog_user WHERE code = ? AND account_id = ? AND sku_id = ?');
  }

  addProducts(environment: Environment, products: readonly KnownProduct[]): readonly KnownProduct[] {
    for (const product of products) {
      const row = rowOfProduct(product);
      if (this.#add.run(environment, ...row).changes > 0) this.news.added(environment, product.code);
      else if (this.#replaceUnshared.run(environment, ...row).changes > 0) {
        this.news.corrected(environment, product.code);
      }
    }
    return this.#reads.readProducts(
      environment,
      products.map(({ code }) => code),
    );
  }

  setProduct(environment: Environment, product: KnownProduct): void {
    this.#correct.run(environment, ...rowOfProduct(product));
    this.news.corrected(environment, product.code);
  }

  /** Whatever the environment is: the account is in one alone. */
  forgetUsers(users: readonly CatalogUser[]): void {
    for (const { code, accountId, skuId } of users) this.#forgetUser.run(code, accountId, skuId);
  }

  noteUsers(environment: Environment, users: readonly CatalogUser[]): void {
    for (const { code, accountId, skuId } of users) this.#noteUser.run(environment, code, accountId, skuId);
  }
}
