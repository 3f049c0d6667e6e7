/** Reads the history of offers (domain/offers/history.ts), and defines what both adapters need to record it. */
import {
  changeBy,
  changeOf,
  type HistoryRecord,
  nodesIn,
  PART_CODES,
  type PartValues,
  type RecordBy,
  type StoredValue,
  storedValue,
  valueKey,
} from '../../../domain/offers/history.ts';
import { PARTS } from '../../../domain/offers/parts.ts';
import type { HistoryStore } from '../../port/history.ts';
import { scan, snapshot } from '../command.ts';
import { FIND_ORDER, readOffers } from '../moves/offer-rows.ts';
import { SQLITE_CHILDREN } from '../offers/offer-columns.ts';
import { READ_REVIEWED } from '../offers/offer-reads.ts';
import { engineStatement, listsOf, rowsOf, rowsStatement, type Sql } from '../sql.ts';

/** Maximum number of records shown per offer, because the new value of a record is looked up among newer records. */
const SHOWN_MAX = 2_000;

/** How many of an offer's newest records are searched for a file's earlier record of a part. */
export const TOLD_AMONG_MAX = 100;

/** A page ends early after this many characters, because documents may be large. */
const PAGE_CHARACTERS_MAX = 2_000_000;

/** The group of the offer in the format of the history; null unless the offer is a parent. */
export const GROUP_TEXT = `CASE WHEN offer.group_parent = offer.sku_id THEN jsonb_build_array(
       offer.group_refinements::jsonb, offer.group_title, (
         SELECT coalesce(jsonb_agg(child.sku_id ORDER BY child.group_position), '[]') FROM offer child
         WHERE child.account_id = $1 AND child.group_parent = offer.sku_id AND child.sku_id <> offer.sku_id)) END`;

/** The same on SQLite, for the row `g` of `variation_group`. */
export const SQLITE_GROUP_TEXT = `json_array(json(g.refinements), g.title, json(${SQLITE_CHILDREN}))`;

const PAGE_OF = (offer: string, author: string) => `
  SELECT h.seq, h.at_ms, (SELECT a.name FROM author a WHERE ${author} LIMIT 1), h.part, h.amount, h.text, h.found FROM (
    SELECT f.*, count(*) OVER () AS found,
      sum(coalesce(length(f.text), 0)) OVER (ORDER BY f.seq DESC) - coalesce(length(f.text), 0) AS characters_before
    FROM (
      SELECT * FROM offer_history WHERE ${offer} AND seq < $3 AND at_ms >= $4 AND seq > coalesce((
        SELECT seq FROM offer_history WHERE ${offer} ORDER BY seq DESC LIMIT 1 OFFSET ${SHOWN_MAX}), 0)
      ORDER BY seq DESC LIMIT CAST($5 AS bigint) + 1
    ) f
  ) h WHERE h.characters_before < ${PAGE_CHARACTERS_MAX} ORDER BY h.seq DESC`;
/** `found`: number of records found, at most one more than the page limit, however many there are. */
const PAGE = engineStatement<readonly [...HistoryRecord, found: number]>(
  'read history',
  PAGE_OF('account_id = $1 AND upload_order = $2', 'a.account_id = $1 AND a.author_id = h.author_id'),
  PAGE_OF('sku = $2', 'a.author_id = h.author_id'),
);
/** The first record after `$3` of each part, or of each node of the stock. */
const NEXT = rowsStatement<[part: number, node: string | null, ...StoredValue]>(
  'read next history',
  `SELECT i.part, i.node, n.amount, n.text FROM unnest($4::smallint[], $5::text[]) AS i (part, node)
   CROSS JOIN LATERAL (
     SELECT o.amount, o.text FROM offer_history o
     WHERE o.account_id = $1 AND o.upload_order = $2 AND o.seq > $3 AND o.part = i.part
       AND (i.node IS NULL OR o.text::jsonb ? i.node)
     ORDER BY o.seq LIMIT 1
   ) n`,
  `SELECT part, $5, amount, text FROM offer_history
   WHERE sku = $2 AND seq > $3 AND part = $4
     AND ($5 IS NULL OR EXISTS (SELECT 1 FROM json_each(text) e WHERE e.key = $5))
   ORDER BY seq LIMIT 1`,
);

/**
 * The "after" of a record is the "before" of the next record of the same part or node, which is usually on the same page. For the
 * newest record of a part or node on the page, the next one is looked up; if there is none, "after" is the current value.
 */
export const readHistory = snapshot<HistoryStore['readHistory']>(
  { account: true },
  async (sql, { accountId, skuId }, { after, limit, sinceMs }) => {
    const [offer] = await sql.run(FIND_ORDER, [accountId, skuId]);
    if (offer === undefined) return undefined;
    const [order] = offer;
    const rows = await sql.run(PAGE, [accountId, order, after ?? Number.MAX_SAFE_INTEGER, sinceMs, limit]);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    if (last === undefined) return { changes: [], next: undefined };
    const values = await valuesAfter(sql, accountId, order, page);
    return { changes: page.map((row) => changeOf(row, values)), next: last[6] > page.length ? last[0] : undefined };
  },
);

