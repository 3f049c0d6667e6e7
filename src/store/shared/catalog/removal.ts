/** Forgets that offers are judged by products, also where the offers are erased. */
import type { CatalogUser } from '../../port/catalog.ts';
import { rowsStatement, type Sql } from '../sql.ts';

/** Whatever the environment is: an account is in one alone. */
const FORGET = rowsStatement<[]>(
  'forget users of products',
  `DELETE FROM catalog_user USING unnest($1::text[], $2::bigint[], $3::text[]) AS i (code, account_id, sku_id)
   WHERE catalog_user.code = ANY ($1::text[])
     AND catalog_user.code = i.code AND catalog_user.account_id = i.account_id AND catalog_user.sku_id = i.sku_id`,
  'DELETE FROM catalog_user WHERE code = $1 AND account_id = $2 AND sku_id = $3',
);

export async function forgetUsers(sql: Sql, users: readonly CatalogUser[]): Promise<void> {
  const codes = users.map(({ code }) => code);
  if (users.length > 0) {
    await sql.run(FORGET, [codes, users.map((user) => user.accountId), users.map((user) => user.skuId)]);
  }
}
