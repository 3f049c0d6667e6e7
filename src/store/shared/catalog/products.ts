/**
 * Products that offers brought, and the operator's corrections of them. On a distributed database they are spread by code, and a
 * statement may reach several nodes; no request waits for it.
 */
import type { Environment } from '../../../domain/account.ts';
import type { KnownProduct } from '../../../domain/review/catalog.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { snapshot, write } from '../command.ts';
import { rowsStatement, type Sql, statement } from '../sql.ts';
import { noteAdded, noteReplaced } from './announcements.ts';
import { firstOfEachCode, type ProductRow, productsOf, rowOfProduct } from './product-row.ts';

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
const ADD = rowsStatement<[code: CatalogCode]>(
  'add products',
  `INSERT INTO catalog (code, environment, brand, title, category_id)
   SELECT i.code, $1::text, i.brand, i.title, i.category_id
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS i (code, brand, title, category_id)
   ORDER BY i.code
   ON CONFLICT (code, environment) DO NOTHING RETURNING code`,
  `INSERT INTO catalog (code, environment, brand, title, category_id) VALUES ($2, $1, $3, $4, $5)
   ON CONFLICT (code, environment) DO NOTHING RETURNING code`,
);
/** Of one code, which thousands of offers may have: Citus takes no LIMIT for each of many codes in one statement. */
const FIND_TWO_USERS = statement<[one: number]>(
  'find two users of product',
  'SELECT 1 FROM catalog_user WHERE code = $1 AND environment = $2 LIMIT 2',
);
const REPLACE = rowsStatement<[code: CatalogCode]>(
  'replace products',
  `UPDATE catalog SET brand = i.brand, title = i.title, category_id = i.category_id
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS i (code, brand, title, category_id)
   WHERE catalog.code = ANY ($2::text[]) AND catalog.environment = $1 AND catalog.code = i.code RETURNING catalog.code`,
  `UPDATE catalog SET brand = $3, title = $4, category_id = $5 WHERE code = $2 AND environment = $1 RETURNING code`,
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

/** The last statement sees what another process added while the first one was not let to. */
export const addProducts = write(
  async (sql, environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]> => {
    const rows = firstOfEachCode(products).map(rowOfProduct);
    const added = (await sql.run(ADD, [environment, ...columnsOf(rows)])).map(([code]) => code);
    await noteAdded(sql, environment, added);
    const isNew = new Set<string>(added);
    const unshared = await unsharedOf(
      sql,
      environment,
      rows.filter(([code]) => !isNew.has(code)),
    );
    if (unshared.length > 0) {
      const replaced = await sql.run(REPLACE, [environment, ...columnsOf(unshared)]);
      await noteReplaced(
        sql,
        environment,
        replaced.map(([code]) => code),
      );
    }
    return readProducts(
      sql,
      environment,
      rows.map(([code]) => code as CatalogCode),
    );
  },
);

export const setProduct = write(async (sql, environment: Environment, product: KnownProduct): Promise<void> => {
  await sql.run(CORRECT, [environment, ...rowOfProduct(product)]);
  await noteReplaced(sql, environment, [product.code]);
});

/**
 * Those that a single offer is judged by. An offer that notes itself as judged by one of them afterwards, and reads what
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

function columnsOf(rows: readonly ProductRow[]): readonly (readonly unknown[])[] {
  return [rows.map((row) => row[0]), rows.map((row) => row[1]), rows.map((row) => row[2]), rows.map((row) => row[3])];
}
