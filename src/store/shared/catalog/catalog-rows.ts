/** Converts rows of the catalog. The category of a product is text, because an id may be beyond 2^53. */
import { readId } from '../../../domain/int64.ts';
import type { KnownProduct } from '../../../domain/review/catalog.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { CatalogUser } from '../../port/catalog.ts';
import { listsOf, rowsStatement, type Sql } from '../sql.ts';

export type ProductRow = readonly [code: CatalogCode, brand: string, title: string, categoryId: string | null];

export function rowOfProduct({ code, brand, title, categoryId }: KnownProduct): ProductRow {
  return [code, brand, title, categoryId === null ? null : String(categoryId)];
}

export function productOf([code, brand, title, categoryId]: ProductRow, origin: KnownProduct['origin']): KnownProduct {
  return { code, brand, title, categoryId: categoryId === null ? null : (readId(categoryId) ?? null), origin };
}

/** Without the environment: an account belongs to one. */
const FORGET = rowsStatement<[]>(
  'forget users of products',
  `DELETE FROM catalog_user USING unnest($1::text[], $2::bigint[], $3::text[]) AS i (code, account_id, sku_id)
   WHERE catalog_user.code = ANY ($1::text[])
     AND catalog_user.code = i.code AND catalog_user.account_id = i.account_id AND catalog_user.sku_id = i.sku_id`,
  'DELETE FROM catalog_user WHERE code = $1 AND account_id = $2 AND sku_id = $3',
);

export async function forgetUsers(sql: Sql, users: readonly CatalogUser[]): Promise<void> {
  if (users.length > 0) await sql.run(FORGET, listsOf(users, 'code', 'accountId', 'skuId'));
}
