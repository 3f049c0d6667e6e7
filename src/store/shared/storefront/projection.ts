/**
 * Stores the projection of the storefront. A call compares the offers with what is stored, writes the differences and logs them, and moves
 * the account, in one transaction. So a call that is repeated, or that comes from a process that lost its lease, changes nothing.
 */
import { randomBytes } from 'node:crypto';
import type { Environment } from '../../../domain/account.ts';
import { parseExactJson, stringifyExactJson } from '../../../domain/int64.ts';
import type { StorefrontOffer, StorefrontProduct } from '../../../domain/storefront/product.ts';
import { termsOf } from '../../../domain/storefront/terms.ts';
import {
  PROJECTED_OFFERS_MAX,
  type ProjectedOffer,
  type ShopAccount,
  type StorefrontStore,
} from '../../port/storefront.ts';
import { undone, write } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { insertStatement, listsOf, rowsStatement, statement, type WriteSql } from '../sql.ts';

/** The key of an environment's advisory lock is this, plus one for live. */
const LOCK_KEYS = 2 ** 41;
const TAG_BYTES = 6;
/** A product has the codes of this many offers, so that a change of one does not read all. */
const SOURCES_MAX = 50;

/** A row of shop_account. */
interface AccountRow extends Omit<ShopAccount, 'position'> {
  readonly number: number;
  readonly events: number;
}

export const ACCOUNT = columnsOf<AccountRow>({ walk: JSON_TEXT })(
  ...(['accountId', 'environment', 'basis', 'tag', 'number', 'events', 'walk'] as const),
);

export function accountRow({ position, ...account }: ShopAccount): AccountRow {
  return { ...account, number: position.number, events: position.count };
}

/** A row of shop_offer, with the parent in shop_sku. */
interface OfferRow {
  readonly code: string;
  readonly skuId: string;
  readonly parent: string | null;
  readonly sinceMs: number;
  readonly total: number;
  readonly quantity: number;
  readonly pack: number;
  /** JSON text of a StorefrontOffer. */
  readonly shown: string;
  readonly product: string;
}

const OFFER = columnsOf<Omit<OfferRow, 'parent'>>()(
  ...(['code', 'skuId', 'sinceMs', 'total', 'quantity', 'pack', 'shown', 'product'] as const),
);
const OF_ACCOUNT = ['environment', 'account_id'];
const FIND_SKUS = rowsStatement<[skuId: string, code: string, parent: string | null]>('find SKUs in storefront')`
  SELECT sku_id, code, parent FROM shop_sku WHERE account_id = $1 AND sku_id = ANY ($2::text[])`;
const PUT_SKUS = insertStatement('put SKUs in storefront', 'shop_sku', ['account_id'], 'REPLACE', [
  'sku_id',
  'code',
  'parent',
]);
const DROP_SKUS = rowsStatement<[]>('drop SKUs from storefront')`
  DELETE FROM shop_sku WHERE account_id = $1 AND sku_id = ANY ($2::text[])`;
const FIND_OFFERS = rowsStatement('find offers in storefront')`
  SELECT ${OFFER.list} FROM shop_offer
  WHERE environment = $1 AND account_id = $2 AND code = ANY ($3::text[]) AND sku_id = ANY ($4::text[])`;
const PUT_OFFERS = insertStatement('put offers in storefront', 'shop_offer', OF_ACCOUNT, 'REPLACE', OFFER.names);
const DROP_OFFERS = rowsStatement<[]>('drop offers from storefront')`
  DELETE FROM shop_offer USING unnest($3::text[], $4::text[]) AS i (code, sku_id)
  WHERE shop_offer.environment = $1 AND shop_offer.account_id = $2 AND shop_offer.code = ANY ($3::text[])
    AND shop_offer.code = i.code AND shop_offer.sku_id = i.sku_id`;
const MOVE = statement<[one: number]>('move account of storefront')`
  UPDATE shop_account SET tag = $2, number = $3, events = $4, walk = $5
  WHERE account_id = $1 AND basis = $6 AND tag = $7 AND number = $8 AND events = $9
    AND coalesce(walk, '') = coalesce(CAST($10 AS text), '') RETURNING 1`;
/** The offer that describes the product comes first: the one that has been on sale longest. The product has the codes of the others too. */
const SOURCES = statement<[product: string]>('find sources of product in storefront')`
  SELECT product FROM shop_offer WHERE environment = $1 AND code = $2
  ORDER BY since_ms, account_id, sku_id LIMIT ${SOURCES_MAX}`;
const FIND_PRODUCTS = rowsStatement<[code: string, product: string]>('find products in storefront')`
  SELECT code, product FROM shop_product WHERE environment = $1 AND code = ANY ($2::text[])`;
