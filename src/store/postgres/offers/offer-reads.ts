/** Reads offers by key. Each read is one statement, so it sees one state of the database, and runs on a shared connection. */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type {
  GroupUpload,
  InventoryReading,
  Lookup,
  NodePrice,
  ShownOffer,
  SkuKey,
  SkuState,
  StoredOffer,
  StoredPrice,
} from '../../port/offers.ts';
import type { StoredReview } from '../../port/review.ts';
import {
  type GroupColumns,
  groupOf,
  type ShownColumns,
  shownOf,
  stockNodeIds,
  storedInventory,
  verdictOf,
} from '../../shared/offer-columns.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import type { Database } from '../engine/engine.ts';

/** The database, or a transaction of it. */
export type QuickReads = Pick<Database, 'readQuickly'>;

const OF_KEY = 'FROM offer WHERE account_id = $1 AND sku_id = $2';

/** Null unless the SKU is the parent of a group. The children are JSON text in order, null if there are none. */
const GROUP_COLUMNS = `group_refinements, group_title,
  CASE WHEN group_refinements IS NOT NULL THEN (
    SELECT json_agg(child.sku_id ORDER BY child.group_position) FROM offer child
    WHERE child.account_id = $1 AND child.group_parent = $2 AND child.group_position > 0
  ) END`;

const STATE = statement<[archived: boolean]>('read state', `SELECT archived ${OF_KEY}`);
const SHOWN_COLUMNS = `document, archived, shipping_exceptions, return_location_ids, ${GROUP_COLUMNS}`;

const OFFER = statement<
  readonly [...ShownColumns, priced: boolean, inGroup: boolean, inventory: string, evidence: string | null]
>(
  'read offer',
  `SELECT ${SHOWN_COLUMNS}, price IS NOT NULL, group_parent IS NOT NULL, inventory, review_evidence ${OF_KEY}`,
);
const REVIEWED_OFFER = statement<
  readonly [
    ...ShownColumns,
    status: Status | null,
    subStatuses: string | null,
    rules: string | null,
    mark: number | null,
  ]
>(
  'read reviewed offer',
  `SELECT ${SHOWN_COLUMNS}, review_status, review_sub_statuses, review_rules, review_mark ${OF_KEY}`,
);
const PRICE = statement<readonly [price: number, nodes: string, updatedMs: number] | readonly [null, null, null]>(
  'read price',
  `SELECT price, price_nodes, price_updated_ms ${OF_KEY}`,
);
const INVENTORY = statement<[inventory: string, stampMs: number, zeroedNumber: number]>(
  'read inventory',
  `SELECT inventory, inventory_stamp_ms, inventory_zeroed_number ${OF_KEY}`,
);
const SHIPPING = statement<[exceptions: string | null]>('read shipping', `SELECT shipping_exceptions ${OF_KEY}`);
const RETURNS = statement<[locationIds: string | null]>('read returns', `SELECT return_location_ids ${OF_KEY}`);
const GROUP = statement<GroupColumns>('read group', `SELECT ${GROUP_COLUMNS} ${OF_KEY}`);

const NO_NODES: readonly NodePrice[] = Object.freeze([]);

export async function readSkuState(database: QuickReads, key: SkuKey): Promise<SkuState> {
  const row = await readRow(database, STATE, key);
  if (row === undefined) return 'unknown';
  return row[0] ? 'archived' : 'open';
}

export async function readOffer(database: QuickReads, key: SkuKey): Promise<StoredOffer | undefined> {
  const row = await readRow(database, OFFER, key);
  if (row === undefined) return undefined;
  const { 7: priced, 8: inGroup, 9: inventory, 10: evidence } = row;
  return { ...shownOf(row), priced, inGroup, stockNodeIds: stockNodeIds(inventory), evidence };
}

export async function readReviewedOffer(
  database: QuickReads,
  key: SkuKey,
): Promise<(ShownOffer & { verdict: StoredReview | null }) | undefined> {
  const row = await readRow(database, REVIEWED_OFFER, key);
  if (row === undefined) return undefined;
  const { 7: status, 8: subStatuses, 9: rules, 10: mark } = row;
  return { ...shownOf(row), verdict: verdictOf(mark !== null, status, subStatuses, rules) };
}

export async function readPrice(database: QuickReads, key: SkuKey): Promise<Lookup<StoredPrice>> {
  const row = await readRow(database, PRICE, key);
  return lookup(row, ([price, nodes, updatedMs]) => {
    return price === null ? null : { price, nodes: nodes === '[]' ? NO_NODES : JSON.parse(nodes), updatedMs };
  });
}

export async function readInventory(database: QuickReads, key: SkuKey): Promise<InventoryReading | undefined> {
  const row = await readRow(database, INVENTORY, key);
  if (row === undefined) return undefined;
  const { nodes, stampMs } = storedInventory(...row);
  return { nodes, stampMs: nodes.length === 0 ? stampMs : null };
}

export async function readShippingExceptions(database: QuickReads, key: SkuKey): Promise<Lookup<string>> {
  return lookup(await readRow(database, SHIPPING, key), ([exceptions]) => exceptions);
}

export async function readReturnLocations(database: QuickReads, key: SkuKey): Promise<Lookup<readonly string[]>> {
  const row = await readRow(database, RETURNS, key);
  return lookup(row, ([locationIds]) => (locationIds === null ? null : JSON.parse(locationIds)));
}

export async function readGroup(database: QuickReads, key: SkuKey): Promise<Lookup<GroupUpload>> {
  return lookup(await readRow(database, GROUP, key), groupOf);
}

async function readRow<Row extends readonly unknown[]>(
  database: QuickReads,
  statement: Statement<Row>,
  { accountId, skuId }: SkuKey,
): Promise<Row | undefined> {
  const [row] = await database.readQuickly(statement, [accountId, skuId]);
  return row;
}

/** `partOf` returns null if the part was never sent. */
function lookup<Row, Part>(row: Row | undefined, partOf: (row: Row) => Part | null): Lookup<Part> {
  return row === undefined ? 'unknown' : (partOf(row) ?? 'unset');
}
