/** Reads products of the storefront: one by its code, and lists by terms or in order of their last change. */
import type { Environment } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import { TERM } from '../../../domain/storefront/terms.ts';
import type {
  ShopProduct,
  ShopProductPage,
  ShopProductPosition,
  ShopProductQuery,
  ShownShopOffer,
  StorefrontStore,
} from '../../port/storefront.ts';
import { read, scan, snapshot } from '../command.ts';
import { columnsOf } from '../records.ts';
import { slicesOf } from '../slices.ts';
import { rowsStatement, type Sql, statement } from '../sql.ts';

/** Products that a page reads in one step, and the number of steps. Most pages are full after the first step. */
const STEP_PRODUCTS = 1000;
const STEPS_MAX = 5;
/** Products whose offers one statement reads. A longer list slows down the search for each product on PostgreSQL. */
const SLICE_PRODUCTS = 100;

const PRODUCT = columnsOf<ShopProduct>()('code', 'updatedMs', 'number', 'product');
const READ = statement('read product of storefront')`
  SELECT ${PRODUCT.list} FROM shop_product WHERE environment = $1 AND code = $2`;
const READ_MANY = rowsStatement('read products of storefront')`
  SELECT ${PRODUCT.list} FROM shop_product WHERE environment = $1 AND code = ANY ($2::text[])`;
const FIND = statement<[code: string]>('find products with term')`
  SELECT code FROM shop_term WHERE environment = $1 AND term = $2 AND code > $3 ORDER BY code LIMIT $4`;
const OFFER = columnsOf<ShownShopOffer>()('accountId', 'skuId', 'sinceMs', 'shown', 'rank');
const OFFERS = statement('read offers of product in storefront')`
  SELECT ${OFFER.list} FROM shop_offer WHERE environment = $1 AND code = $2
  ORDER BY total, quantity DESC, since_ms LIMIT $3`;
/** The products find their shards on Citus, which cannot join a list of codes with the offers in their order. */
const OFFERS_OF_PAGE = rowsStatement<[code: string, ...offer: unknown[]]>(
  'read offers of products in storefront',
  `SELECT o.code, ${OFFER.list} FROM shop_product p
   CROSS JOIN LATERAL (
     SELECT * FROM shop_offer
     WHERE shop_offer.environment = $1 AND shop_offer.code = p.code AND shop_offer.code = ANY ($2::text[])
     ORDER BY total, quantity DESC, since_ms LIMIT $3) AS o
   WHERE p.environment = $1 AND p.code = ANY ($2::text[])`,
  `SELECT code, ${OFFER.list} FROM shop_offer WHERE environment = $1 AND code = $2
   ORDER BY total, quantity DESC, since_ms LIMIT $3`,
);
const HAS_OFFER = statement<[one: number]>('find offer of product in storefront')`
  SELECT 1 FROM shop_offer WHERE environment = $1 AND code = $2 AND account_id = $3 AND sku_id = $4`;
const COUNT_OFFERS = statement<[offers: number]>('count offers of product in storefront')`
  SELECT count(*) FROM shop_offer WHERE environment = $1 AND code = $2`;
const CHANGES = statement<[number: number, code: string]>('list changed products of storefront')`
  SELECT number, code FROM shop_event WHERE environment = $1 AND number > $2 ORDER BY number LIMIT $3`;
const FIRST_CHANGE = statement<[number: number]>('find first change of storefront')`
  SELECT number FROM shop_event WHERE environment = $1 AND at_ms >= $2 ORDER BY at_ms, number LIMIT 1`;
const HAS_TERM = rowsStatement<[code: string]>('filter products by term')`
  SELECT code FROM shop_term WHERE environment = $1 AND term = $2 AND code = ANY ($3::text[])`;

export const readShopProduct = snapshot<StorefrontStore['readShopProduct']>(
  async (sql, environment, code, offers_max) => {
    const find = async (own: string) => (await sql.run(READ, [environment, own])).map(PRODUCT.of)[0];
    const product = (await find(code)) ?? (await find(await ownCode(sql, environment, code)));
    if (product === undefined) return undefined;
    const offers = (await sql.run(OFFERS, [environment, product.code, offers_max])).map(OFFER.of);
    const isFull = offers.length === offers_max;
    const [counted] = isFull ? await sql.run(COUNT_OFFERS, [environment, product.code]) : [];
    return { ...product, offers, offerCount: counted?.[0] ?? offers.length };
  },
);

export const readShopOffers = scan<StorefrontStore['readShopOffers']>(offersOf);

async function offersOf(sql: Sql, environment: Environment, codes: readonly string[], offers_max: number) {
  const slices = slicesOf(codes, SLICE_PRODUCTS);
  const rows = await Promise.all(slices.map((slice) => sql.run(OFFERS_OF_PAGE, [environment, slice, offers_max])));
  const byCode = Map.groupBy(rows.flat(), ([code]) => code);
  return new Map(Array.from(byCode, ([code, own]) => [code, own.map(([, ...offer]) => OFFER.of(offer))]));
}

