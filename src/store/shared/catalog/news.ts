/** Records news about products in the transaction that changes them, and keeps it until all offers that use them are due. */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { type CatalogNews, type CatalogStore, NEWS_ACCOUNT, NEWS_KIND } from '../../port/catalog.ts';
import { keptWrite, snapshot } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { insertStatement, rowsOf, rowsStatement, type Sql, statement, type WriteSql } from '../sql.ts';
import { announceWork } from '../work.ts';

/** Stored instead of a sequence number for a product that an offer added. Such a product has no older news. */
const OF_AN_OFFER = 0;

const ADD = insertStatement('add catalog news', 'catalog_news', ['environment', 'number'], 'DO NOTHING', ['code']);
const RESTART = 'DO UPDATE SET number = excluded.number, marked_up_to = NULL';
const REPLACE = insertStatement('replace catalog news', 'catalog_news', ['environment', 'number'], RESTART, ['code']);
const UNANNOUNCED = statement<[one: number]>('find forgotten catalog news')`
  SELECT 1 WHERE EXISTS (SELECT 1 FROM catalog_news)
    AND NOT EXISTS (SELECT 1 FROM work_lease WHERE kind = '${NEWS_KIND}' AND account_id = ${NEWS_ACCOUNT})`;
/** Reads all users of a code, but only once: when the code is new, or had a single user until now. */
const FIND_SHARED = rowsStatement<[code: string]>(
  'find shared codes',
  `SELECT code FROM catalog_user WHERE code = ANY ($1::text[]) AND environment = $2
   GROUP BY code HAVING count(*) > 1`,
  `SELECT code FROM catalog_user WHERE code = $1 AND environment = $2 LIMIT 1 OFFSET 1`,
);
const DROP_OF_OFFERS = rowsStatement<[]>('drop catalog news of offers')`
  DELETE FROM catalog_news WHERE code = ANY ($1::text[]) AND environment = $2 AND number = ${OF_AN_OFFER}`;
const NEWS = columnsOf<CatalogNews>({ markedUpTo: JSON_TEXT })('code', 'environment', 'number', 'markedUpTo');
const FIRST = statement('read catalog news')`SELECT ${NEWS.list} FROM catalog_news ORDER BY code, environment LIMIT $1`;
const MOVE = statement<[]>('move catalog news')`
  UPDATE catalog_news SET marked_up_to = $4 WHERE code = $1 AND environment = $2 AND number = $3`;
const DROP = statement<[]>('drop catalog news')`
  DELETE FROM catalog_news WHERE code = $1 AND environment = $2 AND number = $3`;

export async function noteAdded(sql: Sql, environment: Environment, codes: readonly CatalogCode[]): Promise<void> {
  if (codes.length > 0) await sql.run(ADD, [environment, OF_AN_OFFER, codes]);
}

/** All codes get the same number, which distinguishes this news from older news about the same code. */
export async function noteReplaced(
  sql: WriteSql,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  if (codes.length === 0) return;
  await sql.run(REPLACE, [environment, await sql.drawNumber(), codes]);
  await announceNews(sql);
}

export async function announceNews(sql: Sql): Promise<void> {
  await announceWork(sql, NEWS_KIND, NEWS_ACCOUNT, 0);
}

export async function announceForgottenNews(sql: Sql): Promise<void> {
  if ((await sql.run(UNANNOUNCED)).length > 0) await announceNews(sql);
}

/** Runs after the commit of the products. Offers recorded later see the products, and offers recorded earlier are found here. */
export const settleCatalogNews = keptWrite<CatalogStore['settleCatalogNews']>(
  { slices: 1 },
  async (sql, environment, codes) => {
    const shared = new Set((await sql.run(FIND_SHARED, [codes, environment])).map(([code]) => code));
    await sql.run(DROP_OF_OFFERS, [codes.filter((code) => !shared.has(code)), environment]);
    if (shared.size > 0) await announceNews(sql);
  },
);

export const readCatalogNews = snapshot<CatalogStore['readCatalogNews']>(rowsOf(FIRST, NEWS.of));

export const moveCatalogNews = keptWrite<CatalogStore['moveCatalogNews']>(async (sql, news, markedUpTo) => {
  if (markedUpTo === undefined) await sql.run(DROP, [news.code, news.environment, news.number]);
  else await sql.run(MOVE, NEWS.valuesOf({ ...news, markedUpTo }));
});
