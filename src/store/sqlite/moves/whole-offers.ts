/** Reads and writes whole offers, for exports, imports and copies. */
import type { GroupRecord } from '../../port/moves.ts';
import type { Member, NewOffer, WholeOffers } from '../../shared/moves/engine.ts';
import { type NodeEntry, nodeEntriesOf, type OfferRow, offerOf } from '../../shared/moves/offer-rows.ts';
import type { Sql, Statement } from '../../shared/sql.ts';

const COUNT = sqlite<[number]>('SELECT count(*) FROM sku INDEXED BY sku_by_account WHERE account_id = $1');
const LAST = sqlite<[number | null]>('SELECT max(id) FROM sku INDEXED BY sku_by_account WHERE account_id = $1');
const READ = sqlite<OfferRow>(
  `SELECT s.id, s.sku_id, s.archived, s.first_upload_ms, s.inventory_stamp_ms, d.document, d.updated_ms,
     p.price, p.nodes, p.updated_ms,
     (SELECT json_group_array(json_array(i.node_id, i.quantity, i.updated_ms, i.number) ORDER BY i.node_id)
      FROM inventory i WHERE i.sku = s.id HAVING count(*) > 0),
     e.exceptions, r.location_ids, parent.sku_id, m.parent, m.position, g.refinements, g.title,
     d.number, p.number, s.archive_number, s.shipping_number, s.returns_number, s.group_number,
     s.inventory_zeroed_number
   FROM sku s INDEXED BY sku_by_account
   JOIN sku_document d ON d.sku = s.id
   LEFT JOIN price p ON p.sku = s.id
   LEFT JOIN shipping_exception e ON e.sku = s.id
   LEFT JOIN returns_exception r ON r.sku = s.id
   LEFT JOIN variation_member m ON m.sku = s.id
   LEFT JOIN sku parent ON parent.id = m.parent
   LEFT JOIN variation_group g ON g.parent = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);
const READ_GROUPS = sqlite<[order: number, skuId: string, refinements: string, title: string | null, children: string]>(
  `SELECT s.id, s.sku_id, g.refinements, g.title,
     (SELECT json_group_array(child.sku_id ORDER BY m.position)
      FROM variation_member m JOIN sku child ON child.id = m.sku
      WHERE m.parent = g.parent AND m.sku <> g.parent)
   FROM sku s INDEXED BY sku_by_account JOIN variation_group g ON g.parent = s.id
   WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT $3`,
);

const INSERT_SKU = sqlite<[id: number]>(
  `INSERT INTO sku (id, account_id, sku_id, archived, first_upload_ms, inventory_stamp_ms, archive_number,
     inventory_zeroed_number, shipping_number, returns_number, group_number)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING id`,
);
const INSERT_DOCUMENT = sqlite<[]>(
  'INSERT INTO sku_document (sku, document, updated_ms, number) VALUES ($1, $2, $3, $4)',
);
const INSERT_PRICE = sqlite<[]>(
  'INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES ($1, $2, $3, $4, $5)',
);
const INSERT_NODE = sqlite<[]>(
  'INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES ($1, $2, $3, $4, $5)',
);
const INSERT_SHIPPING = sqlite<[]>('INSERT INTO shipping_exception (sku, exceptions) VALUES ($1, $2)');
const INSERT_RETURNS = sqlite<[]>('INSERT INTO returns_exception (sku, location_ids) VALUES ($1, $2)');
const INSERT_GROUP = sqlite<[]>('INSERT INTO variation_group (parent, refinements, title) VALUES ($1, $2, $3)');
const INSERT_MEMBER = sqlite<[1]>(
  'INSERT INTO variation_member (sku, parent, position) VALUES ($1, $2, $3) ON CONFLICT (sku) DO NOTHING RETURNING 1',
);
const MARK = sqlite<[]>(
  `INSERT INTO review_due (sku, account_id, mark, marked_ms) VALUES ($1, $2, $3, $4)
   ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms`,
);
const FIND = sqlite<[id: number]>('SELECT id FROM sku WHERE account_id = $1 AND sku_id = $2');
const NUMBER_GROUP = sqlite<[]>('UPDATE sku SET group_number = $2 WHERE id = $1');

export const wholeOffers: WholeOffers = {
  count: async (sql, accountId) => (await sql.run(COUNT, [accountId]))[0]?.[0] ?? 0,
  readLast: async (sql, accountId) => (await sql.run(LAST, [accountId]))[0]?.[0] ?? 0,
  read: async (sql, accountId, after, limit) => {
    return (await sql.run(READ, [accountId, after, limit])).map((row) => offerOf(row, nodesOf));
  },
  readGroups: async (sql, accountId, after, limit) => {
    const rows = await sql.run(READ_GROUPS, [accountId, after, limit]);
    return rows.map(([order, skuId, refinements, title, children]): [number, GroupRecord] => {
      return [order, { skuId, refinements, title, childrenSkus: JSON.parse(children) }];
    });
  },
  newOrder: () => null,
  insert: async (sql, accountId, offers) => {
    const nowMs = Date.now();
    for (const offer of offers) {
      if (!(await insertOffer(sql, accountId, offer, nowMs))) return offer.record.skuId;
    }
    return undefined;
  },
  joinGroups: async (sql, accountId, members, number) => {
    const nowMs = Date.now();
    for (const member of members) {
      const [sku] = await sql.run(FIND, [accountId, member.skuId]);
      const [parent] = await sql.run(FIND, [accountId, member.parent]);
      if (sku === undefined || parent === undefined) return member.skuId;
      if (!(await join(sql, sku[0], parent[0], member))) return member.skuId;
      await sql.run(NUMBER_GROUP, [sku[0], number]);
      await sql.run(MARK, [sku[0], accountId, number, nowMs]);
    }
    return undefined;
  },
};

/** False when the account has it already. */
async function insertOffer(sql: Sql, accountId: number, offer: NewOffer, nowMs: number): Promise<boolean> {
  const { order, record, membership, numbers } = offer;
  const { price, shippingExceptions, returnLocationIds } = record;
  const [inserted] = await sql.run(INSERT_SKU, [
    order,
    accountId,
    record.skuId,
    Number(record.archived),
    record.firstUploadMs,
    record.inventory.stampMs,
    numbers.archived,
    numbers.inventory,
    numbers.shippingExceptions,
    numbers.returnLocations,
    numbers.group,
  ]);
  if (inserted === undefined) return false;
  const [id] = inserted;
  await sql.run(INSERT_DOCUMENT, [id, record.document, record.documentUpdatedMs, numbers.document]);
  if (price !== null) {
    await sql.run(INSERT_PRICE, [id, price.price, JSON.stringify(price.nodes), price.updatedMs, numbers.price]);
  }
  for (const entry of nodeEntriesOf(offer)) await sql.run(INSERT_NODE, [id, ...entry]);
  if (shippingExceptions !== null) await sql.run(INSERT_SHIPPING, [id, shippingExceptions]);
  if (returnLocationIds !== null) await sql.run(INSERT_RETURNS, [id, JSON.stringify(returnLocationIds)]);
  await sql.run(MARK, [id, accountId, numbers.document, nowMs]);
  // The parent of a group may come later: its order is known already.
  return membership === null || join(sql, id, membership.parentOrder, membership);
}

/** False when it is in a group already. */
async function join(
  sql: Sql,
  sku: number,
  parent: number,
  { position, refinements, title }: Pick<Member, 'position' | 'refinements' | 'title'>,
): Promise<boolean> {
  if ((await sql.run(INSERT_MEMBER, [sku, parent, position])).length === 0) return false;
  if (refinements !== null) await sql.run(INSERT_GROUP, [sku, refinements, title]);
  return true;
}

function nodesOf(text: string): NodeEntry[] {
  return JSON.parse(text);
}

/** Not in the list of statements, which are those that PostgreSQL runs. */
function sqlite<Row extends readonly unknown[]>(text: string): Statement<Row> {
  return Object.freeze({ name: text, text });
}