export const hasShopOffer = read<StorefrontStore['hasShopOffer']>(
  async (sql, environment, code, { accountId, skuId }) => {
    return (await sql.run(HAS_OFFER, [environment, code, accountId, skuId])).length > 0;
  },
);

/** Returns the code of the product that has this one among its other codes; '' if there is none. */
async function ownCode(sql: Sql, environment: Environment, code: string): Promise<string> {
  const [found] = await sql.run(FIND, [environment, TERM.alias(code as CatalogCode), '', 1]);
  return found?.[0] ?? '';
}

export const listShopGroup = snapshot<StorefrontStore['listShopGroup']>(async (sql, environment, groupId, limit) => {
  const codes = (await sql.run(FIND, [environment, TERM.group(groupId), '', limit])).map(([code]) => code);
  return readMany(sql, environment, codes);
});

async function readMany(sql: Sql, environment: Environment, codes: readonly string[]): Promise<ShopProduct[]> {
  const rows = codes.length === 0 ? [] : await sql.run(READ_MANY, [environment, codes]);
  const byCode = new Map(rows.map(PRODUCT.of).map((product) => [String(product.code), product]));
  return codes.flatMap((code) => byCode.get(code) ?? []);
}

/**
 * Walks the products with the first term, or the log from a time on, and leaves out those without the other terms. A product is listed at
 * its last change only.
 */
export const listShopProducts = snapshot<StorefrontStore['listShopProducts']>(async (sql, environment, query) => {
  const { terms, updatedSinceMs, after, limit } = query;
  const [driving = TERM.any, ...filters] = terms;
  let position = after ?? '';
  if (updatedSinceMs !== undefined && after === undefined) {
    const [first] = await sql.run(FIRST_CHANGE, [environment, updatedSinceMs]);
    if (first === undefined) return { products: [], next: undefined };
    position = first[0] - 1;
  }
  const found: Place[] = [];
  for (let steps = 0; steps < STEPS_MAX && found.length <= limit; steps++) {
    const step = await (updatedSinceMs === undefined
      ? withTerm(sql, environment, driving, position)
      : changedAfter(sql, environment, position));
    const kept = updatedSinceMs === undefined ? step : await lastChanges(sql, environment, step);
    found.push(...(await withTerms(sql, environment, updatedSinceMs === undefined ? filters : terms, kept)));
    const last = step.at(-1);
    if (last === undefined || step.length < STEP_PRODUCTS) return pageOf(sql, environment, query, found, undefined);
    position = last.position;
  }
  return pageOf(sql, environment, query, found, position);
});

/** A product in the list. */
interface Place {
  readonly position: ShopProductPosition;
  readonly code: string;
}

async function withTerm(
  sql: Sql,
  environment: Environment,
  term: string,
  after: ShopProductPosition,
): Promise<Place[]> {
  return (await sql.run(FIND, [environment, term, after, STEP_PRODUCTS])).map(([code]) => ({ position: code, code }));
}

async function changedAfter(sql: Sql, environment: Environment, after: ShopProductPosition): Promise<Place[]> {
  return (await sql.run(CHANGES, [environment, after, STEP_PRODUCTS])).map(([position, code]) => ({ position, code }));
}

async function lastChanges(sql: Sql, environment: Environment, step: readonly Place[]): Promise<readonly Place[]> {
  const products = await readMany(sql, environment, [...new Set(step.map(({ code }) => code))]);
  const numbers = new Map(products.map(({ code, number }) => [String(code), number]));
  return step.filter(({ code, position }) => numbers.get(code) === position);
}

async function withTerms(
  sql: Sql,
  environment: Environment,
  terms: readonly string[],
  step: readonly Place[],
): Promise<readonly Place[]> {
  let left = step;
  for (const term of terms) {
    // Every product has this one.
    if (left.length === 0 || term === TERM.any) continue;
    const rows = await sql.run(HAS_TERM, [environment, term, left.map(({ code }) => code)]);
    const codes = new Set(rows.map(([code]) => code));
    left = left.filter(({ code }) => codes.has(code));
  }
  return left;
}

/** `end`: where the walk ended; undefined if it reached the end of the list. */
async function pageOf(
  sql: Sql,
  environment: Environment,
  { limit, offers_max }: ShopProductQuery,
  found: readonly Place[],
  end: ShopProductPosition | undefined,
): Promise<ShopProductPage> {
  const page = found.slice(0, limit);
  const next = found.length > limit ? page.at(-1)?.position : end;
  const codes = page.map(({ code }) => code);
  const products = await readMany(sql, environment, codes);
  const offers = await offersOf(sql, environment, codes, offers_max);
  return { products: products.map((product) => ({ ...product, offers: offers.get(product.code) ?? [] })), next };
}
