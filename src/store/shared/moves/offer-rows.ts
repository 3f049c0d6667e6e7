/** Reads whole offers and groups, and numbers the parts of imported offers. Each engine writes them (whole-offers.ts). */
import type { OfferRecord } from '../../../domain/export/records.ts';
import type { StoredPrice } from '../../../domain/offers/part.ts';
import { CLEARABLE_PARTS } from '../../../domain/vocabulary/offer-parts.ts';
import type { CopiedGroup, CopiedMembership, CopiedOffer } from '../../port/copy.ts';
import type { OfferNumbers, SkuKey } from '../../port/offers.ts';
import { snapshot } from '../command.ts';
import {
  CLEARABLE_COLUMNS,
  CLEARABLE_STORAGE,
  clearableIn,
  ofEachClearable,
  SQLITE_CLEARABLE_COLUMNS,
  SQLITE_CLEARABLE_TABLES,
} from '../offers/clearable-parts.ts';
import { nodeNumbers, SQLITE_CHILDREN, SQLITE_STOCK, storedInventory } from '../offers/offer-columns.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { engineStatement, numberOf, type Sql } from '../sql.ts';
import type { NewOffer } from './engine.ts';

type Numbers = CopiedOffer['numbers'];

const RECORD = columnsOf<OfferRecord>({ archived: FLAG })(
  ...(['skuId', 'archived', 'firstUploadMs', 'document', 'documentUpdatedMs'] as const),
);
const PRICE = columnsOf<StoredPrice>({ nodes: JSON_TEXT })('price', 'nodes', 'updatedMs');
const MEMBERSHIP = columnsOf<CopiedMembership>()('parentSkuId', 'parentOrder', 'position', 'refinements', 'title');
const NUMBERS = columnsOf<Numbers>()(
  ...(['sku', 'price', 'archive', 'variation', 'inventory', ...CLEARABLE_PARTS] as const),
);
/**
 * `parts` has the columns of RECORD, PRICE, MEMBERSHIP and NUMBERS, in this order, then the texts of the parts that can be cleared. Columns
 * of parts that an offer lacks are null.
 */
type OfferRow = readonly [order: number, stock: string, stampMs: number, ...parts: unknown[]];

const COUNT = engineStatement<[offers: number]>(
  'count whole offers',
  'SELECT count(*) FROM offer WHERE account_id = $1',
  'SELECT count(*) FROM sku INDEXED BY sku_by_account WHERE account_id = $1',
);
const LAST = engineStatement<[order: number | null]>(
  'find last offer',
  'SELECT max(upload_order) FROM offer WHERE account_id = $1',
  'SELECT max(id) FROM sku INDEXED BY sku_by_account WHERE account_id = $1',
);
export const FIND_ORDER = engineStatement<[order: number]>(
  'find order of offer',
  'SELECT upload_order FROM offer WHERE account_id = $1 AND sku_id = $2',
  'SELECT id FROM sku WHERE account_id = $1 AND sku_id = $2',
);
const READ = engineStatement<OfferRow>(
  'read whole offers',
  `SELECT o.upload_order, o.inventory, o.inventory_stamp_ms,
     o.sku_id, o.archived, o.first_upload_ms, o.document, o.document_updated_ms,
     o.price, o.price_nodes, o.price_updated_ms,
     o.group_parent, parent.upload_order, o.group_position, o.group_refinements, o.group_title,
     o.document_number, coalesce(o.price_number, 0), coalesce(o.archive_number, 0), coalesce(o.variation_number, 0),
     o.inventory_zeroed_number${CLEARABLE_STORAGE.map(({ number }) => `, coalesce(o.${number}, 0)`).join('')}${CLEARABLE_COLUMNS}
   FROM offer o LEFT JOIN offer parent ON parent.account_id = $1 AND parent.sku_id = o.group_parent
   WHERE o.account_id = $1 AND o.upload_order > $2 ORDER BY o.upload_order LIMIT $3`,
  `SELECT s.id, ${SQLITE_STOCK}, s.inventory_stamp_ms,
     s.sku_id, s.archived, s.first_upload_ms, d.document, d.updated_ms,
     p.price, p.nodes, p.updated_ms,
     parent.sku_id, m.parent, m.position, g.refinements, g.title,
     d.number, ifnull(p.number, 0), s.archive_number, s.variation_number,
     s.inventory_zeroed_number${CLEARABLE_STORAGE.map(({ number }) => `, s.${number}`).join('')}${SQLITE_CLEARABLE_COLUMNS}
   FROM sku s INDEXED BY sku_by_account
   JOIN sku_document d ON d.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   ${SQLITE_CLEARABLE_TABLES}
   LEFT JOIN variation_member m ON m.sku = s.id
   LEFT JOIN sku parent ON parent.id = m.parent
   LEFT JOIN variation_group g ON g.parent = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);
type GroupRow = [order: number, skuId: string, refinements: string, title: string | null, children: string | null];
const READ_GROUPS = engineStatement<GroupRow>(
  'read whole groups',
  `SELECT p.upload_order, p.sku_id, p.group_refinements, p.group_title,
     (SELECT json_agg(c.sku_id ORDER BY c.group_position) FROM offer c
      WHERE c.account_id = $1 AND c.group_parent = p.sku_id AND c.group_position > 0)
   FROM offer p
   WHERE p.account_id = $1 AND p.upload_order > $2 AND p.group_parent IS NOT NULL AND p.group_position = 0
   ORDER BY p.upload_order LIMIT $3`,
  `SELECT s.id, s.sku_id, g.refinements, g.title, ${SQLITE_CHILDREN}
   FROM sku s INDEXED BY sku_by_account JOIN variation_group g ON g.parent = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);

