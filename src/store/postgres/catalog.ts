/**
 * In charge of the catalog: products that offers made, the operator's corrections of them, and which offers are judged by
 * them. On a distributed database it is spread by code, and a statement may reach several nodes; no request waits for it.
 */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogUser } from '../port/catalog.ts';
import type { OfferReference } from '../port/review.ts';
import { firstOfEachCode, type ProductRow, productsOf, rowOfProduct } from '../shared/product-row.ts';
import { announceNews, dropNewsOfOffers, noteAdded, noteCorrected } from './catalog-news.ts';
import { type Connection, type Database, statement } from './engine.ts';

const FIND = statement<[...ProductRow]>(
  'find products',
  'SELECT code, brand, title, category_id FROM catalog WHERE code = ANY ($1::text[]) AND environment = $2',
);
const FIND_CORRECTIONS = statement<[...ProductRow]>(
  'find corrected products',
  'SELECT code, brand, title, category_id FROM catalog_correction WHERE code = ANY ($1::text[]) AND environment = $2',
);
const ADD = statement<[code: string]>(
  'add products',
  `INSERT INTO catalog (code, environment, brand, title, category_id)
   SELECT i.code, $1::text, i.brand, i.title, i.category_id
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS i (code, brand, title, category_id)
   ORDER BY i.code
   ON CONFLICT (code, environment) DO NOTHING RETURNING code`,
);
/** Of one code, which thousands of offers may have: Citus takes no LIMIT for each of many codes in one statement. */
const FIND_TWO_USERS = statement<[one: number]>(
  'find two users of product',
  'SELECT 1 FROM catalog_user WHERE code = $1 AND environment = $2 LIMIT 2',
);
const REPLACE = statement<[code: string]>(
  'replace products',
  `UPDATE catalog SET brand = i.brand, title = i.title, category_id = i.category_id
   FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) AS i (code, brand, title, category_id)
   WHERE catalog.code = ANY ($1::text[]) AND catalog.environment = $2 AND catalog.code = i.code RETURNING catalog.code`,
);
const CORRECT = statement<[]>(
  'correct product',
  `INSERT INTO catalog_correction (environment, code, brand, title, category_id) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (code, environment) DO UPDATE SET
     brand = excluded.brand, title = excluded.title, category_id = excluded.category_id`,
);
const NOTE_USERS = statement<[]>(
  'note users of products',
  `INSERT INTO catalog_user (code, environment, account_id, sku_id)
   SELECT i.code, $1::text, i.account_id, i.sku_id
   FROM unnest($2::text[], $3::bigint[], $4::text[]) AS i (code, account_id, sku_id)
   ORDER BY i.code, i.account_id, i.sku_id
   ON CONFLICT (code, environment, account_id, sku_id) DO NOTHING`,
);
const FORGET_USERS = statement<[]>(
  'forget users of products',
  `DELETE FROM catalog_user USING unnest($2::text[], $3::bigint[], $4::text[]) AS i (code, account_id, sku_id)
   WHERE catalog_user.code = ANY ($1::text[])
     AND catalog_user.code = i.code AND catalog_user.account_id = i.account_id AND catalog_user.sku_id = i.sku_id`,
);
/** Looks at all users, but once for a code: when it is new, or when a single offer was judged by it a moment ago. */
const FIND_SHARED = statement<[code: string]>(
  'find shared codes',
  `SELECT code FROM catalog_user WHERE code = ANY ($1::text[]) AND environment = $2
   GROUP BY code HAVING count(*) > 1`,
);
const COUNT_USERS = statement<[count: number]>(
  'count users of product',
  'SELECT count(*) FROM catalog_user WHERE code = $1 AND environment = $2',
);
const READ_USERS = statement<[accountId: number, skuId: string]>(
  'read users of product',
  `SELECT account_id, sku_id FROM catalog_user
   WHERE code = $1 AND environment = $2 AND (account_id, sku_id) > ($3, $4) ORDER BY account_id, sku_id LIMIT $5`,
);

