/**
 * In charge of what the catalog has learned of products while not all who are judged by them were told. Short, and in one
 * place also on a distributed database.
 */
import type { Environment } from '../../domain/account.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import { type CatalogNews, NEWS_ACCOUNT, NEWS_KIND } from '../port/catalog.ts';
import type { OfferReference } from '../port/review.ts';
import { announceWork } from '../shared/work/announcements.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { drawNumber } from './write-numbers.ts';

/** The number of news that an offer brought: there are none before them that they could be mistaken for. */
const OF_AN_OFFER = 0;

const ADD = statement<[]>(
  'add catalog news',
  `INSERT INTO catalog_news (code, environment, number)
   SELECT code, $1::text, ${OF_AN_OFFER} FROM unnest($2::text[]) AS i (code) ORDER BY code
   ON CONFLICT (code, environment) DO NOTHING`,
);
const REPLACE = statement<[]>(
  'replace catalog news',
  `INSERT INTO catalog_news (code, environment, number)
   SELECT code, $1::text, $3::bigint FROM unnest($2::text[]) AS i (code) ORDER BY code
   ON CONFLICT (code, environment) DO UPDATE SET
     number = excluded.number, told_account_id = NULL, told_sku_id = NULL`,
);
const DROP_OF_OFFERS = statement<[]>(
  'drop catalog news of offers',
  `DELETE FROM catalog_news WHERE code = ANY ($1::text[]) AND environment = $2 AND number = ${OF_AN_OFFER}`,
);
const FIRST = statement<
  [code: string, environment: string, number: number, accountId: number | null, skuId: string | null]
>(
  'read catalog news',
  `SELECT code, environment, number, told_account_id, told_sku_id FROM catalog_news
   ORDER BY code, environment LIMIT $1`,
);
const MOVE = statement<[]>(
  'move catalog news',
  `UPDATE catalog_news SET told_account_id = $4, told_sku_id = $5
   WHERE code = $1 AND environment = $2 AND number = $3`,
);
const DROP = statement<[]>(
  'drop catalog news',
  'DELETE FROM catalog_news WHERE code = $1 AND environment = $2 AND number = $3',
);
const UNANNOUNCED = statement<[one: number]>(
  'find forgotten catalog news',
  `SELECT 1 WHERE EXISTS (SELECT FROM catalog_news)
     AND NOT EXISTS (SELECT FROM work_lease WHERE kind = '${NEWS_KIND}' AND account_id = ${NEWS_ACCOUNT})`,
);

/** In the commit of the products. */
export async function noteAdded(
  connection: Connection,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  await connection.run(ADD, [environment, codes]);
}

/** In the commit of the products. They share a number: it tells news of one code from older news of the same code. */
export async function noteCorrected(
  connection: Connection,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  if (codes.length === 0) return;
  await connection.run(REPLACE, [environment, codes, await drawNumber(connection)]);
  await announceNews(connection);
}

export async function dropNewsOfOffers(
  connection: Connection,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  if (codes.length > 0) await connection.run(DROP_OF_OFFERS, [codes, environment]);
}

export async function announceNews(connection: Connection): Promise<void> {
  await announceWork(connection, NEWS_KIND, NEWS_ACCOUNT, 0);
}

export async function announceForgottenNews(database: Database): Promise<void> {
  if ((await database.run(UNANNOUNCED)).length > 0) await announceNews(database);
}

export async function readCatalogNews(connection: Connection, limit: number): Promise<readonly CatalogNews[]> {
  return (await connection.run(FIRST, [limit])).map(([code, environment, number, accountId, skuId]) => ({
    code: code as CatalogCode,
    environment: environment as Environment,
    number,
    toldUpTo: accountId === null || skuId === null ? undefined : { accountId, skuId },
  }));
}

export async function moveCatalogNews(
  connection: Connection,
  { environment, code, number }: CatalogNews,
  toldUpTo: OfferReference | undefined,
): Promise<void> {
  if (toldUpTo === undefined) await connection.run(DROP, [code, environment, number]);
  else await connection.run(MOVE, [code, environment, number, toldUpTo.accountId, toldUpTo.skuId]);
}
