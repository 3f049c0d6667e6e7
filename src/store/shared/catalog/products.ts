/**
 * Products that offers brought, and the operator's corrections of them. On a distributed database they are spread by code, and a
 * statement may reach several nodes; no request waits for it.
 */
import type { Environment } from '../../../domain/account.ts';
import type { KnownProduct } from '../../../domain/review/catalog.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { keptWrite, snapshot } from '../command.ts';
import { rowsStatement, type Sql, statement } from '../sql.ts';
import { noteAdded, noteReplaced } from './announcements.ts';
import { firstOfEachCode, type ProductRow, productsOf, rowOfProduct } from './catalog-rows.ts';

const FIND = rowsStatement<[...ProductRow]>(
  'find products',
  'SELECT code, brand, title, category_id FROM catalog WHERE code = ANY ($1::text[]) AND environment = $2',
  'SELECT code, brand, title, category_id FROM catalog WHERE code = $1 AND environment = $2',
);
const FIND_CORRECTIONS = rowsStatement<[...ProductRow]>(
  'find corrected products',
  'SELECT code, brand, title, category_id FROM catalog_correction WHERE code = ANY ($1::text[]) AND environment = $2',
  'SELECT code, brand, title, category_id FROM catalog_correction WHERE code = $1 AND environment = $2',
);
/** Without RETURNING, which makes inserts of rows one by one much slower on SQLite (see images/queue.ts). */
const ADD = rowsStatement<[]>(
  'add products',
  `INSERT INTO catalog (code, environment, brand, title, category_id)
   SELECT i.code, $1::text, i.brand, i.title, i.category_id
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS i (code, brand, title, category_id)
   ORDER BY i.code
   ON CONFLICT (code, environment) DO NOTHING`,
  `INSERT INTO catalog (code, environment, brand, title, category_id) VALUES ($2, $1, $3, $4, $5)
   ON CONFLICT (code, environment) DO NOTHING`,
);
/** Of one code, which thousands of offers may have: Citus takes no LIMIT for each of many codes in one statement. */
const FIND_TWO_USERS = statement<[one: number]>(
  'find two users of product',
  'SELECT 1 FROM catalog_user WHERE code = $1 AND environment = $2 LIMIT 2',
);
const REPLACE = rowsStatement<[]>(
  'replace products',
  `UPDATE catalog SET brand = i.brand, title = i.title, category_id = i.category_id
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS i (code, brand, title, category_id)
   WHERE catalog.code = ANY ($2::text[]) AND catalog.environment = $1 AND catalog.code = i.code`,
  'UPDATE catalog SET brand = $3, title = $4, category_id = $5 WHERE code = $2 AND environment = $1',
);
const CORRECT = statement<[]>(
  'correct product',
  `INSERT INTO catalog_correction (environment, code, brand, title, category_id) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (code, environment) DO UPDATE SET
     brand = excluded.brand, title = excluded.title, category_id = excluded.category_id`,
);

export const readProducts = snapshot(
  async (sql, environment: Environment, codes: readonly CatalogCode[]): Promise<readonly KnownProduct[]> => {
    const [ofOffers, ofOperator] = await Promise.all([
      sql.run(FIND, [codes, environment]),
      sql.run(FIND_CORRECTIONS, [codes, environment]),
    ]);
    return productsOf(ofOffers, ofOperator);
  },
);

/**
 * Another process may add some of them at the same moment. What it added is kept, and the last statement sees it; the news of
 * it are then noted twice, which marks its offers as due once more.
 */
export const addProducts = keptWrite(
  async (sql, environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]> => {
    const rows = firstOfEachCode(products).map(rowOfProduct);
    const known = new Set((await sql.run(FIND, [codesOf(rows), environment])).map(([code]) => code));
    const added = rows.filter(([code]) => !known.has(code));
    await sql.run(ADD, [environment, ...columnsOf(added)]);
    await noteAdded(sql, environment, codesOf(added));
    const unshared = await unsharedOf(
      sql,
      environment,
      rows.filter(([code]) => known.has(code)),
    );
    await sql.run(REPLACE, [environment, ...columnsOf(unshared)]);
    await noteReplaced(sql, environment, codesOf(unshared));
    return readProducts(sql, environment, codesOf(rows));
  },
);

export const setProduct = keptWrite(async (sql, environment: Environment, product: KnownProduct): Promise<void> => {
  await sql.run(CORRECT, [environment, ...rowOfProduct(product)]);
  await noteReplaced(sql, environment, [product.code]);
});

/**
 * Those that a single offer is reviewed by. An offer that notes itself as reviewed by one of them afterwards, and reads what
 * stands there before this commit, is found when the news are told.
 */
async function unsharedOf(
  sql: Sql,
  environment: Environment,
  rows: readonly ProductRow[],
): Promise<readonly ProductRow[]> {
  const users = await Promise.all(rows.map(([code]) => sql.run(FIND_TWO_USERS, [code, environment])));
  return rows.filter((_, place) => users[place]?.length === 1);
}

function codesOf(rows: readonly ProductRow[]): readonly CatalogCode[] {
  return rows.map(([code]) => code as CatalogCode);
}

function columnsOf(rows: readonly ProductRow[]): readonly (readonly unknown[])[] {
  return [rows.map((row) => row[0]), rows.map((row) => row[1]), rows.map((row) => row[2]), rows.map((row) => row[3])];
}
