/** Writes whole offers, for imports and copies, and erases them. */
import { CLEARABLE_PARTS } from '../../../domain/vocabulary/offer-parts.ts';
import { textTag } from '../../port/part-tags.ts';
import type { Member, NewOffer, WholeOffers } from '../../shared/moves/engine.ts';
import { nodeEntriesOf } from '../../shared/moves/offer-rows.ts';
import { CLEARABLE_STORAGE } from '../../shared/offers/clearable-parts.ts';
import { type Connection, sqliteStatement } from '../engine/connection.ts';
import { wordIndex } from '../offer-list/word-index.ts';

const ERASED = 'SELECT id FROM sku INDEXED BY sku_by_account WHERE account_id = $1 AND id <= $2';
const READ_ERASED = sqliteStatement<
  [skuId: string, isParent: 0 | 1, evidence: string | null, status: string | null, subStatusBits: number]
>(`
  SELECT s.sku_id, EXISTS (SELECT 1 FROM variation_group g WHERE g.parent = s.id), r.evidence, l.status,
    coalesce(l.sub_statuses, 0)
  FROM sku s INDEXED BY sku_by_account LEFT JOIN review r ON r.sku = s.id LEFT JOIN offer_listing l ON l.sku = s.id
  WHERE s.account_id = $1 AND s.id <= $2`);
const MARK_CHILDREN = sqliteStatement<[]>(`
  INSERT INTO review_due (sku, account_id, mark, marked_ms)
  SELECT sku, $1, $3, $4 FROM variation_member WHERE parent IN (${ERASED})
  ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms`);
const ERASE_WORDS = sqliteStatement<[]>(`
  INSERT INTO word_change (account_id, sku, removed, added)
  SELECT account_id, sku, words, '' FROM offer_listing WHERE sku IN (${ERASED}) AND words <> ''`);
const MERGE_WORDS = sqliteStatement<[seq: number]>(`
  INSERT INTO word_change (account_id, sku, removed, added) VALUES (0, 0, '', '') RETURNING seq`);
const FIND_CHANGE = sqliteStatement<[1]>('SELECT 1 FROM word_change WHERE seq = $1');
/** Deletes from `sku` last, because the other deletes find their rows through it. */
const ERASE = [
  ...['sku_document', 'price', 'inventory', ...CLEARABLE_PARTS, 'variation_member'],
  ...['review', 'review_due', 'offer_history', 'offer_listing'],
]
  .map((table) => `DELETE FROM ${table} WHERE sku IN (${ERASED})`)
  .concat(
    ['variation_group', 'variation_member'].map((table) => `DELETE FROM ${table} WHERE parent IN (${ERASED})`),
    `DELETE FROM sku WHERE id IN (${ERASED})`,
  )
  .map((text) => sqliteStatement<[]>(text));

export function wholeOffersOn(connection: Connection): WholeOffers {
  const inserts = insertsOn(connection);
  const { indexWords } = wordIndex(connection);
  let merging: number | undefined;
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
    erase: async (sql, accountId, upTo) => {
      const key = [accountId, upTo];
      const erased = await sql.run(READ_ERASED, key);
      if (erased.some(([, isParent]) => isParent)) {
        await sql.run(MARK_CHILDREN, [...key, await sql.drawNumber(), Date.now()]);
      }
      await sql.run(ERASE_WORDS, key);
      for (const statement of ERASE) await sql.run(statement, key);
      return erased.map(([skuId, isParent, evidence, status, subStatusBits]) => {
        return { skuId, isParent: isParent === 1, evidence, status, subStatusBits };
      });
    },
    eraseWords: async (sql) => {
      merging ??= (await sql.run(MERGE_WORDS))[0]?.[0] as number;
      indexWords();
      if ((await sql.run(FIND_CHANGE, [merging])).length > 0) return 'more';
      merging = undefined;
      return 'done';
    },
  };
}

type Inserts = ReturnType<typeof insertsOn>;

/** Prepares the inserts for this connection. Through shared statements, an offer took twice the CPU time. */
function insertsOn(connection: Connection) {
  return {
    sku: connection.query<[id: number]>(`
      INSERT INTO sku (id, account_id, sku_id, archived, first_upload_ms, inventory_stamp_ms, archive_number,
        inventory_zeroed_number, variation_number${CLEARABLE_STORAGE.map(({ number }) => `, ${number}`).join('')})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?${', ?'.repeat(CLEARABLE_STORAGE.length)}) ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING id`),
    document: connection.query(`
      INSERT INTO sku_document (sku, tag, document, updated_ms, number) VALUES (?, ?, ?, ?, ?)`),
    price: connection.query('INSERT INTO price (sku, price, nodes, updated_ms, number) VALUES (?, ?, ?, ?, ?)'),
    node: connection.query('INSERT INTO inventory (sku, node_id, quantity, updated_ms, number) VALUES (?, ?, ?, ?, ?)'),
    clearable: CLEARABLE_STORAGE.map(({ part, sqliteColumn }) => {
      return connection.query(`INSERT INTO ${part} (sku, ${sqliteColumn}) VALUES (?, ?)`);
    }),
    due: connection.query(`
      INSERT INTO review_due (sku, account_id, mark, marked_ms) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms`),
    find: connection.query<[id: number]>('SELECT id FROM sku WHERE account_id = ? AND sku_id = ?'),
    member: connection.query(`
      INSERT INTO variation_member (sku, parent, position) VALUES (?, ?, ?) ON CONFLICT (sku) DO NOTHING`),
    group: connection.query('INSERT INTO variation_group (parent, refinements, title) VALUES (?, ?, ?)'),
    groupNumber: connection.query('UPDATE sku SET variation_number = ? WHERE id = ?'),
  };
}

/** Returns false if the account already has the SKU. */
function insertOffer(inserts: Inserts, accountId: number, offer: NewOffer, nowMs: number): boolean {
  const { order, record, membership, numbers } = offer;
  const { skuId, archived, firstUploadMs, inventory, price, clearable } = record;
  const inserted = inserts.sku.get(
    ...[order, accountId, skuId, archived ? 1 : 0, firstUploadMs, inventory.stampMs],
    ...[numbers.archive, numbers.inventory, numbers.variation, ...CLEARABLE_PARTS.map((part) => numbers[part])],
  );
  if (inserted === undefined) return false;
  const [id] = inserted;
  inserts.document.run(id, textTag(record.document), record.document, record.documentUpdatedMs, numbers.sku);
  if (price !== null) {
    inserts.price.run(id, price.price, JSON.stringify(price.nodes), price.updatedMs, numbers.price);
  }
  for (const entry of nodeEntriesOf(offer)) inserts.node.run(id, ...entry);
  CLEARABLE_PARTS.forEach((part, index) => {
    if (clearable[part] !== null) inserts.clearable[index]?.run(id, clearable[part]);
  });
  inserts.due.run(id, accountId, numbers.sku, nowMs);
  // The parent may come later: its order is known already.
  return membership === null || join(inserts, id, membership.parentOrder, membership);
}

type Joining = Pick<Member, 'position' | 'refinements' | 'title'>;

/** Returns false if the SKU is already in a group. */
function join(inserts: Inserts, sku: number, parent: number, { position, refinements, title }: Joining): boolean {
  if (inserts.member.run(sku, parent, position).changes === 0) return false;
  if (refinements !== null) inserts.group.run(sku, refinements, title);
  return true;
}
