/** News: products that the catalog has learned something of, until all offers that are reviewed by them are marked as due. */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { CatalogNews } from '../../port/catalog.ts';
import type { OfferReference } from '../../port/review.ts';
import { keptWrite, snapshot } from '../command.ts';
import { rowsStatement, statement } from '../sql.ts';
import { announceNews, OF_AN_OFFER } from './announcements.ts';

/** Looks at all users, but once for a code: when it is new, or when a single offer was reviewed by it a moment ago. */
const FIND_SHARED = rowsStatement<[code: string]>(
  'find shared codes',
  `SELECT code FROM catalog_user WHERE code = ANY ($1::text[]) AND environment = $2
   GROUP BY code HAVING count(*) > 1`,
  `SELECT code FROM catalog_user WHERE code = $1 AND environment = $2 LIMIT 1 OFFSET 1`,
);
const DROP_OF_OFFERS = rowsStatement<[]>(
  'drop catalog news of offers',
  `DELETE FROM catalog_news WHERE code = ANY ($1::text[]) AND environment = $2 AND number = ${OF_AN_OFFER}`,
  `DELETE FROM catalog_news WHERE code = $1 AND environment = $2 AND number = ${OF_AN_OFFER}`,
);
const FIRST = statement<
  [code: CatalogCode, environment: Environment, number: number, accountId: number | null, skuId: string | null]
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

/** Behind the commit of the products: an offer that notes itself later sees them, and one that did before is seen here. */
export const settleCatalogNews = keptWrite(
  async (sql, environment: Environment, codes: readonly CatalogCode[]): Promise<void> => {
    const shared = new Set((await sql.run(FIND_SHARED, [codes, environment])).map(([code]) => code));
    await sql.run(DROP_OF_OFFERS, [codes.filter((code) => !shared.has(code)), environment]);
    if (shared.size > 0) await announceNews(sql);
  },
);

export const readCatalogNews = snapshot(async (sql, limit: number): Promise<readonly CatalogNews[]> => {
  return (await sql.run(FIRST, [limit])).map(([code, environment, number, accountId, skuId]) => {
    const toldUpTo = accountId === null || skuId === null ? undefined : { accountId, skuId };
    return { code, environment, number, toldUpTo };
  });
});

export const moveCatalogNews = keptWrite(
  async (sql, { environment, code, number }: CatalogNews, toldUpTo: OfferReference | undefined): Promise<void> => {
    if (toldUpTo === undefined) await sql.run(DROP, [code, environment, number]);
    else await sql.run(MOVE, [code, environment, number, toldUpTo.accountId, toldUpTo.skuId]);
  },
);
