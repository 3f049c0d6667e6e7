/**
 * In charge of what the catalog has learned of products while not all who are judged by them were told. Runs in the writer
 * thread, and on the connection of the command line, inside a transaction that is not its own.
 */
import type { Environment } from '../../domain/account.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import { type CatalogNews, NEWS_ACCOUNT, NEWS_KIND } from '../port/catalog.ts';
import type { OfferReference } from '../port/review.ts';
import { ANNOUNCE } from '../shared/work/announcements.ts';
import { type Connection, query } from './engine.ts';
import { runStatement } from './sql.ts';
import type { WriteNumbers } from './write-numbers.ts';

/** The number of news that an offer brought: there are none before them that they could be mistaken for. */
const OF_AN_OFFER = 0;

export class CatalogNewsWrites {
  readonly #connection: Connection;
  readonly #numbers: WriteNumbers;
  readonly #add;
  readonly #replace;
  readonly #dropUnshared;
  readonly #isLeft;
  readonly #move;
  readonly #drop;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#connection = connection;
    this.#numbers = numbers;
    this.#add = query(
      connection,
      `INSERT INTO catalog_news (code, environment, number) VALUES (?, ?, ${OF_AN_OFFER}) ON CONFLICT DO NOTHING`,
    );
    this.#replace = query(
      connection,
      'INSERT OR REPLACE INTO catalog_news (code, environment, number) VALUES (?, ?, ?)',
    );
    this.#dropUnshared = query(
      connection,
      `DELETE FROM catalog_news WHERE code = ?1 AND environment = ?2 AND number = ${OF_AN_OFFER} AND NOT EXISTS
         (SELECT 1 FROM catalog_user u WHERE u.code = ?1 AND u.environment = ?2 LIMIT 1 OFFSET 1)`,
    );
    this.#isLeft = query<[1]>(connection, 'SELECT 1 FROM catalog_news WHERE code = ? AND environment = ?');
    this.#move = query(
      connection,
      `UPDATE catalog_news SET told_account_id = ?4, told_sku_id = ?5
       WHERE code = ?1 AND environment = ?2 AND number = ?3`,
    );
    this.#drop = query(connection, 'DELETE FROM catalog_news WHERE code = ?1 AND environment = ?2 AND number = ?3');
  }

  added(environment: Environment, code: CatalogCode): void {
    this.#add.run(code, environment);
  }

  corrected(environment: Environment, code: CatalogCode): void {
    this.#replace.run(code, environment, this.#numbers.current());
    this.#announce();
  }

  settle(environment: Environment, codes: readonly CatalogCode[]): void {
    for (const code of codes) this.#dropUnshared.run(code, environment);
    if (codes.some((code) => this.#isLeft.get(code, environment) !== undefined)) this.#announce();
  }

  move({ environment, code, number }: CatalogNews, toldUpTo: OfferReference | undefined): void {
    if (toldUpTo === undefined) this.#drop.run(code, environment, number);
    else this.#move.run(code, environment, number, toldUpTo.accountId, toldUpTo.skuId);
  }

  #announce(): void {
    runStatement(this.#connection, ANNOUNCE, [NEWS_KIND, NEWS_ACCOUNT, 0]);
  }
}

export class CatalogNewsReads {
  readonly #first;

  constructor(connection: Connection) {
    this.#first = query<
      [code: string, environment: string, number: number, accountId: number | null, skuId: string | null]
    >(
      connection,
      `SELECT code, environment, number, told_account_id, told_sku_id FROM catalog_news
       ORDER BY code, environment LIMIT ?`,
    );
  }

  first(limit: number): readonly CatalogNews[] {
    return this.#first.all(limit).map(([code, environment, number, accountId, skuId]) => ({
      code: code as CatalogCode,
      environment: environment as Environment,
      number,
      toldUpTo: accountId === null || skuId === null ? undefined : { accountId, skuId },
    }));
  }
}
