/**
 * Defines how both adapters store the history of offers, and reads it. Parts are codes, and the old value is an amount and a text,
 * which take less space than JSON and can be compared.
 */
import type { Author } from '../../domain/author.ts';
import { parseExactJson, stringifyExactJson } from '../../domain/int64.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';
import type { HistoryPage, HistoryStore, NodeChange, OfferChange } from '../port/history.ts';
import type { GroupUpload } from '../port/offers.ts';
import { scan } from './command.ts';
import { FIND_ORDER } from './moves/offer-rows.ts';
import { SQLITE_CHILDREN } from './offer-columns.ts';
import { engineStatement } from './sql.ts';

/** The numbers are stored, so never reuse one. */
export const PART_CODES = Object.freeze({
  sku: 1,
  price: 2,
  inventory: 3,
  archive: 4,
  variation: 5,
  shipping_exception: 6,
  returns_exception: 7,
}) satisfies Readonly<Record<HistoryPart, number>>;

export const PARTS: ReadonlyMap<number, HistoryPart> = new Map(
  Object.entries(PART_CODES).map(([part, code]) => [code, part as HistoryPart]),
);

/** Records shown per offer, because the new value of a record is looked up among the newer ones. */
const SHOWN_MAX = 2_000;

/** Newest records of an offer among which a file's earlier record of a part is looked up. */
export const TOLD_AMONG_MAX = 100;

/** A page ends early after this many characters, because documents may be large. */
const PAGE_CHARACTERS_MAX = 2_000_000;

/**
 * The value of a part; both null if there was none. `amount`: the price, or 1 for archived and 0 for not archived. `text`: the
 * document, or JSON text of node prices, a group (list of refinements, title, children) or exceptions. For stock it is a
 * JSON object with the quantities of the changed nodes; null: the node had none.
 */
interface StoredValue {
  readonly amount: number | null;
  readonly text: string | null;
}

/** A row of a page of the history, as both engines read it. A stock record has a row for each node, with quantities as amounts. */
type HistoryColumns = readonly [
  /** Order of the records; rows of one record share it. */
  seq: number,
  atMs: number,
  by: Author,
  part: number,
  node: string | null,
  ...before: readonly [amount: number | null, text: string | null],
  ...after: readonly [amount: number | null, text: string | null],
  more: boolean | 0 | 1,
];

const { inventory } = PART_CODES;

/** The group of the offer in the format of the history; null unless the offer is a parent. */
export const GROUP_TEXT = `CASE WHEN offer.group_parent = offer.sku_id THEN jsonb_build_array(
       offer.group_refinements::jsonb, offer.group_title, (
         SELECT coalesce(jsonb_agg(child.sku_id ORDER BY child.group_position), '[]') FROM offer child
         WHERE child.account_id = $1 AND child.group_parent = offer.sku_id AND child.sku_id <> offer.sku_id)) END`;

/** The same on SQLite, for the row `g` of `variation_group`. */
export const SQLITE_GROUP_TEXT = `json_array(json(g.refinements), g.title, json(${SQLITE_CHILDREN}))`;

/** The current parts of the SKU on SQLite, in the format of history records. */
const SQLITE_CURRENT = `
  SELECT ${PART_CODES.sku} AS part, NULL AS node, NULL AS amount, document AS text FROM sku_document WHERE sku = $2
  UNION ALL SELECT ${PART_CODES.price}, NULL, price, nullif(nodes, '[]') FROM price WHERE sku = $2
  UNION ALL SELECT ${inventory}, node_id, quantity, NULL FROM inventory WHERE sku = $2
  UNION ALL SELECT ${PART_CODES.archive}, NULL, archived, NULL FROM sku WHERE id = $2
  UNION ALL SELECT ${PART_CODES.variation}, NULL, NULL, ${SQLITE_GROUP_TEXT} FROM variation_group g WHERE g.parent = $2
  UNION ALL SELECT ${PART_CODES.shipping_exception}, NULL, NULL, exceptions FROM shipping_exception WHERE sku = $2
  UNION ALL SELECT ${PART_CODES.returns_exception}, NULL, NULL, location_ids FROM returns_exception WHERE sku = $2`;

/**
 * The "after" of a record is the "before" of the next record of its part or node, which is usually on the same page. For the newest
 * record of each part it is looked up among later records; otherwise it is the current value. A single statement sees one snapshot.
 */
