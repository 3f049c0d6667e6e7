/**
 * In charge of reads by full key. Each is one statement, and so sees one state of the database, whatever others commit
 * meanwhile; they share connections.
 */
import type { Status } from '../../../domain/vocabulary/statuses.ts';
import type {
  GroupUpload,
  InventoryReading,
  Lookup,
  NodePrice,
  OfferNumbers,
  ShownOffer,
  SkuKey,
  SkuState,
  StoredOffer,
  StoredPrice,
} from '../../port/offers.ts';
import type { StoredReview } from '../../port/review.ts';
import { statement } from '../../shared/sql.ts';
import type { Database } from '../engine/engine.ts';
import { nodeNumbers, stockNodeIds, storedInventory } from './stored-inventory.ts';

type GroupColumns = readonly [refinements: string, title: string | null, children: string | null];
type NoGroup = readonly [refinements: null, title: null, children: null];

const OF_KEY = 'FROM offer WHERE account_id = $1 AND sku_id = $2';

/** Null where the SKU is not the parent of a group; the children in order, as JSON text, null when there are none. */
const GROUP_COLUMNS = `group_refinements, group_title,
  CASE WHEN group_refinements IS NOT NULL THEN (
    SELECT json_agg(child.sku_id ORDER BY child.group_position) FROM offer child
    WHERE child.account_id = $1 AND child.group_parent = $2 AND child.group_position > 0
  ) END`;

const STATE = statement<[archived: boolean]>('read state', `SELECT archived ${OF_KEY}`);
type ShownColumns = readonly [
  document: string,
  archived: boolean,
  shipping: string | null,
  returns: string | null,
  ...group: GroupColumns | NoGroup,
];
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
    ...(readonly [status: Status, subStatuses: string] | readonly [null, null]),
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
const GROUP = statement<GroupColumns | NoGroup>('read group', `SELECT ${GROUP_COLUMNS} ${OF_KEY}`);

const NUMBERS = statement<
  [
    document: number,
    price: number | null,
    archived: number | null,
    shippingExceptions: number | null,
    returnLocations: number | null,
    group: number | null,
    zeroed: number,
    inventory: string,
  ]
>(
  'read numbers',
  `SELECT document_number, price_number, archive_number, shipping_number, returns_number, group_number,
     inventory_zeroed_number, inventory ${OF_KEY}`,
);

const NO_NODES: readonly NodePrice[] = Object.freeze([]);

export class OfferReads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async readSkuState({ accountId, skuId }: SkuKey): Promise<SkuState> {
    const [row] = await this.#database.readQuickly(STATE, [accountId, skuId]);
    if (row === undefined) return 'unknown';
    return row[0] ? 'archived' : 'open';
  }

  async readOffer({ accountId, skuId }: SkuKey): Promise<StoredOffer | undefined> {
    const [row] = await this.#database.readQuickly(OFFER, [accountId, skuId]);
    if (row === undefined) return undefined;
    const { 7: priced, 8: inGroup, 9: inventory, 10: evidence } = row;
    return { ...shownOf(row), priced, inGroup, stockNodeIds: stockNodeIds(inventory), evidence };
  }

  async readReviewedOffer({
    accountId,
    skuId,
  }: SkuKey): Promise<(ShownOffer & { verdict: StoredReview | null }) | undefined> {
    const [row] = await this.#database.readQuickly(REVIEWED_OFFER, [accountId, skuId]);
    if (row === undefined) return undefined;
    const { 7: status, 8: subStatuses, 9: rules, 10: mark } = row;
    const verdict =
      mark !== null || status === null || subStatuses === null || rules === null
        ? null
        : { status, subStatuses: JSON.parse(subStatuses), rules };
    return { ...shownOf(row), verdict };
  }

  async readPrice({ accountId, skuId }: SkuKey): Promise<Lookup<StoredPrice>> {
    const [row] = await this.#database.readQuickly(PRICE, [accountId, skuId]);
    if (row === undefined) return 'unknown';
    const [price, nodes, updatedMs] = row;
    if (price === null) return 'unset';
    return { price, nodes: nodes === '[]' ? NO_NODES : JSON.parse(nodes), updatedMs };
  }

  async readInventory({ accountId, skuId }: SkuKey): Promise<InventoryReading | undefined> {
    const [row] = await this.#database.readQuickly(INVENTORY, [accountId, skuId]);
    if (row === undefined) return undefined;
    const { nodes, stampMs } = storedInventory(...row);
    return { nodes, stampMs: nodes.length === 0 ? stampMs : null };
  }

  async readShippingExceptions({ accountId, skuId }: SkuKey): Promise<Lookup<string>> {
    const [row] = await this.#database.readQuickly(SHIPPING, [accountId, skuId]);
    if (row === undefined) return 'unknown';
    return row[0] ?? 'unset';
  }

  async readReturnLocations({ accountId, skuId }: SkuKey): Promise<Lookup<readonly string[]>> {
    const [row] = await this.#database.readQuickly(RETURNS, [accountId, skuId]);
    if (row === undefined) return 'unknown';
    return row[0] === null ? 'unset' : JSON.parse(row[0]);
  }

  async readGroup({ accountId, skuId }: SkuKey): Promise<Lookup<GroupUpload>> {
    const [row] = await this.#database.readQuickly(GROUP, [accountId, skuId]);
    if (row === undefined) return 'unknown';
    return row[0] === null ? 'unset' : groupOf(row);
  }

  async readNumbers({ accountId, skuId }: SkuKey): Promise<OfferNumbers | undefined> {
    const [row] = await this.#database.readQuickly(NUMBERS, [accountId, skuId]);
    if (row === undefined) return undefined;
    const [document, price, archived, shippingExceptions, returnLocations, group, zeroed, inventory] = row;
    return {
      document,
      price: price ?? 0,
      archived: archived ?? 0,
      shippingExceptions: shippingExceptions ?? 0,
      returnLocations: returnLocations ?? 0,
      group: group ?? 0,
      inventory: zeroed,
      nodes: nodeNumbers(inventory, zeroed),
    };
  }
}

function shownOf(row: readonly [...ShownColumns, ...unknown[]]): ShownOffer {
  const [document, archived, shippingExceptions, returns, refinements, title, children] = row;
  return {
    document,
    archived,
    shippingExceptions,
    returnLocationIds: returns === null ? null : JSON.parse(returns),
    group: refinements === null ? null : groupOf([refinements, title, children]),
  };
}

function groupOf([refinements, title, children]: GroupColumns): GroupUpload {
  return { refinements, title, childrenSkus: children === null ? [] : JSON.parse(children) };
}
