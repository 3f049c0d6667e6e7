/** Reads and writes whole offers, for exports, imports and copies. */
import type { GroupRecord } from '../../port/moves.ts';
import type { NewOffer, WholeOffers } from '../../shared/moves/engine.ts';
import { type NodeEntry, nodeEntriesOf, type OfferRow, offerOf } from '../../shared/moves/offer-rows.ts';
import { listsOf, statement } from '../../shared/sql.ts';
import { uploadOrder } from '../engine/write-numbers.ts';
import { nodeNumbers, storedInventory } from '../offers/stored-inventory.ts';
import { assigned, markedLast } from '../review/review-marks.ts';

const COUNT = statement<[offers: number]>('count whole offers', 'SELECT count(*) FROM offer WHERE account_id = $1');
const LAST = statement<[uploadOrder: number | null]>(
  'find last offer',
  'SELECT max(upload_order) FROM offer WHERE account_id = $1',
);
const READ = statement<OfferRow>(
  'read whole offers',
  `SELECT o.upload_order, o.sku_id, o.archived, o.first_upload_ms, o.inventory_stamp_ms, o.document,
     o.document_updated_ms, o.price, o.price_nodes, o.price_updated_ms, o.inventory, o.shipping_exceptions,
     o.return_location_ids, o.group_parent, parent.upload_order, o.group_position, o.group_refinements, o.group_title,
     o.document_number, o.price_number, o.archive_number, o.shipping_number, o.returns_number, o.group_number,
     o.inventory_zeroed_number
   FROM offer o LEFT JOIN offer parent ON parent.account_id = $1 AND parent.sku_id = o.group_parent
   WHERE o.account_id = $1 AND o.upload_order > $2 ORDER BY o.upload_order LIMIT $3`,
);
const READ_GROUPS = statement<
  [uploadOrder: number, skuId: string, refinements: string, title: string | null, children: string | null]
>(
  'read whole groups',
  `SELECT p.upload_order, p.sku_id, p.group_refinements, p.group_title,
     (SELECT json_agg(c.sku_id ORDER BY c.group_position) FROM offer c
      WHERE c.account_id = $1 AND c.group_parent = p.sku_id AND c.group_position > 0)
   FROM offer p
   WHERE p.account_id = $1 AND p.upload_order > $2 AND p.group_parent IS NOT NULL AND p.group_position = 0
   ORDER BY p.upload_order LIMIT $3`,
);

type Column = readonly [name: string, type: string, partOf: (offer: NewOffer) => unknown];

const COLUMNS: readonly Column[] = [
  ['sku_id', 'text', ({ record }) => record.skuId],
  ['upload_order', 'bigint', ({ order }) => order],
  ['first_upload_ms', 'bigint', ({ record }) => record.firstUploadMs],
  ['archived', 'boolean', ({ record }) => record.archived],
  ['archive_number', 'bigint', ({ numbers }) => orNull(numbers.archived)],
  ['document', 'text', ({ record }) => record.document],
  ['document_updated_ms', 'bigint', ({ record }) => record.documentUpdatedMs],
  ['document_number', 'bigint', ({ numbers }) => numbers.document],
  ['price', 'float8', ({ record }) => record.price?.price ?? null],
  ['price_nodes', 'text', ({ record }) => textOf(record.price?.nodes)],
  ['price_updated_ms', 'bigint', ({ record }) => record.price?.updatedMs ?? null],
  ['price_number', 'bigint', ({ record, numbers }) => (record.price === null ? null : numbers.price)],
  ['inventory', 'jsonb', (offer) => inventoryText(nodeEntriesOf(offer))],
  ['inventory_stamp_ms', 'bigint', ({ record }) => record.inventory.stampMs],
  ['inventory_number', 'bigint', ({ numbers }) => Math.max(0, ...numbers.nodes)],
  ['inventory_zeroed_number', 'bigint', ({ numbers }) => numbers.inventory],
  ['shipping_exceptions', 'text', ({ record }) => record.shippingExceptions],
  ['shipping_number', 'bigint', ({ numbers }) => orNull(numbers.shippingExceptions)],
  ['return_location_ids', 'text', ({ record }) => textOf(record.returnLocationIds)],
  ['returns_number', 'bigint', ({ numbers }) => orNull(numbers.returnLocations)],
  ['group_parent', 'text', ({ membership }) => membership?.parentSkuId ?? null],
  ['group_position', 'integer', ({ membership }) => membership?.position ?? null],
  ['group_refinements', 'text', ({ membership }) => membership?.refinements ?? null],
  ['group_title', 'text', ({ membership }) => membership?.title ?? null],
  ['group_number', 'bigint', ({ numbers }) => orNull(numbers.group)],
  ['review_mark', 'bigint', ({ numbers }) => numbers.document],
  ['review_marked_ms', 'bigint', () => Date.now()],
];

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const LISTS = COLUMNS.map(([, type], place) => `$${place + 2}::${type}[]`).join(', ');
const INSERT = statement<[skuId: string]>(
  'add whole offers',
  `INSERT INTO offer (account_id, ${NAMES}) SELECT $1::bigint, ${NAMES} FROM unnest(${LISTS}) AS i (${NAMES})
   ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING sku_id`,
);
const JOIN_GROUPS = statement<[skuId: string]>(
  'import groups',
  `UPDATE offer SET group_parent = i.parent, group_position = i.position, group_refinements = i.refinements,
     group_title = i.title, group_number = $2, ${assigned(markedLast('$2', '$8::bigint'))}
   FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::text[])
     AS i (sku_id, parent, position, refinements, title)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND offer.group_parent IS NULL
   RETURNING offer.sku_id`,
);

