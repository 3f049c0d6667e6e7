/**
 * Reads an offer by its key: defines the statement for each engine, and the meaning of its row. Each read is one statement, so it sees one
 * snapshot. The read of the stock alone is not included, because each engine stores stock in its own form.
 */
import type { Awaitable } from '../../../domain/awaitable.ts';
import type { ShownOffer, StoredPrice } from '../../../domain/offers/part.ts';
import { type SkuState, skuState } from '../../../domain/offers/write-state.ts';
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type { Lookup, SkuKey, StoredOffer, StoredReview, WholeOffer } from '../../port/offers.ts';
import { engineStatement, type Statement } from '../sql.ts';
import { CLEARABLE_COLUMNS, SQLITE_CLEARABLE_COLUMNS, SQLITE_CLEARABLE_TABLES } from './clearable-parts.ts';
import {
  evidenceIn,
  type Flag,
  nodePrices,
  type ShownColumns,
  SQLITE_GROUP_COLUMNS,
  SQLITE_IN_GROUP,
  SQLITE_STOCK,
  SQLITE_STOCK_NODES,
  shownOf,
  stockNodeIds,
  storedInventory,
  verdictOf,
} from './offer-columns.ts';

/** `of` gets no row if the SKU was never uploaded. */
export interface KeyRead<Row extends readonly unknown[], Result> {
  readonly statement: Statement<Row>;
  of(row: Row | undefined): Result;
}

function keyRead<Row extends readonly unknown[], Result>(
  name: string,
  columns: string,
  sqliteText: string,
  of: (row: Row | undefined) => Result,
): KeyRead<Row, Result> {
  const text = `SELECT ${columns} FROM offer o WHERE o.account_id = $1 AND o.sku_id = $2`;
  return { statement: engineStatement(name, text, `${sqliteText} WHERE s.account_id = $1 AND s.sku_id = $2`), of };
}

/** Null unless the SKU is the parent of a group. The children are JSON text in order, null if there are none. */
const GROUP_COLUMNS = `group_refinements, group_title,
  CASE WHEN group_refinements IS NOT NULL THEN (
    SELECT json_agg(child.sku_id ORDER BY child.group_position) FROM offer child
    WHERE child.account_id = $1 AND child.group_parent = $2 AND child.group_position > 0
  ) END`;
const SHOWN_COLUMNS = `document, document_tag, archived, ${GROUP_COLUMNS}`;
const SQLITE_SHOWN_COLUMNS = `d.document, d.tag, s.archived, ${SQLITE_GROUP_COLUMNS}`;
const SQLITE_SHOWN_TABLES = `
  FROM sku s
  JOIN sku_document d ON d.sku = s.id
  ${SQLITE_CLEARABLE_TABLES}
  LEFT JOIN variation_group g ON g.parent = s.id
  LEFT JOIN review v ON v.sku = s.id`;

export const READ_REVIEWED = keyRead(
  'read reviewed offer',
  `${SHOWN_COLUMNS}, review_status, review_sub_statuses, review_rules, review_mark IS NOT NULL${CLEARABLE_COLUMNS}`,
  `SELECT ${SQLITE_SHOWN_COLUMNS}, v.status, v.sub_statuses, v.rules,
     EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id)${SQLITE_CLEARABLE_COLUMNS} ${SQLITE_SHOWN_TABLES}`,
  reviewedOf,
);

const READS = {
  readSkuState: keyRead('read state', 'archived', 'SELECT s.archived FROM sku s', stateOf),
  readOffer: keyRead(
    'read offer',
    `${SHOWN_COLUMNS}, price IS NOT NULL, group_parent IS NOT NULL, inventory, review_evidence${CLEARABLE_COLUMNS}`,
    `SELECT ${SQLITE_SHOWN_COLUMNS}, EXISTS (SELECT 1 FROM price p WHERE p.sku = s.id), ${SQLITE_IN_GROUP},
       ${SQLITE_STOCK_NODES}, v.evidence${SQLITE_CLEARABLE_COLUMNS} ${SQLITE_SHOWN_TABLES}`,
    offerOf,
  ),
  readReviewedOffer: READ_REVIEWED,
  readWholeOffer: keyRead(
    'read whole offer',
    `${SHOWN_COLUMNS}, review_status, review_sub_statuses, review_rules, review_mark IS NOT NULL,
     group_parent IS NOT NULL, review_evidence, price, price_nodes, price_updated_ms,
     inventory, inventory_stamp_ms, inventory_zeroed_number${CLEARABLE_COLUMNS}`,
    `SELECT ${SQLITE_SHOWN_COLUMNS}, v.status, v.sub_statuses, v.rules,
       EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id), ${SQLITE_IN_GROUP}, v.evidence, p.price, p.nodes,
       p.updated_ms, ${SQLITE_STOCK}, s.inventory_stamp_ms, s.inventory_zeroed_number${SQLITE_CLEARABLE_COLUMNS}
       ${SQLITE_SHOWN_TABLES} LEFT JOIN price p ON p.sku = s.id`,
    wholeOf,
  ),
  readPrice: keyRead(
    'read price',
    'price, price_nodes, price_updated_ms',
    'SELECT p.price, p.nodes, p.updated_ms FROM sku s LEFT JOIN price p ON p.sku = s.id',
    priceOf,
  ),
};

