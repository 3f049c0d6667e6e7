/** Reads what background work projects: accounts with new events, their offers, and products that the operator corrected. */
import type { Environment, FulfillmentNode } from '../../../domain/account.ts';
import type { CatalogCode } from '../../../domain/review/product-code.ts';
import type { OfferSource } from '../../../domain/storefront/build-offer.ts';
import { EVENT_CODES } from '../../../domain/vocabulary/event-types.ts';
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { SkuKey } from '../../port/offers.ts';
import {
  type CorrectedProduct,
  PROJECTED_EVENTS,
  type ShopAccount,
  type StorefrontStore,
} from '../../port/storefront.ts';
import { keptWrite, scan } from '../command.ts';
import { type Flag, nodePrices, SQLITE_STOCK, storedInventory } from '../offers/offer-columns.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { engineStatement, insertStatement, rowsOf, rowsStatement, type Sql, statement, type WriteSql } from '../sql.ts';
import { ACCOUNT, accountRow } from './projection.ts';

type NodeRow = FulfillmentNode & { readonly accountId: number };
const NODE = columnsOf<NodeRow & { readonly nodeId: string }>({ methods: JSON_TEXT, levels: JSON_TEXT })(
  ...(['accountId', 'nodeId', 'rateKind', 'methods', 'levels'] as const),
);
const NODES = statement('list nodes of all accounts')`
  SELECT ${NODE.list} FROM fulfillment_node ORDER BY account_id, node_id`;
const ACCOUNTS = statement('list accounts of storefront')`SELECT ${ACCOUNT.list} FROM shop_account`;
const IS_DUE = "walk IS NOT NULL OR basis = ''";
const NEXT_EVENTS = PROJECTED_EVENTS.map(
  (type) => `EXISTS (
    SELECT 1 FROM event_batch e
    WHERE e.account_id = s.account_id AND e.type = ${EVENT_CODES[type]} AND e.number >= s.number)`,
);
/** On SQLite, writes number their events, so it reads an index entry for each type of event that changes offers. */
const WORK = engineStatement(
  'find work of storefront',
  `SELECT ${ACCOUNT.list} FROM shop_account WHERE (${IS_DUE} OR feed_end >= number)`,
  `SELECT ${ACCOUNT.list} FROM shop_account s
   WHERE ${[IS_DUE, ...NEXT_EVENTS].join(' OR ')}`,
);
const unnumberedText = (hint: string) => `SELECT DISTINCT account_id FROM event_batch ${hint} WHERE number IS NULL`;
/** SQLite would choose an index with all batches of all accounts. */
const UNNUMBERED = engineStatement<[accountId: number]>(
  'find accounts with unnumbered events',
  unnumberedText(''),
  unnumberedText('INDEXED BY event_batch_unnumbered'),
);
const NOTE_END = statement<[]>('note end of feed for storefront')`
  UPDATE shop_account SET feed_end = $2 WHERE account_id = $1`;
const BEGIN = insertStatement('begin walk of storefront', 'shop_account', ACCOUNT.names, 'REPLACE');
const DROP = statement<[]>('drop account of storefront')`DELETE FROM shop_account WHERE account_id = $1`;
const RESTART = statement<[]>('restart account of storefront')`
  UPDATE shop_account SET basis = '' WHERE account_id = $1`;

export const listShopNodes = scan<StorefrontStore['listShopNodes']>(
  rowsOf(NODES, (row) => {
    const { nodeId: id, ...node } = NODE.of(row);
    return { id, ...node };
  }),
);

export const listShopAccounts = scan<StorefrontStore['listShopAccounts']>(rowsOf(ACCOUNTS, accountOf));
export const findUnnumbered = scan<StorefrontStore['findUnnumbered']>(rowsOf(UNNUMBERED, ([accountId]) => accountId));
export const findShopWork = scan<StorefrontStore['findShopWork']>(rowsOf(WORK, accountOf));

function accountOf(row: readonly unknown[]): ShopAccount {
  const { number, events: count, ...account } = ACCOUNT.of(row);
  return { ...account, position: { number, count } };
}

export const beginShopWalk = keptWrite<StorefrontStore['beginShopWalk']>(async (sql, account) => {
  await sql.run(BEGIN, ACCOUNT.valuesOf(accountRow(account)));
});

export const dropShopAccount = keptWrite<StorefrontStore['dropShopAccount']>(async (sql, accountId) => {
  await sql.run(DROP, [accountId]);
});

/** Call it in the transaction that numbers events. */
export async function noteFeedEnd(sql: Sql, accountId: number, end: number): Promise<void> {
  await sql.run(NOTE_END, [accountId, end]);
}

/** Call it in the transaction that erases offers: no event tells of it. */
export async function restartShopAccount(sql: Sql, accountId: number): Promise<void> {
  await sql.run(RESTART, [accountId]);
}

