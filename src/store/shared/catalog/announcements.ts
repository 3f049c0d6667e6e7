/** Records news about products in the transaction that changes them, and announces the work of marking offers as due. */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { NEWS_ACCOUNT, NEWS_KIND } from '../../port/catalog.ts';
import { insertStatement, type Sql, statement, type WriteSql } from '../sql.ts';
import { announceWork } from '../work.ts';

/** The number of news about a new product, which has no older news. */
export const OF_AN_OFFER = 0;

const COLUMNS = { code: 'text[]', environment: 'text', number: 'bigint' };
const ADD = insertStatement('add catalog news', 'catalog_news', COLUMNS, '(code, environment) DO NOTHING');
const REPLACE = insertStatement(
  'replace catalog news',
  'catalog_news',
  COLUMNS,
  '(code, environment) DO UPDATE SET number = excluded.number, told_account_id = NULL, told_sku_id = NULL',
);
const UNANNOUNCED = statement<[one: number]>(
  'find forgotten catalog news',
  `SELECT 1 WHERE EXISTS (SELECT 1 FROM catalog_news)
     AND NOT EXISTS (SELECT 1 FROM work_lease WHERE kind = '${NEWS_KIND}' AND account_id = ${NEWS_ACCOUNT})`,
);

export async function noteAdded(sql: Sql, environment: Environment, codes: readonly CatalogCode[]): Promise<void> {
  if (codes.length > 0) await sql.run(ADD, [codes, environment, OF_AN_OFFER]);
}

/** All codes share the number, which distinguishes news of a code from older news of the same code. */
export async function noteReplaced(
  sql: WriteSql,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  if (codes.length === 0) return;
  await sql.run(REPLACE, [codes, environment, await sql.drawNumber()]);
  await announceNews(sql);
}

export async function announceNews(sql: Sql): Promise<void> {
  await announceWork(sql, NEWS_KIND, NEWS_ACCOUNT, 0);
}

export async function announceForgottenNews(sql: Sql): Promise<void> {
  if ((await sql.run(UNANNOUNCED)).length > 0) await announceNews(sql);
}