const PRODUCT = ['code', 'updated_ms', 'number', 'product'];
const PUT_PRODUCTS = insertStatement('put products in storefront', 'shop_product', ['environment'], 'REPLACE', PRODUCT);
const DROP_PRODUCTS = rowsStatement<[]>('drop products from storefront')`
  DELETE FROM shop_product WHERE environment = $1 AND code = ANY ($2::text[])`;
const ADD_TERMS = insertStatement('add terms', 'shop_term', ['environment'], 'DO NOTHING', ['term', 'code']);
const DROP_TERMS = rowsStatement<[]>('drop terms')`
  DELETE FROM shop_term USING unnest($2::text[], $3::text[]) AS i (term, code)
  WHERE shop_term.environment = $1 AND shop_term.term = ANY ($2::text[])
    AND shop_term.term = i.term AND shop_term.code = i.code`;
const OPEN_FEED = insertStatement(
  'open storefront feed',
  'shop_feed',
  ['environment', 'tag', 'last', 'dropped'],
  'DO NOTHING',
);
const ADVANCE = statement<[last: number]>('advance storefront feed')`
  UPDATE shop_feed SET last = last + $2 WHERE environment = $1 RETURNING last`;
const EVENT = ['number', 'code', 'body'];
const ADD_EVENTS = insertStatement('add storefront events', 'shop_event', ['environment', 'at_ms'], '', EVENT);

/** The changes that a call makes to a product. */
interface ProductChange {
  readonly put: OfferRow[];
  readonly dropped: OfferRow[];
  /** Whether another offer may now describe the product, or its current source changed the description. */
  isDescribedAnew: boolean;
}

/** Until the transaction ends, no other one changes the storefront of the environment. */
export async function lockStorefront(sql: WriteSql, environment: Environment): Promise<void> {
  await sql.lock(LOCK_KEYS + Number(environment === 'live'));
}

export const projectOffers = write<StorefrontStore['projectOffers']>(
  { lane: 'background' },
  async (sql, from, to, offers, nowMs) => {
    if (offers.length > PROJECTED_OFFERS_MAX) throw new Error(`${offers.length} offers are too many for one call.`);
    const { accountId, environment } = from;
    await lockStorefront(sql, environment);
    const [, , , ...next] = ACCOUNT.valuesOf(accountRow(to));
    const [, , basis, ...last] = ACCOUNT.valuesOf(accountRow(from));
    if ((await sql.run(MOVE, [accountId, ...next, basis, ...last])).length === 0) return undone('overtaken');
    const changes = differences(offers, await readOffers(sql, from, offers), nowMs);
    const all = [...changes.values()];
    const put = all.flatMap((change) => change.put);
    const dropped = all.flatMap((change) => change.dropped);
    const gone = dropped.filter(({ skuId }) => !put.some((row) => row.skuId === skuId));
    const owner = [environment, accountId];
    if (dropped.length > 0) await sql.run(DROP_OFFERS, [...owner, ...listsOf(dropped, 'code', 'skuId')]);
    if (gone.length > 0) await sql.run(DROP_SKUS, [accountId, ...listsOf(gone, 'skuId')]);
    if (put.length > 0) {
      await sql.run(PUT_OFFERS, [...owner, ...OFFER.listsOf(put)]);
      await sql.run(PUT_SKUS, [accountId, ...listsOf(put, 'skuId', 'code', 'parent')]);
    }
    if (changes.size > 0) await changeProducts(sql, environment, changes, nowMs);
    return 'stored';
  },
);

/** Returns the stored offers by SKU. */
async function readOffers(
  sql: WriteSql,
  { accountId, environment }: ShopAccount,
  offers: readonly ProjectedOffer[],
): Promise<ReadonlyMap<string, OfferRow>> {
  if (offers.length === 0) return new Map();
  const skus = await sql.run(FIND_SKUS, [accountId, offers.map(({ skuId }) => skuId)]);
  if (skus.length === 0) return new Map();
  const keys = [skus.map(([, code]) => code), skus.map(([skuId]) => skuId)];
  const rows = await sql.run(FIND_OFFERS, [environment, accountId, ...keys]);
  const parents = new Map(skus.map(([skuId, , parent]) => [skuId, parent]));
  return new Map(
    rows.map((row) => {
      const offer = OFFER.of(row);
      return [offer.skuId, { ...offer, parent: parents.get(offer.skuId) ?? null }];
    }),
  );
}