export const wholeOffers: WholeOffers = {
  count: async (sql, accountId) => (await sql.run(COUNT, [accountId]))[0]?.[0] ?? 0,
  readLast: async (sql, accountId) => (await sql.run(LAST, [accountId]))[0]?.[0] ?? 0,
  read: async (sql, accountId, after, limit) => {
    return (await sql.run(READ, [accountId, after, limit])).map((row) => offerOf(row, nodesOf));
  },
  readGroups: async (sql, accountId, after, limit) => {
    const rows = await sql.run(READ_GROUPS, [accountId, after, limit]);
    return rows.map(([order, skuId, refinements, title, children]): [number, GroupRecord] => {
      return [order, { skuId, refinements, title, childrenSkus: JSON.parse(children ?? '[]') }];
    });
  },
  newOrder: uploadOrder,
  insert: async (sql, accountId, offers) => {
    const inserted = await sql.run(INSERT, [accountId, ...COLUMNS.map(([, , partOf]) => offers.map(partOf))]);
    const skuIds = offers.map(({ record }) => record.skuId);
    return firstMissing(skuIds, inserted);
  },
  joinGroups: async (sql, accountId, members, number) => {
    const columns = listsOf(members, 'skuId', 'parent', 'position', 'refinements', 'title');
    const joined = await sql.run(JOIN_GROUPS, [accountId, number, ...columns, Date.now()]);
    return firstMissing(columns[0] as string[], joined);
  },
};

/** Returns the first id that was not written, or is listed twice. */
function firstMissing(skuIds: readonly string[], written: readonly (readonly [skuId: string])[]): string | undefined {
  const left = new Set(written.map(([skuId]) => skuId));
  return skuIds.find((skuId) => !left.delete(skuId));
}

/** A part that was never written has no number here. */
function orNull(number: number): number | null {
  return number === 0 ? null : number;
}

function textOf(list: readonly unknown[] | null | undefined): string | null {
  return list ? JSON.stringify(list) : null;
}

/** Returns text, not an object, because a node may be named `__proto__`. */
function inventoryText(nodes: readonly NodeEntry[]): string {
  return `{${nodes.map(([nodeId, ...entry]) => `${JSON.stringify(nodeId)}:[${entry.join(',')}]`).join(',')}}`;
}

function nodesOf(text: string, stampMs: number, zeroedNumber: number): NodeEntry[] {
  if (text === '{}') return [];
  const numbers = nodeNumbers(text, zeroedNumber);
  return storedInventory(text, stampMs, zeroedNumber).nodes.map(({ fulfillment_node_id, quantity, updatedMs }) => {
    return [fulfillment_node_id, quantity, updatedMs, numbers.get(fulfillment_node_id) ?? zeroedNumber];
  });
}
