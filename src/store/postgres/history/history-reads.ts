/** Reads the history of an offer, and drops old records. */
import type { HistoryPage, HistoryPageRequest } from '../../port/history.ts';
import type { SkuKey } from '../../port/offers.ts';
import { type HistoryColumns, PAGE_CHARACTERS_MAX, PART_CODES, pageOf, SHOWN_MAX } from '../../shared/history-rows.ts';
import { FIND_ORDER } from '../../shared/moves/offer-rows.ts';
import { type Connection, type Database, statement } from '../engine/engine.ts';
import { AUTHOR_KEPT_LONGER_MS } from './authors.ts';

const { inventory } = PART_CODES;

/** The group of the offer in the format of the history; null unless the offer is a parent. */
export const GROUP_TEXT = `CASE WHEN offer.group_parent = offer.sku_id THEN jsonb_build_array(
       offer.group_refinements::jsonb, offer.group_title, (
         SELECT coalesce(jsonb_agg(child.sku_id ORDER BY child.group_position), '[]') FROM offer child
         WHERE child.account_id = $1 AND child.group_parent = offer.sku_id AND child.sku_id <> offer.sku_id)) END`;

/**
 * The "after" of a record is the "before" of the next record of its part or node, which is usually on the same page. For the newest
 * record of each part it is looked up among later records; otherwise it is the current value. A single statement sees one snapshot.
 */
const PAGE = statement<HistoryColumns>(
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
);

export async function readHistory(
  connection: Connection,
  { accountId, skuId }: SkuKey,
  { after, limit, sinceMs }: HistoryPageRequest,
): Promise<HistoryPage | undefined> {
  const [offer] = await connection.run(FIND_ORDER, [accountId, skuId]);
  if (offer === undefined) return undefined;
  const asked = [accountId, offer[0], after ?? Number.MAX_SAFE_INTEGER, sinceMs, limit];
  return pageOf(await connection.run(PAGE, asked));
}

/** About 10 ms of work. */
const SLICE_RECORDS = 2000;

const FIND_OLD = statement<[accountId: number]>(
  'find accounts with old history',
  'SELECT account_id FROM offer_history WHERE at_ms < $1 LIMIT 1',
);
const DROP = statement<[]>(
  'drop old history',
  `DELETE FROM offer_history WHERE account_id = $1 AND (upload_order, seq) IN (
     SELECT h.upload_order, h.seq FROM offer_history h WHERE h.account_id = $1 AND h.at_ms < $2
     LIMIT ${SLICE_RECORDS})`,
);
const FIND_OLD_AUTHORS = statement<[accountId: number]>(
  'find accounts with old authors',
  'SELECT account_id FROM author WHERE noted_ms < $1 LIMIT 1',
);
const DROP_AUTHORS = statement<[]>('drop old authors', 'DELETE FROM author WHERE account_id = $1 AND noted_ms < $2');

export async function dropHistory(database: Database, beforeMs: number): Promise<'more' | 'done'> {
  const [old] = await database.run(FIND_OLD, [beforeMs]);
  if (old !== undefined) {
    await database.run(DROP, [old[0], beforeMs]);
    return 'more';
  }
  const notedMs = beforeMs - AUTHOR_KEPT_LONGER_MS;
  const [silent] = await database.run(FIND_OLD_AUTHORS, [notedMs]);
  if (silent === undefined) return 'done';
  await database.run(DROP_AUTHORS, [silent[0], notedMs]);
  return 'more';
}