/** Returns the changes by product code, in order of code, so that rows are locked in one order. */
function differences(
  offers: readonly ProjectedOffer[],
  stored: ReadonlyMap<string, OfferRow>,
  nowMs: number,
): ReadonlyMap<string, ProductChange> {
  const changes = new Map<string, ProductChange>();
  const changeOf = (code: string) => {
    const change = changes.get(code) ?? { put: [], dropped: [], isDescribedAnew: false };
    changes.set(code, change);
    return change;
  };
  for (const { skuId, shown } of offers) {
    const old = stored.get(skuId);
    const isMoved = old?.code !== shown?.code;
    if (old !== undefined && isMoved) {
      const left = changeOf(old.code);
      left.dropped.push(old);
      left.isDescribedAnew = true;
    }
    if (shown === null) continue;
    const isSame = old?.shown === shown.offer && old.product === shown.product && old.parent === shown.parent;
    if (!isMoved && isSame) continue;
    const change = changeOf(shown.code);
    const { offer, ...row } = shown;
    const { quantity, multipack_quantity: pack } = JSON.parse(offer) as StorefrontOffer;
    change.put.push({ ...row, quantity, pack, shown: offer, skuId, sinceMs: old?.sinceMs ?? nowMs });
    if (isMoved || old?.product !== shown.product) change.isDescribedAnew = true;
  }
  return new Map([...changes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function changeProducts(
  sql: WriteSql,
  environment: Environment,
  changes: ReadonlyMap<string, ProductChange>,
  nowMs: number,
): Promise<void> {
  const codes = [...changes.keys()];
  const before = new Map(await sql.run(FIND_PRODUCTS, [environment, codes]));
  const described = codes.filter((code) => changes.get(code)?.isDescribedAnew);
  const sources = await Promise.all(described.map((code) => sql.run(SOURCES, [environment, code])));
  // Keeps undefined for a product without offers.
  const after = new Map<string, string | undefined>(before);
  for (const [index, code] of described.entries()) after.set(code, describedBy(sources[index] ?? []));
  await changeTerms(sql, environment, described, before, after);
  await sql.run(OPEN_FEED, [environment, randomBytes(TAG_BYTES).toString('hex'), 0, 0]);
  const [advanced] = await sql.run(ADVANCE, [environment, codes.length]);
  const first = (advanced?.[0] ?? 0) - codes.length + 1;
  const events = codes.map((code, index) => {
    const product = after.get(code);
    const body = eventBody(changes.get(code), product === before.get(code) ? undefined : (product ?? 'null'));
    return { number: first + index, code, product, body };
  });
  const numbers = events.map(({ number }) => number);
  await sql.run(ADD_EVENTS, [environment, nowMs, numbers, codes, events.map(({ body }) => body)]);
  const kept = events.filter(({ product }) => product !== undefined);
  const texts = [kept.map(({ number }) => number), kept.map(({ product }) => product)];
  if (kept.length > 0) {
    await sql.run(PUT_PRODUCTS, [environment, kept.map(({ code }) => code), kept.map(() => nowMs), ...texts]);
  }
  const gone = codes.filter((code) => after.get(code) === undefined);
  if (gone.length > 0) await sql.run(DROP_PRODUCTS, [environment, gone]);
}

/** Returns the product as JSON text; undefined without sources. */
function describedBy([source, ...others]: readonly (readonly [product: string])[]): string | undefined {
  if (source === undefined || others.length === 0) return source?.[0];
  const product = parseExactJson(source[0]) as StorefrontProduct;
  const codes = new Set(product.codes);
  for (const [other] of others) for (const code of (JSON.parse(other) as StorefrontProduct).codes) codes.add(code);
  return codes.size === product.codes.length ? source[0] : stringifyExactJson({ ...product, codes: [...codes] });
}

type Texts = ReadonlyMap<string, string | undefined>;

async function changeTerms(
  sql: WriteSql,
  environment: Environment,
  codes: readonly string[],
  before: Texts,
  after: Texts,
): Promise<void> {
  const added: [term: string, code: string][] = [];
  const dropped: typeof added = [];
  for (const code of codes) {
    const [old, now] = [termsIn(before.get(code)), termsIn(after.get(code))];
    for (const term of now.difference(old)) added.push([term, code]);
    for (const term of old.difference(now)) dropped.push([term, code]);
  }
  for (const [change, terms] of [
    [DROP_TERMS, dropped],
    [ADD_TERMS, added],
  ] as const) {
    if (terms.length === 0) continue;
    await sql.run(change, [environment, terms.map(([term]) => term), terms.map(([, code]) => code)]);
  }
}

function termsIn(product: string | undefined): Set<string> {
  return new Set(product === undefined ? [] : termsOf(parseExactJson(product) as StorefrontProduct));
}

/** `product` is JSON text: `null` if the product has no offers left; undefined if it did not change. */
function eventBody({ put = [], dropped = [] }: Partial<ProductChange> = {}, product: string | undefined): string {
  const removed = dropped.map(({ shown }) => {
    const { merchant_id, merchant_sku } = JSON.parse(shown) as StorefrontOffer;
    return { merchant_id, merchant_sku };
  });
  const changed = put.map(({ shown }) => shown).join();
  const own = `"offers_changed":[${changed}],"offers_removed":${JSON.stringify(removed)}`;
  return product === undefined ? `{${own}}` : `{"product":${product},${own}}`;
}