function stateOf(row: readonly [archived: Flag] | undefined): SkuState {
  return skuState(row && Boolean(row[0]));
}

/** Rows end with the texts of the parts that can be cleared. */
const CLEARABLE_FROM = 10;

type OfferRow = readonly [
  ...ShownColumns,
  priced: Flag,
  inGroup: Flag,
  stockNodes: string,
  evidence: string | null,
  ...clearable: unknown[],
];

function offerOf(row: OfferRow | undefined): StoredOffer | undefined {
  if (row === undefined) return undefined;
  const { 6: priced, 7: inGroup, 8: stockNodes, 9: evidence } = row;
  return {
    ...shownOf(row, CLEARABLE_FROM),
    priced: Boolean(priced),
    inGroup: Boolean(inGroup),
    stockNodeIds: stockNodeIds(stockNodes),
    evidence: evidenceIn(evidence),
  };
}

type VerdictColumns = readonly [status: Status | null, subStatuses: string | null, rules: string | null, isDue: Flag];
type ReviewedRow = readonly [...ShownColumns, ...VerdictColumns, ...clearable: unknown[]];

function reviewedOf(row: ReviewedRow | undefined): (ShownOffer & { verdict: StoredReview | null }) | undefined {
  if (row === undefined) return undefined;
  const { 6: status, 7: subStatuses, 8: rules, 9: isDue } = row;
  return { ...shownOf(row, CLEARABLE_FROM), verdict: verdictOf(Boolean(isDue), status, subStatuses, rules) };
}

type WholeRow = readonly [
  ...ShownColumns,
  ...VerdictColumns,
  inGroup: Flag,
  evidence: string | null,
  ...price: PriceRow,
  ...stock: Parameters<typeof storedInventory>,
  ...clearable: unknown[],
];

function wholeOf(row: WholeRow | undefined): WholeOffer | undefined {
  if (row === undefined) return undefined;
  const { 6: status, 7: subStatuses, 8: rules, 9: isDue, 10: inGroup, 11: evidence } = row;
  const price = priceOf(row.slice(12, 15) as unknown as PriceRow);
  const { nodes, stampMs } = storedInventory(...(row.slice(15, 18) as Parameters<typeof storedInventory>));
  return {
    ...shownOf(row, 18),
    verdict: verdictOf(Boolean(isDue), status, subStatuses, rules),
    inGroup: Boolean(inGroup),
    evidence: evidenceIn(evidence),
    price,
    priced: price !== 'unset',
    inventory: { nodes, stampMs: nodes.length === 0 ? stampMs : null },
    stockNodeIds: nodes.map(({ fulfillment_node_id }) => fulfillment_node_id),
  };
}

type PriceRow = readonly [price: number, nodes: string, updatedMs: number] | readonly [null, null, null];

function priceOf(row: PriceRow | undefined): Lookup<StoredPrice> {
  if (row === undefined) return 'unknown';
  const [price, nodes, updatedMs] = row;
  return price === null ? 'unset' : { price, nodes: nodePrices(nodes), updatedMs };
}

type Reads = {
  readonly [Name in keyof typeof READS]: (key: SkuKey) => Awaitable<ReturnType<(typeof READS)[Name]['of']>>;
};

/** Returns the methods of the port; `methodOf` returns how an engine runs a read. */
export function readsByKey(methodOf: (read: KeyRead<readonly unknown[], unknown>) => (key: SkuKey) => unknown): Reads {
  return Object.fromEntries(Object.entries(READS).map(([name, read]) => [name, methodOf(read as never)])) as Reads;
}
