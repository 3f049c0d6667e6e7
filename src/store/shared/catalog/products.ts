/**
 * Stores products added by offers, and the operator's corrections of them. On a distributed database they are spread by
 * code, and a statement may reach several nodes. Of the requests, lookups of a product and reviews with a wrong product code wait for it.
 */
import type { Environment } from '../../../domain/account.ts';
import { isMet } from '../../../domain/precondition.ts';
import type { KnownProduct } from '../../../domain/review/catalog.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { CatalogStore } from '../../port/catalog.ts';
import { productTag } from '../../port/part-tags.ts';
import { change, keptWrite, snapshot, undone } from '../command.ts';
import {
  isMergeRefused,
  PRODUCT,
  PRODUCT_RULE,
  readCorrections,
  readMerged,
  replaceRule,
} from '../policies/replace-rule.ts';
import { insertStatement, rowsStatement, type Sql, statement } from '../sql.ts';
import { noteShopCorrection } from '../storefront/progress.ts';
import { noteAdded, noteReplaced } from './news.ts';

const FIND = rowsStatement<[code: string, ...unknown[]]>('find products')`
  SELECT ${PRODUCT.list} FROM catalog WHERE code = ANY ($1::text[]) AND environment = $2`;
const PAGE = statement<[code: string, ...unknown[]]>('read page of products')`
  SELECT ${PRODUCT.list} FROM catalog WHERE environment = $1 AND code > $2 ORDER BY code LIMIT $3`;
/** Has no RETURNING, which makes inserts of single rows much slower on SQLite (see images/queue.ts). */
const ADD = insertStatement('add products', 'catalog', ['environment'], 'DO NOTHING', PRODUCT.names);
/** Takes one code, which thousands of offers may have: Citus supports no LIMIT per code in a statement for many codes. */
const FIND_TWO_USERS = statement<[one: number]>('find two users of product')`
  SELECT 1 FROM catalog_user WHERE code = $1 AND environment = $2 LIMIT 2`;
const REPLACE = rowsStatement<[]>('replace products')`
  UPDATE catalog SET brand = i.brand, title = i.title, category_id = i.category_id
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS i (code, brand, title, category_id)
  WHERE catalog.code = ANY ($2::text[]) AND catalog.environment = $1 AND catalog.code = i.code`;
/** The operator's correction overrides the product added by offers. */
export const readProducts = snapshot<CatalogStore['readProducts']>(findProducts);

async function findProducts(
  sql: Sql,
  environment: Environment,
  codes: readonly CatalogCode[],
  source?: 'offers' | 'unmerged',
): Promise<readonly KnownProduct[]> {
  const [ofOffers, ofOperator] = await Promise.all([
    sql.run(FIND, [codes, environment]),
    source === 'offers' ? [] : readCorrections(sql, environment, codes),
  ]);
  const products: KnownProduct[] = [
    ...ofOffers.map((row) => ({ ...PRODUCT.of(row), origin: 'offer' as const })),
    ...ofOperator,
  ];
  const found = [...byCode(products).values()];
  const others = found.flatMap(({ sameAs }) => sameAs ?? []);
  if (others.length === 0 || source === 'unmerged') return found;
  const targets = byCode(await findProducts(sql, environment, others));
  return found.map((product) => {
    const { code, origin, sameAs } = product;
    const target = sameAs && targets.get(sameAs);
    return target === undefined ? product : { ...product, ...target, code, origin };
  });
}

export const listMergedProducts = snapshot<CatalogStore['listMergedProducts']>((sql, environment, code) => {
  return readMerged(sql, environment, [code]);
});

export const readProductPage = snapshot<CatalogStore['readProductPage']>(async (sql, environment, after, limit) =>
  (await sql.run(PAGE, [environment, after, limit])).map((row) => ({ ...PRODUCT.of(row), origin: 'offer' })),
);

/**
 * If another process adds a product at the same moment, that product is kept, and the last statement sees it. Its news is then recorded
 * twice, which marks its offers as due once more.
 */
export const addProducts = keptWrite<CatalogStore['addProducts']>({ slices: 1 }, async (sql, environment, products) => {
  const each = firstOfEachCode(products);
  const found = new Set((await sql.run(FIND, [codesOf(each), environment])).map(([code]) => code));
  const { added = [], known = [] } = Object.groupBy(each, ({ code }) => (found.has(code) ? 'known' : 'added'));
  if (added.length > 0) await sql.run(ADD, [environment, ...PRODUCT.listsOf(added)]);
  await noteAdded(sql, environment, codesOf(added));
  const unshared = await unsharedOf(sql, environment, known);
  await sql.run(REPLACE, [environment, ...PRODUCT.listsOf(unshared)]);
  const merged = unshared.length === 0 ? [] : await readMerged(sql, environment, codesOf(unshared));
  await noteReplaced(sql, environment, [...new Set([...codesOf(unshared), ...merged])]);
  // The storefront shows the offers of merged products with the data of the other one.
  for (const code of merged.length === 0 ? [] : codesOf(unshared)) {
    if ((await readMerged(sql, environment, [code])).length > 0) await noteShopCorrection(sql, environment, code);
  }
  return readProducts(sql, environment, codesOf(each));
});

/** Counts as a settings change, so that a concurrent undo and correction wait for each other. */
export const setProduct = change<CatalogStore['setProduct']>(async (sql, environment, product, note, precondition) => {
  if (precondition !== undefined) {
    const [stored] = await readProducts(sql, environment, [product.code]);
    const currentTag = stored === undefined ? null : productTag(stored);
    if (!isMet(precondition, currentTag)) return undone({ currentTag });
  }
  if (await isMergeRefused(sql, environment, product)) return undone('merge_refused');
  await replaceRule(sql, PRODUCT_RULE, [environment, product.code], product, note);
  return 'stored';
});

function byCode(products: readonly KnownProduct[]): ReadonlyMap<CatalogCode, KnownProduct> {
  return new Map(products.map((product) => [product.code, product]));
}

/** Returns the first product of each code, in order of code: concurrent transactions lock rows in one order. */
function firstOfEachCode(products: readonly KnownProduct[]): readonly KnownProduct[] {
  const first = new Map(products.toReversed().map((product) => [product.code, product]));
  return [...first.values()].sort((one, other) => (one.code < other.code ? -1 : 1));
}

/** Returns the products that only one offer uses. Offers that read one of them before this commit are found by the news. */
async function unsharedOf(
  sql: Sql,
  environment: Environment,
  products: readonly KnownProduct[],
): Promise<readonly KnownProduct[]> {
  const users = await Promise.all(products.map(({ code }) => sql.run(FIND_TWO_USERS, [code, environment])));
  return products.filter((_, index) => users[index]?.length === 1);
}

function codesOf(products: readonly KnownProduct[]): readonly CatalogCode[] {
  return products.map(({ code }) => code);
}
