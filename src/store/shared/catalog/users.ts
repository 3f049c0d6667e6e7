/** Offers that are reviewed by the product of a code. On a distributed database they are spread by code. */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { CatalogUser } from '../../port/catalog.ts';
import type { OfferReference } from '../../port/review.ts';
import { keptWrite, snapshot } from '../command.ts';
import { rowsStatement, statement } from '../sql.ts';
import { forgetUsers } from './catalog-rows.ts';

const NOTE = rowsStatement<[]>(
  'note users of products',
  `INSERT INTO catalog_user (code, environment, account_id, sku_id)
   SELECT i.code, $1::text, i.account_id, i.sku_id
   FROM unnest($2::text[], $3::bigint[], $4::text[]) AS i (code, account_id, sku_id)
   ORDER BY i.code, i.account_id, i.sku_id
   ON CONFLICT (code, environment, account_id, sku_id) DO NOTHING`,
  `INSERT INTO catalog_user (code, environment, account_id, sku_id) VALUES ($2, $1, $3, $4)
   ON CONFLICT (code, environment, account_id, sku_id) DO NOTHING`,
);
const COUNT = statement<[count: number]>(
  'count users of product',
  'SELECT count(*) FROM catalog_user WHERE code = $1 AND environment = $2',
);
const READ = statement<[accountId: number, skuId: string]>(
  'read users of product',
  `SELECT account_id, sku_id FROM catalog_user
   WHERE code = $1 AND environment = $2 AND (account_id, sku_id) > ($3, $4) ORDER BY account_id, sku_id LIMIT $5`,
);

export const noteCatalogUsers = keptWrite(
  async (sql, environment: Environment, users: readonly CatalogUser[]): Promise<void> => {
    const codes = users.map(({ code }) => code);
    await sql.run(NOTE, [environment, codes, users.map((user) => user.accountId), users.map((user) => user.skuId)]);
  },
);

export const forgetCatalogUsers = keptWrite(async (sql, users: readonly CatalogUser[]): Promise<void> => {
  await forgetUsers(sql, users);
});

export const countCatalogUsers = snapshot(async (sql, environment: Environment, code: CatalogCode): Promise<number> => {
  return (await sql.run(COUNT, [code, environment]))[0]?.[0] ?? 0;
});

export const readCatalogUsers = snapshot(
  async (
    sql,
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): Promise<readonly OfferReference[]> => {
    const rows = await sql.run(READ, [code, environment, after?.accountId ?? 0, after?.skuId ?? '', limit]);
    return rows.map(([accountId, skuId]) => ({ accountId, skuId }));
  },
);
