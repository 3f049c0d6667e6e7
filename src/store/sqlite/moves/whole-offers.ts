/** Writes whole offers, for imports and copies. */
import { textTag } from '../../port/part-tags.ts';
import type { Member, NewOffer, WholeOffers } from '../../shared/moves/engine.ts';
import { nodeEntriesOf } from '../../shared/moves/offer-rows.ts';
import { type Connection, query } from '../engine/engine.ts';

export function wholeOffersOn(connection: Connection): WholeOffers {
  const inserts = insertsOn(connection);
  return {
    newOrder: () => null,
    insert: async (_, accountId, offers) => {
      const nowMs = Date.now();
      return offers.find((offer) => !insertOffer(inserts, accountId, offer, nowMs))?.record.skuId;
    },
    joinGroups: async (_, accountId, members, number) => {
      const nowMs = Date.now();
      let parent = 0;
      for (const member of members) {
        const sku = inserts.find.get(accountId, member.skuId)?.[0];
        if (sku === undefined) return member.skuId;
        // A group begins with its parent.
        if (member.position === 0) parent = sku;
        if (!join(inserts, sku, parent, member)) return member.skuId;
        inserts.groupNumber.run(number, sku);
        inserts.due.run(sku, accountId, number, nowMs);
      }
      return undefined;
    },
  };
}

type Inserts = ReturnType<typeof insertsOn>;

/** These run one by one: with shared statements, an offer took twice the CPU time. */
function insertsOn(connection: Connection) {
  return {
    sku: query<[id: number]>(
      connection,
      `INSERT INTO sku (id, account_id, sku_id, archived, first_upload_ms, inventory_stamp_ms, archive_number,
         inventory_zeroed_number, shipping_number, returns_number, group_number)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING id`,
    ),
    document: query(
      connection,
      'INSERT INTO sku_document (sku, tag, document, updated_ms, number) VALUES (?, ?, ?, ?, ?)',
    ),
    price: query(connection, 'INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES (?, ?, ?, ?, ?)'),
    node: query(
      connection,
      'INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES (?, ?, ?, ?, ?)',
    ),
    shipping: query(connection, 'INSERT INTO shipping_exception (sku, exceptions) VALUES (?, ?)'),
    returns: query(connection, 'INSERT INTO returns_exception (sku, location_ids) VALUES (?, ?)'),
    due: query(
      connection,
      `INSERT INTO review_due (sku, account_id, mark, marked_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms`,
    ),
    find: query<[id: number]>(connection, 'SELECT id FROM sku WHERE account_id = ? AND sku_id = ?'),
    member: query(
      connection,
      'INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku) DO NOTHING',
    ),
    group: query(connection, 'INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)'),
    groupNumber: query(connection, 'UPDATE sku SET group_number = ? WHERE id = ?'),
  };
}

/** Returns false if the account has it already. */
function insertOffer(inserts: Inserts, accountId: number, offer: NewOffer, nowMs: number): boolean {
  const { order, record, membership, numbers } = offer;
  const { price, shippingExceptions, returnLocationIds } = record;
  const inserted = inserts.sku.get(
    order,
    accountId,
    record.skuId,
    record.archived ? 1 : 0,
    record.firstUploadMs,
    record.inventory.stampMs,
    numbers.archived,
    numbers.inventory,
    numbers.shippingExceptions,
    numbers.returnLocations,
    numbers.group,
  );
  if (inserted === undefined) return false;
  const [id] = inserted;
  inserts.document.run(id, textTag(record.document), record.document, record.documentUpdatedMs, numbers.document);
  if (price !== null) {
    inserts.price.run(id, price.price, JSON.stringify(price.nodes), price.updatedMs, numbers.price);
  }
  for (const entry of nodeEntriesOf(offer)) inserts.node.run(id, ...entry);
  if (shippingExceptions !== null) inserts.shipping.run(id, shippingExceptions);
  if (returnLocationIds !== null) inserts.returns.run(id, JSON.stringify(returnLocationIds));
  inserts.due.run(id, accountId, numbers.document, nowMs);
  // The parent may come later: its order is known already.
  return membership === null || join(inserts, id, membership.parentOrder, membership);
}

/** Returns false if the SKU is in a group already. */
function join(
  inserts: Inserts,
  sku: number,
  parent: number,
  { position, refinements, title }: Omit<Member, 'skuId' | 'parent'>,
): boolean {
  if (inserts.member.run(sku, parent, position).changes === 0) return false;
  if (refinements !== null) inserts.group.run(sku, refinements, title);
  return true;
}