export const countOffers: (sql: Sql, accountId: number) => Promise<number> = numberOf(COUNT);

/** Returns the upload order of the last offer; 0 if there is none. */
export const readLastOffer: (sql: Sql, accountId: number) => Promise<number> = numberOf(LAST);

/** Returns the next offers after `after`, in upload order. */
export async function readOffers(sql: Sql, accountId: number, after: number, limit: number): Promise<CopiedOffer[]> {
  return (await sql.run(READ, [accountId, after, limit])).map(offerOf);
}

/** Returns the next groups after `after`, in upload order of their parents. */
export async function readGroups(sql: Sql, accountId: number, after: number, limit: number): Promise<CopiedGroup[]> {
  const rows = await sql.run(READ_GROUPS, [accountId, after, limit]);
  return rows.map(([order, skuId, refinements, title, children]) => {
    return { order, record: { skuId, refinements, title, childrenSkus: JSON.parse(children ?? '[]') } };
  });
}

/** Reads the whole offer, which is fast enough because only repeats of interrupted requests need the numbers. */
export const readNumbers = snapshot<(key: SkuKey) => Promise<OfferNumbers | undefined>>(
  async (sql, { accountId, skuId }) => {
    const [found] = await sql.run(FIND_ORDER, [accountId, skuId]);
    const [offer] = found === undefined ? [] : await readOffers(sql, accountId, found[0] - 1, 1);
    if (offer === undefined) return undefined;
    const { record, numbers } = offer;
    const nodeIds = record.inventory.nodes.map(({ fulfillment_node_id }) => fulfillment_node_id);
    return { ...numbers, nodes: new Map(nodeIds.map((nodeId, index) => [nodeId, numbers.nodes[index] ?? 0])) };
  },
);

function offerOf([order, stock, stampMs, ...row]: OfferRow): CopiedOffer {
  // Each codec takes its own columns from the start of the row.
  const record = RECORD.of(row.splice(0, RECORD.names.length));
  const price = PRICE.of(row.splice(0, PRICE.names.length));
  const membership = MEMBERSHIP.of(row.splice(0, MEMBERSHIP.names.length));
  const numbers = NUMBERS.of(row.splice(0, NUMBERS.names.length));
  const inventory = storedInventory(stock, stampMs, numbers.inventory);
  const ofNodes = nodeNumbers(stock, numbers.inventory);
  return {
    order,
    record: { ...record, price: price.price === null ? null : price, inventory, clearable: clearableIn(row, 0) },
    membership: membership.parentOrder === null ? null : membership,
    numbers: { ...numbers, nodes: inventory.nodes.map((node) => ofNodes.get(node.fulfillment_node_id) ?? 0) },
  };
}

/** In order of node id, by code point. */
type NodeEntry = readonly [nodeId: string, quantity: number, updatedMs: number, number: number];

export function nodeEntriesOf({ record, numbers }: Pick<CopiedOffer, 'record' | 'numbers'>): NodeEntry[] {
  return record.inventory.nodes.map(({ fulfillment_node_id, quantity, updatedMs }, index) => {
    return [fulfillment_node_id, quantity, updatedMs, numbers.nodes[index] ?? 0];
  });
}

/** Each part that is set gets the number of the import, because numbers of another database do not apply. */
export function importedOffer(record: OfferRecord, number: number, order: number | null): NewOffer {
  const numberIfSet = (part: unknown) => (part === null || part === false ? 0 : number);
  return {
    order,
    record,
    membership: null,
    numbers: {
      sku: number,
      price: numberIfSet(record.price),
      archive: numberIfSet(record.archived),
      variation: 0,
      inventory: 0,
      nodes: record.inventory.nodes.map(() => number),
      ...ofEachClearable(({ part }) => numberIfSet(record.clearable[part])),
    },
  };
}
