/** Stores which offers use the product of a code. On a distributed database the rows are distributed by code. */
import type { CatalogStore } from '../../port/catalog.ts';
import { keptWrite, snapshot } from '../command.ts';
import { insertStatement, listsOf, statement } from '../sql.ts';
import { forgetUsers } from './catalog-rows.ts';

const NOTE = insertStatement(
  'note users of products',
  'catalog_user',
  { environment: 'text', code: 'text[]', account_id: 'bigint[]', sku_id: 'text[]' },
  '(code, environment, account_id, sku_id) DO NOTHING',
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

export const noteCatalogUsers = keptWrite<CatalogStore['noteCatalogUsers']>(async (sql, environment, users) => {
  await sql.run(NOTE, [environment, ...listsOf(users, 'code', 'accountId', 'skuId')]);
});

export const forgetCatalogUsers = keptWrite<CatalogStore['forgetCatalogUsers']>(forgetUsers);

export const countCatalogUsers = snapshot<CatalogStore['countCatalogUsers']>(async (sql, environment, code) => {
  return (await sql.run(COUNT, [code, environment]))[0]?.[0] ?? 0;
});

export const readCatalogUsers = snapshot<CatalogStore['readCatalogUsers']>(
  async (sql, environment, code, after, limit) => {
    const rows = await sql.run(READ, [code, environment, after?.accountId ?? 0, after?.skuId ?? '', limit]);
    return rows.map(([accountId, skuId]) => ({ accountId, skuId }));
  },
);
