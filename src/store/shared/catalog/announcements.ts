/** Notes news of products in the commit of the products, and announces the work of telling them. */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { NEWS_ACCOUNT, NEWS_KIND } from '../../port/catalog.ts';
import { rowsStatement, type Sql, statement, type WriteSql } from '../sql.ts';
import { announceWork } from '../work.ts';

/** The number of news that an offer brought: there are none before them that they could be mistaken for. */
export const OF_AN_OFFER = 0;

const ADD = rowsStatement<[]>(
  'add catalog news',
  `INSERT INTO catalog_news (code, environment, number)
   SELECT code, $1::text, ${OF_AN_OFFER} FROM unnest($2::text[]) AS i (code) ORDER BY code
   ON CONFLICT (code, environment) DO NOTHING`,
  `INSERT INTO catalog_news (code, environment, number) VALUES ($2, $1, ${OF_AN_OFFER})
   ON CONFLICT (code, environment) DO NOTHING`,
);
const REPLACED = 'DO UPDATE SET number = excluded.number, told_account_id = NULL, told_sku_id = NULL';
const REPLACE = rowsStatement<[]>(
  'replace catalog news',
  `INSERT INTO catalog_news (code, environment, number)
   SELECT code, $1::text, $3::bigint FROM unnest($2::text[]) AS i (code) ORDER BY code
   ON CONFLICT (code, environment) ${REPLACED}`,
  `INSERT INTO catalog_news (code, environment, number) VALUES ($2, $1, $3) ON CONFLICT (code, environment) ${REPLACED}`,
);
const UNANNOUNCED = statement<[one: number]>(
  'find forgotten catalog news',
  `SELECT 1 WHERE EXISTS (SELECT 1 FROM catalog_news)
     AND NOT EXISTS (SELECT 1 FROM work_lease WHERE kind = '${NEWS_KIND}' AND account_id = ${NEWS_ACCOUNT})`,
);

export async function noteAdded(sql: Sql, environment: Environment, codes: readonly CatalogCode[]): Promise<void> {
  if (codes.length > 0) await sql.run(ADD, [environment, codes]);
}

/** They share a number: it tells news of one code from older news of the same code. */
export async function noteReplaced(
  sql: WriteSql,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  if (codes.length === 0) return;
  await sql.run(REPLACE, [environment, codes, await sql.drawNumber()]);
  await announceNews(sql);
}

export async function announceNews(sql: Sql): Promise<void> {
  await announceWork(sql, NEWS_KIND, NEWS_ACCOUNT, 0);
}

export async function announceForgottenNews(sql: Sql): Promise<void> {
  if ((await sql.run(UNANNOUNCED)).length > 0) await announceNews(sql);
}