/** Each offer's records from the author's first record on, in order of time. */
const CHANGES_BY = rowsStatement<RecordBy>(
  'read changes by author',
  `SELECT o.sku_id, h.author_id = a.author_id, h.amount, h.text
   FROM author a
   CROSS JOIN offer o
   CROSS JOIN LATERAL (
     SELECT e.seq, e.author_id, e.amount, e.text FROM offer_history e
     WHERE e.account_id = $1 AND e.upload_order = o.upload_order AND e.part = $3 AND e.seq >= (
       SELECT min(f.seq) FROM offer_history f
       WHERE f.account_id = $1 AND f.upload_order = o.upload_order AND f.part = $3 AND f.author_id = a.author_id)
     OFFSET 0
   ) h
   WHERE a.account_id = $1 AND a.name = $2 AND o.account_id = $1 AND o.sku_id = ANY ($4::text[])
   ORDER BY o.sku_id, h.seq`,
  `SELECT s.sku_id, h.author_id = a.author_id, h.amount, h.text
   FROM sku s
   JOIN author a ON a.account_id = s.account_id AND a.name = $2
   JOIN offer_history h ON h.sku = s.id AND h.part = $3
   WHERE s.account_id = $1 AND s.sku_id = $4 AND h.seq >= (
     SELECT min(f.seq) FROM offer_history f WHERE f.sku = s.id AND f.part = $3 AND f.author_id = a.author_id)
   ORDER BY h.seq`,
);

export const readChangesBy = scan<HistoryStore['readChangesBy']>(async (sql, accountId, by, part, skuIds) => {
  const rows = await sql.run(CHANGES_BY, [accountId, by, PART_CODES[part], skuIds]);
  return Array.from(Map.groupBy(rows, ([skuId]) => skuId).values(), (records) => changeBy(part, records));
});

/** Each offer's stock before its last record of the archive flag, if that record archived it: one write changes both. */
const ARCHIVED_STOCK = rowsStatement<[skuId: string, text: string]>(
  'read stock before archiving',
  `SELECT o.sku_id, s.text
   FROM offer o
   CROSS JOIN LATERAL (
     SELECT h.at_ms, h.author_id, h.amount FROM offer_history h
     WHERE h.account_id = $1 AND h.upload_order = o.upload_order AND h.part = ${PART_CODES.archive}
     ORDER BY h.seq DESC LIMIT 1
   ) a
   CROSS JOIN LATERAL (
     SELECT h.text FROM offer_history h
     WHERE h.account_id = $1 AND h.upload_order = o.upload_order AND h.part = ${PART_CODES.inventory}
       AND h.at_ms = a.at_ms AND h.author_id = a.author_id
     ORDER BY h.seq DESC LIMIT 1
   ) s
   WHERE o.account_id = $1 AND o.sku_id = ANY ($2::text[]) AND a.amount = 0`,
  `SELECT s.sku_id, i.text
   FROM sku s
   JOIN offer_history a ON a.seq = (
     SELECT max(h.seq) FROM offer_history h WHERE h.sku = s.id AND h.part = ${PART_CODES.archive})
   JOIN offer_history i ON i.seq = (
     SELECT max(h.seq) FROM offer_history h
     WHERE h.sku = s.id AND h.part = ${PART_CODES.inventory} AND h.at_ms = a.at_ms AND h.author_id = a.author_id)
   WHERE s.account_id = $1 AND s.sku_id = $2 AND a.amount = 0`,
);

export const readArchivedStock = scan<HistoryStore['readArchivedStock']>(
  rowsOf(ARCHIVED_STOCK, ([skuId, text]) => ({ skuId, before: { part: 'inventory', nodes: nodesIn(text) } })),
);

/** Returns the values after the page's newest record, which comes first. */
async function valuesAfter(
  sql: Sql,
  accountId: number,
  order: number,
  page: readonly (readonly [...HistoryRecord, found: number])[],
): Promise<PartValues> {
  const values = await currentValues(sql, accountId, order);
  const changed = page.flatMap(([, , , part, , text]): [number, string | null][] => {
    return part === PART_CODES.inventory ? nodesIn(text).map(({ nodeId }) => [part, nodeId]) : [[part, null]];
  });
  const each = [...new Map(changed.map((one) => [valueKey(...one), one])).values()];
  const next = await sql.run(NEXT, [accountId, order, page[0]?.[0], ...listsOf(each, 0, 1)]);
  for (const [part, node, amount, text] of next) {
    values.set(valueKey(part, node), node === null ? storedValue(part, amount, text) : JSON.parse(text ?? '{}')[node]);
  }
  return values;
}

async function currentValues(sql: Sql, accountId: number, order: number): Promise<PartValues> {
  const [offer] = await readOffers(sql, accountId, order - 1, 1);
  if (offer === undefined) throw new Error('The offer is missing from the snapshot.');
  const { skuId, price, inventory } = offer.record;
  const shown = READ_REVIEWED.of((await sql.run(READ_REVIEWED.statement, [accountId, skuId]))[0]);
  const values = new Map<string, unknown>();
  for (const { code, source, valueIn } of PARTS) {
    if (source === 'offer' && shown !== undefined) values.set(valueKey(code, null), valueIn(shown));
  }
  values.set(valueKey(PART_CODES.price, null), price && { price: price.price, nodes: price.nodes });
  for (const { fulfillment_node_id: nodeId, quantity } of inventory.nodes) {
    values.set(valueKey(PART_CODES.inventory, nodeId), quantity);
  }
  return values;
}