export async function readProducts(
  connection: Connection,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<readonly KnownProduct[]> {
  if (codes.length === 0) return [];
  const [ofOffers, ofOperator] = await Promise.all([
    connection.run(FIND, [codes, environment]),
    connection.run(FIND_CORRECTIONS, [codes, environment]),
  ]);
  return productsOf(ofOffers, ofOperator);
}

/** The last statement sees what another process added while the first one was not let to. */
export async function addProducts(
  database: Database,
  environment: Environment,
  products: readonly KnownProduct[],
): Promise<readonly KnownProduct[]> {
  if (products.length === 0) return [];
  const rows = firstOfEachCode(products).map(rowOfProduct);
  const codes = rows.map(([code]) => code as CatalogCode);
  const columns = [codes, rows.map((row) => row[1]), rows.map((row) => row[2]), rows.map((row) => row[3])];
  return database.inTransaction(async (connection) => {
    const added = await connection.run(ADD, [environment, ...columns]);
    const news = added.map(([code]) => code as CatalogCode);
    if (news.length > 0) await noteAdded(connection, environment, news);
    await replaceUnshared(
      connection,
      environment,
      codes.filter((code) => !news.includes(code)),
      columns,
    );
    return readProducts(connection, environment, codes);
  });
}

/**
 * Whoever notes itself as judged by one of them behind this look, and reads what stands there before this commit, is found by
 * whoever tells the news.
 */
async function replaceUnshared(
  connection: Connection,
  environment: Environment,
  codes: readonly CatalogCode[],
  columns: readonly (readonly unknown[])[],
): Promise<void> {
  if (codes.length === 0) return;
  const users = await Promise.all(codes.map((code) => connection.run(FIND_TWO_USERS, [code, environment])));
  const unshared = codes.filter((_, place) => users[place]?.length === 1);
  if (unshared.length === 0) return;
  const replaced = await connection.run(REPLACE, [unshared, environment, ...columns]);
  await noteCorrected(
    connection,
    environment,
    replaced.map(([code]) => code as CatalogCode),
  );
}

export function setProduct(database: Database, environment: Environment, product: KnownProduct): Promise<void> {
  return database.inTransaction(async (connection) => {
    await connection.run(CORRECT, [environment, ...rowOfProduct(product)]);
    await noteCorrected(connection, environment, [product.code]);
  });
}

export async function noteCatalogUsers(
  connection: Connection,
  environment: Environment,
  users: readonly CatalogUser[],
): Promise<void> {
  if (users.length === 0) return;
  const columns = [users.map(({ code }) => code), users.map((user) => user.accountId), users.map((user) => user.skuId)];
  await connection.run(NOTE_USERS, [environment, ...columns]);
}

/** Whatever the environment is: the account is in one alone. */
export async function forgetCatalogUsers(connection: Connection, users: readonly CatalogUser[]): Promise<void> {
  if (users.length === 0) return;
  const codes = users.map(({ code }) => code);
  const columns = [codes, users.map((user) => user.accountId), users.map((user) => user.skuId)];
  await connection.run(FORGET_USERS, [[...new Set(codes)], ...columns]);
}

/** Behind the commit of the products: whoever notes itself later sees them, and whoever did before is seen here. */
export async function settleCatalogNews(
  connection: Connection,
  environment: Environment,
  codes: readonly CatalogCode[],
): Promise<void> {
  if (codes.length === 0) return;
  const shared = new Set((await connection.run(FIND_SHARED, [codes, environment])).map(([code]) => code));
  await dropNewsOfOffers(
    connection,
    environment,
    codes.filter((code) => !shared.has(code)),
  );
  if (shared.size > 0) await announceNews(connection);
}

export async function countCatalogUsers(
  connection: Connection,
  environment: Environment,
  code: CatalogCode,
): Promise<number> {
  return (await connection.run(COUNT_USERS, [code, environment]))[0]?.[0] ?? 0;
}

export async function readCatalogUsers(
  connection: Connection,
  environment: Environment,
  code: CatalogCode,
  after: OfferReference | undefined,
  limit: number,
): Promise<readonly OfferReference[]> {
  const rows = await connection.run(READ_USERS, [code, environment, after?.accountId ?? 0, after?.skuId ?? '', limit]);
  return rows.map(([accountId, skuId]) => ({ accountId, skuId }));
}
