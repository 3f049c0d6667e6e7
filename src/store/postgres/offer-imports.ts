/**
 * In charge of putting offers into an account as they were elsewhere: with their times, flags and order. All are due for
 * review.
 */
import type { GroupRecord, OfferRecord } from '../port/moves.ts';
import { REVIEW_KIND } from '../port/review.ts';
import { announceWork } from '../shared/work/announcements.ts';
import { type Connection, statement } from './engine.ts';
import { assigned, markedLast } from './review-marks.ts';
import { drawNumber, uploadOrder } from './write-numbers.ts';

/** Some 1.5 MB of documents: enough to make the cost of a statement vanish. A number has room for 4,096 places. */
const SLICE_ROWS = 1000;

/**
 * The parameters are the account, the number of the write, and a list for each column. Every part gets that number; what
 * an offer does not have gets none.
 */
const INSERT_OFFERS = statement<[skuId: string]>(
  'import offers',
  `INSERT INTO offer (
     account_id, sku_id, upload_order, first_upload_ms, archived, archive_number, document, document_updated_ms,
     document_number, price, price_nodes, price_updated_ms, price_number, inventory, inventory_stamp_ms,
     inventory_number, shipping_exceptions, shipping_number, return_location_ids, returns_number, review_mark,
     review_marked_ms)
   SELECT $1::bigint, i.sku_id, i.upload_order, i.first_upload_ms, i.archived,
     CASE WHEN i.archived THEN $2::bigint END, i.document, i.document_updated_ms, $2::bigint,
     i.price, i.price_nodes, i.price_updated_ms, CASE WHEN i.price IS NOT NULL THEN $2::bigint END,
     i.inventory, i.inventory_stamp_ms, $2::bigint,
     i.shipping_exceptions, CASE WHEN i.shipping_exceptions IS NOT NULL THEN $2::bigint END,
     i.return_location_ids, CASE WHEN i.return_location_ids IS NOT NULL THEN $2::bigint END, $2::bigint,
     $16::bigint
   FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[], $8::bigint[], $9::float8[],
     $10::text[], $11::bigint[], $12::jsonb[], $13::bigint[], $14::text[], $15::text[])
   AS i (sku_id, upload_order, first_upload_ms, archived, document, document_updated_ms, price, price_nodes,
     price_updated_ms, inventory, inventory_stamp_ms, shipping_exceptions, return_location_ids)
   ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING sku_id`,
);

const SET_MEMBERS = statement<[skuId: string]>(
  'import group members',
  `UPDATE offer SET group_parent = i.parent, group_position = i.position, group_refinements = i.refinements,
     group_title = i.title, group_number = $2, ${assigned(markedLast('$2', '$8::bigint'))}
   FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::text[])
     AS i (sku_id, parent, position, refinements, title)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND offer.group_parent IS NULL
   RETURNING offer.sku_id`,
);

/** Returns the id of an offer that the account has already; what was inserted before it must be rolled back then. */
export async function insertOffers(
  connection: Connection,
  accountId: number,
  offers: readonly OfferRecord[],
): Promise<string | undefined> {
  for (let start = 0; start < offers.length; start += SLICE_ROWS) {
    const slice = offers.slice(start, start + SLICE_ROWS);
    const number = await drawNumber(connection);
    const columns = [...offerColumns(slice, number), Date.now()];
    const inserted = await connection.run(INSERT_OFFERS, [accountId, number, ...columns]);
    const missing = firstMissing(
      slice.map(({ skuId }) => skuId),
      inserted,
    );
    if (missing !== undefined) return missing;
  }
  await announceWork(connection, REVIEW_KIND, accountId, 0);
  return undefined;
}

/** Returns the id of a member that is unknown or grouped already. */
export async function insertGroups(
  connection: Connection,
  accountId: number,
  groups: readonly GroupRecord[],
): Promise<string | undefined> {
  if (groups.length === 0) return undefined;
  const members = groups.flatMap(membersOf);
  const skuIds = members.map(({ skuId }) => skuId);
  const number = await drawNumber(connection);
  const set = await connection.run(SET_MEMBERS, [
    accountId,
    number,
    skuIds,
    members.map(({ parent }) => parent),
    members.map(({ position }) => position),
    members.map(({ refinements }) => refinements),
    members.map(({ title }) => title),
    Date.now(),
  ]);
  await announceWork(connection, REVIEW_KIND, accountId, 0);
  return firstMissing(skuIds, set);
}

function offerColumns(offers: readonly OfferRecord[], number: number): unknown[] {
  return [
    offers.map(({ skuId }) => skuId),
    offers.map((_, place) => uploadOrder(number, place)),
    offers.map(({ firstUploadMs }) => firstUploadMs),
    offers.map(({ archived }) => archived),
    offers.map(({ document }) => document),
    offers.map(({ documentUpdatedMs }) => documentUpdatedMs),
    offers.map(({ price }) => price?.price ?? null),
    offers.map(({ price }) => (price === null ? null : JSON.stringify(price.nodes))),
    offers.map(({ price }) => price?.updatedMs ?? null),
    offers.map(({ inventory }) => inventoryText(inventory, number)),
    offers.map(({ inventory }) => inventory.stampMs),
    offers.map(({ shippingExceptions }) => shippingExceptions),
    offers.map(({ returnLocationIds }) => (returnLocationIds === null ? null : JSON.stringify(returnLocationIds))),
  ];
}

function inventoryText({ nodes }: OfferRecord['inventory'], number: number): string {
  // Not an object: a node may bear a name that objects have a meaning for.
  const entries = nodes.map(({ fulfillment_node_id, quantity, updatedMs }) => {
    return `${JSON.stringify(fulfillment_node_id)}:[${quantity},${updatedMs},${number}]`;
  });
  return `{${entries.join(',')}}`;
}

function membersOf({ skuId, refinements, title, childrenSkus }: GroupRecord) {
  const children = childrenSkus.map((child, place) => {
    return { skuId: child, parent: skuId, position: place + 1, refinements: null, title: null };
  });
  return [{ skuId, parent: skuId, position: 0, refinements, title }, ...children];
}

/** The first of the ids that was not written, because it could not be or because it stands there twice. */
function firstMissing(skuIds: readonly string[], written: readonly (readonly [skuId: string])[]): string | undefined {
  const left = new Set(written.map(([skuId]) => skuId));
  return skuIds.find((skuId) => !left.delete(skuId));
}