const PAGE = engineStatement<HistoryColumns>(
  'read history',
  `WITH found AS MATERIALIZED (
     SELECT h.seq, h.at_ms, h.author_id, h.part, h.amount, h.text,
       sum(coalesce(length(h.text), 0)) OVER (ORDER BY h.seq DESC) - coalesce(length(h.text), 0) AS characters_before,
       row_number() OVER (ORDER BY h.seq DESC) AS place
     FROM (
       SELECT o.* FROM offer_history o
       WHERE o.account_id = $1 AND o.upload_order = $2 AND o.seq < $3 AND o.at_ms >= $4 AND o.seq > coalesce((
         SELECT s.seq FROM offer_history s WHERE s.account_id = $1 AND s.upload_order = $2
         ORDER BY s.seq DESC LIMIT 1 OFFSET ${SHOWN_MAX}), 0)
       ORDER BY o.seq DESC LIMIT $5::bigint + 1
     ) h
   ), page AS MATERIALIZED (
     SELECT * FROM found WHERE place <= $5::bigint AND characters_before < ${PAGE_CHARACTERS_MAX}
   ), parts AS MATERIALIZED (
     SELECT seq, at_ms, author_id, part, NULL::text AS node, amount, text FROM page WHERE part <> ${inventory}
     UNION ALL
     SELECT seq, at_ms, author_id, part, n.key, (n.value #>> '{}')::float8, NULL
     FROM page CROSS JOIN LATERAL jsonb_each(CASE WHEN part = ${inventory} THEN text::jsonb END) n
   ), linked AS MATERIALIZED (
     SELECT parts.*, lag(seq) OVER (PARTITION BY part, node ORDER BY seq DESC) AS next_in_page FROM parts
   ), current AS MATERIALIZED (
     SELECT p.part, NULL::text AS node, p.amount, p.text FROM offer CROSS JOIN LATERAL (VALUES
         (${PART_CODES.sku}, NULL, offer.document),
         (${PART_CODES.price}, offer.price, nullif(offer.price_nodes, '[]')),
         (${PART_CODES.archive}, CASE WHEN offer.archived THEN 1 ELSE 0 END, NULL),
         (${PART_CODES.variation}, NULL, (${GROUP_TEXT})::text),
         (${PART_CODES.shipping_exception}, NULL, offer.shipping_exceptions),
         (${PART_CODES.returns_exception}, NULL, offer.return_location_ids)
       ) AS p (part, amount, text)
     WHERE offer.account_id = $1 AND offer.upload_order = $2
     UNION ALL
     SELECT ${inventory}, n.key,
       CASE WHEN (n.value ->> 2)::bigint < offer.inventory_zeroed_number THEN 0 ELSE (n.value ->> 0)::float8 END, NULL
     FROM offer CROSS JOIN LATERAL jsonb_each(offer.inventory) n
     WHERE offer.account_id = $1 AND offer.upload_order = $2
   )
   SELECT l.seq, l.at_ms, a.name, l.part, l.node, l.amount, l.text,
     CASE WHEN n.seq IS NULL THEN c.amount WHEN l.node IS NULL THEN n.amount ELSE (n.text::jsonb ->> l.node)::float8 END,
     CASE WHEN n.seq IS NULL THEN c.text WHEN l.node IS NULL THEN n.text END,
     (SELECT count(*) FROM found) > (SELECT count(*) FROM page)
   FROM linked l
   CROSS JOIN LATERAL (
     SELECT author.name FROM author WHERE author.account_id = $1 AND author.author_id = l.author_id LIMIT 1
   ) a
   LEFT JOIN LATERAL (
     SELECT o.seq, o.amount, o.text FROM offer_history o
     WHERE o.account_id = $1 AND o.upload_order = $2 AND o.seq >= coalesce(l.next_in_page, l.seq + 1)
       AND o.part = l.part AND (l.node IS NULL OR o.text::jsonb ? l.node)
     ORDER BY o.seq LIMIT 1
   ) n ON true
   LEFT JOIN LATERAL (
     SELECT now.amount, now.text FROM current now
     WHERE n.seq IS NULL AND now.part = l.part AND now.node IS NOT DISTINCT FROM l.node LIMIT 1
   ) c ON true
   ORDER BY l.seq DESC, l.node`,
  `WITH found AS MATERIALIZED (
    SELECT h.*,
      sum(ifnull(length(h.text), 0)) OVER (ORDER BY h.seq DESC) - ifnull(length(h.text), 0) AS characters_before,
      row_number() OVER (ORDER BY h.seq DESC) AS place
    FROM (
      SELECT * FROM offer_history WHERE sku = $2 AND seq < $3 AND at_ms >= $4 AND seq > ifnull((
        SELECT seq FROM offer_history WHERE sku = $2 ORDER BY seq DESC LIMIT 1 OFFSET ${SHOWN_MAX}), 0)
      ORDER BY seq DESC LIMIT $5 + 1
    ) h
  ), page AS MATERIALIZED (
    SELECT * FROM found WHERE place <= $5 AND characters_before < ${PAGE_CHARACTERS_MAX}
  ), parts AS MATERIALIZED (
    SELECT seq, at_ms, author_id, part, NULL AS node, amount, text FROM page WHERE part <> ${inventory}
    UNION ALL
    SELECT seq, at_ms, author_id, part, n.key, n.value, NULL FROM page, json_each(page.text) n WHERE part = ${inventory}
  ), linked AS MATERIALIZED (
    SELECT *, ifnull(lag(seq) OVER (PARTITION BY part, node ORDER BY seq DESC), (
      SELECT n.seq FROM offer_history n
      WHERE n.sku = $2 AND n.seq > parts.seq AND n.part = parts.part
        AND (parts.node IS NULL OR EXISTS (SELECT 1 FROM json_each(n.text) e WHERE e.key = parts.node))
      ORDER BY n.seq LIMIT 1)) AS next_seq
    FROM parts
  ), current AS (${SQLITE_CURRENT})
  SELECT l.seq, l.at_ms, a.name, l.part, l.node, l.amount, l.text,
    CASE
      WHEN n.seq IS NULL THEN c.amount
      WHEN l.node IS NULL THEN n.amount
      ELSE (SELECT e.value FROM json_each(n.text) e WHERE e.key = l.node)
    END,
    CASE WHEN n.seq IS NULL THEN c.text WHEN l.node IS NULL THEN n.text END,
    (SELECT count(*) FROM found) > (SELECT count(*) FROM page)
  FROM linked l
  JOIN author a ON a.author_id = l.author_id
  LEFT JOIN offer_history n ON n.seq = l.next_seq
  LEFT JOIN current c ON n.seq IS NULL AND c.part = l.part AND c.node IS l.node
  ORDER BY l.seq DESC, l.node`,
);

