/** Stores which offers use the product of a code. On a distributed database the rows are distributed by code. */
import type { CatalogStore, CatalogUser } from '../../port/catalog.ts';
import type { SkuKey } from '../../port/offers.ts';
import { keptWrite, snapshot } from '../command.ts';
import { columnsOf } from '../records.ts';
import { insertStatement, numberOf, rowsStatement, statement } from '../sql.ts';

const USER = columnsOf<CatalogUser>()('code', 'accountId', 'skuId');
const NOTE = insertStatement('note users of products', 'catalog_user', ['environment'], 'DO NOTHING', USER.names);
/** Ignores the environment, because an account belongs to one. */
const FORGET = rowsStatement<[]>('forget users of products')`
  DELETE FROM catalog_user USING unnest($1::text[], $2::bigint[], $3::text[]) AS i (code, account_id, sku_id)
  WHERE catalog_user.code = ANY ($1::text[])
    AND catalog_user.code = i.code AND catalog_user.account_id = i.account_id AND catalog_user.sku_id = i.sku_id`;
const COUNT = statement<[count: number]>('count users of product')`
  SELECT count(*) FROM catalog_user WHERE environment = $1 AND code = $2`;
const OFFER = columnsOf<SkuKey>()('accountId', 'skuId');
const READ = statement('read users of product')`
  SELECT ${OFFER.list} FROM catalog_user
  WHERE code = $1 AND environment = $2 AND (account_id, sku_id) > ($3, $4) ORDER BY account_id, sku_id LIMIT $5`;

export const noteCatalogUsers = keptWrite<CatalogStore['noteCatalogUsers']>(
  { slices: 1 },
  async (sql, environment, users) => {
    await sql.run(NOTE, [environment, ...USER.listsOf(users)]);
  },
);

export const forgetCatalogUsers = keptWrite<CatalogStore['forgetCatalogUsers']>({ slices: 0 }, async (sql, users) => {
  if (users.length > 0) await sql.run(FORGET, USER.listsOf(users));
});

export const countCatalogUsers = snapshot<CatalogStore['countCatalogUsers']>(numberOf(COUNT));

export const readCatalogUsers = snapshot<CatalogStore['readCatalogUsers']>(
  async (sql, environment, code, after, limit) => {
    return (await sql.run(READ, [code, environment, after?.accountId ?? 0, after?.skuId ?? '', limit])).map(OFFER.of);
  },
);