type SourceRow = readonly [
  ...source: [skuId: string, document: string, archived: Flag, status: Status | null, categoryId: string | null],
  ...price: [price: number, nodes: string, updatedMs: number] | [null, null, null],
  ...stock: [stock: string, stampMs: number, zeroedNumber: number],
  ...rest: [exceptions: string | null, parent: string | null, title: string | null, refinements: string | null],
];
const SOURCES = rowsStatement<SourceRow>(
  'read offers for storefront',
  `SELECT o.sku_id, o.document, o.archived, o.review_status,
     (SELECT l.category_id FROM offer_listing l WHERE l.account_id = $1 AND l.sku_id = o.sku_id),
     o.price, o.price_nodes, o.price_updated_ms,
     o.inventory, o.inventory_stamp_ms, o.inventory_zeroed_number, o.shipping_exceptions,
     o.group_parent, parent.group_title, parent.group_refinements
   FROM unnest($2::text[]) AS i (sku_id)
   CROSS JOIN LATERAL (SELECT * FROM offer WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id LIMIT 1) AS o
   LEFT JOIN LATERAL (
     SELECT group_title, group_refinements FROM offer WHERE offer.account_id = $1 AND offer.sku_id = o.group_parent LIMIT 1
   ) AS parent ON true`,
  `SELECT s.sku_id, d.document, s.archived, r.status, l.category_id, p.price, p.nodes, p.updated_ms,
     ${SQLITE_STOCK}, s.inventory_stamp_ms, s.inventory_zeroed_number, e.exceptions, parent.sku_id, g.title, g.refinements
   FROM sku s
   CROSS JOIN sku_document d ON d.sku = s.id
   LEFT JOIN review r ON r.sku = s.id
   LEFT JOIN offer_listing l ON l.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   LEFT JOIN shipping_exception e ON e.sku = s.id
   LEFT JOIN variation_member m ON m.sku = s.id
   LEFT JOIN variation_group g ON g.parent = m.parent
   LEFT JOIN sku parent ON parent.id = m.parent
   WHERE s.account_id = $1 AND s.sku_id = $2`,
);

export const readOfferSources = scan<StorefrontStore['readOfferSources']>(
  { account: true },
  rowsOf(SOURCES, (row): OfferSource => {
    const [skuId, document, archived, status, categoryId, price, nodes, updatedMs, ...rest] = row;
    const [stock, stampMs, zeroedNumber, shippingExceptions, parentSkuId, title, refinements] = rest;
    return {
      skuId,
      document,
      archived: Boolean(archived),
      status,
      categoryId,
      price: price === null ? null : { price, nodes: nodePrices(nodes), updatedMs },
      stock: storedInventory(stock, stampMs, zeroedNumber).nodes,
      shippingExceptions,
      group: parentSkuId === null ? null : { parentSkuId, title, refinements: refinements ?? '[]' },
    };
  }),
);

const SHOWN = statement<[skuId: string]>('list offers in storefront')`
  SELECT sku_id FROM shop_sku WHERE account_id = $1 AND sku_id > $2 ORDER BY sku_id LIMIT $3`;
const MEMBERS = rowsStatement<[skuId: string]>(
  'read members of groups for storefront',
  'SELECT sku_id FROM offer WHERE account_id = $1 AND group_parent = ANY ($2::text[])',
  `SELECT child.sku_id FROM sku s JOIN variation_member m ON m.parent = s.id JOIN sku child ON child.id = m.sku
   WHERE s.account_id = $1 AND s.sku_id = $2`,
);
const SHOWN_MEMBERS = rowsStatement<[skuId: string]>('read shown members of groups')`
  SELECT sku_id FROM shop_sku WHERE account_id = $1 AND parent = ANY ($2::text[])`;

/** SKU ids are never empty. */
export const listShownSkus = scan<StorefrontStore['listShownSkus']>(async (sql, accountId, after, limit) => {
  return (await sql.run(SHOWN, [accountId, after ?? '', limit])).map(([skuId]) => skuId);
});

export const readGroupSkus = scan<StorefrontStore['readGroupSkus']>(async (sql, accountId, parents) => {
  const found = await Promise.all([MEMBERS, SHOWN_MEMBERS].map((members) => sql.run(members, [accountId, parents])));
  return [...new Set(found.flat().map(([skuId]) => skuId))];
});

const CORRECTION = columnsOf<CorrectedProduct>()('environment', 'code', 'number');
const NOTE = insertStatement('note correction for storefront', 'shop_correction', CORRECTION.names, 'REPLACE');
const CORRECTIONS = statement('read corrections for storefront')`
  SELECT ${CORRECTION.list} FROM shop_correction WHERE (environment, code) > ($1, $2)
  ORDER BY environment, code LIMIT $3`;
const DROP_CORRECTION = statement<[]>('drop correction for storefront')`
  DELETE FROM shop_correction WHERE environment = $1 AND code = $2 AND number = $3`;
const KEY = columnsOf<SkuKey>()('accountId', 'skuId');
const OF_PRODUCT = statement('list offers of product in storefront')`
  SELECT ${KEY.list} FROM shop_offer WHERE environment = $1 AND code = $2 AND (account_id, sku_id) > ($3, $4)
  ORDER BY account_id, sku_id LIMIT $5`;

/** Call it in the transaction of the correction. */
export async function noteShopCorrection(sql: WriteSql, environment: Environment, code: CatalogCode): Promise<void> {
  await sql.run(NOTE, [environment, code, await sql.drawNumber()]);
}

export const readShopCorrections = scan<StorefrontStore['readShopCorrections']>(async (sql, after, limit) => {
  return (await sql.run(CORRECTIONS, [after?.environment ?? '', after?.code ?? '', limit])).map(CORRECTION.of);
});

export const listShopOffers = scan<StorefrontStore['listShopOffers']>(async (sql, environment, code, after, limit) => {
  return (await sql.run(OF_PRODUCT, [environment, code, after?.accountId ?? 0, after?.skuId ?? '', limit])).map(KEY.of);
});

export const dropShopCorrection = keptWrite<StorefrontStore['dropShopCorrection']>(async (sql, correction) => {
  await sql.run(DROP_CORRECTION, CORRECTION.valuesOf(correction));
});