/** Runs in the reader thread on SQLite, because it may read thousands of records. */
export const readHistory = scan<HistoryStore['readHistory']>(
  async (sql, { accountId, skuId }, { after, limit, sinceMs }) => {
    const [offer] = await sql.run(FIND_ORDER, [accountId, skuId]);
    if (offer === undefined) return undefined;
    return pageOf(await sql.run(PAGE, [accountId, offer[0], after ?? Number.MAX_SAFE_INTEGER, sinceMs, limit]));
  },
);

/** Rows of one record are adjacent. */
function pageOf(rows: readonly HistoryColumns[]): HistoryPage {
  const records = Map.groupBy(rows, ([seq]) => seq);
  const last = rows.at(-1);
  return { changes: Array.from(records.values(), changeOf), next: last?.[9] ? last[0] : undefined };
}

function changeOf(rows: readonly HistoryColumns[]): OfferChange {
  const [id, atMs, by, code, , amount, text, amountAfter, textAfter] = rows[0] as HistoryColumns;
  const before = { amount, text };
  const after = { amount: amountAfter, text: textAfter };
  const part = PARTS.get(code);
  switch (part) {
    case 'sku':
    case 'shipping_exception':
      return { id, atMs, by, part, before: before.text, after: after.text };
    case 'price':
      return { id, atMs, by, part, before: priceOf(before), after: priceOf(after) };
    case 'inventory':
      return { id, atMs, by, part, nodes: rows.map(nodeChangeOf) };
    case 'archive':
      return { id, atMs, by, part, before: before.amount === 1, after: after.amount === 1 };
    case 'variation':
      return { id, atMs, by, part, before: groupOf(before), after: groupOf(after) };
    case 'returns_exception':
      return { id, atMs, by, part, before: listOf(before), after: listOf(after) };
    case undefined:
      throw new Error(`The history has an unknown part ${code}.`);
  }
}

function nodeChangeOf([, , , , node, before, , after]: HistoryColumns): NodeChange {
  return { nodeId: node ?? '', before, after };
}

function priceOf({ amount, text }: StoredValue) {
  return amount === null ? null : { price: amount, nodes: text === null ? [] : JSON.parse(text) };
}

function groupOf({ text }: StoredValue): GroupUpload | null {
  if (text === null) return null;
  const [refinements, title, childrenSkus] = parseExactJson(text) as [unknown, string | null, string[]];
  return { refinements: stringifyExactJson(refinements), title, childrenSkus };
}

function listOf({ text }: StoredValue): readonly string[] | null {
  return text === null ? null : JSON.parse(text);
}
