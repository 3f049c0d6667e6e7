/** Reads the history of an offer. Runs in the reader thread, because it may read thousands of records. */
import type { HistoryPage, HistoryPageRequest } from '../../port/history.ts';
import type { SkuKey } from '../../port/offers.ts';
import { type HistoryColumns, PAGE_CHARACTERS_MAX, PART_CODES, pageOf, SHOWN_MAX } from '../../shared/history-rows.ts';
import { type Connection, query } from '../engine/engine.ts';
import { skuLookup } from '../offers/sku-lookup.ts';
import { GROUP_TEXT } from './history-writes.ts';

const { inventory } = PART_CODES;

/** The current parts of the SKU ?1, in the format of history records. */
const CURRENT = `
  SELECT ${PART_CODES.sku} AS part, NULL AS node, NULL AS amount, document AS text FROM sku_document WHERE sku = ?1
  UNION ALL SELECT ${PART_CODES.price}, NULL, price, nullif(nodes, '[]') FROM price WHERE sku = ?1
  UNION ALL SELECT ${inventory}, node_id, quantity, NULL FROM inventory WHERE sku = ?1
  UNION ALL SELECT ${PART_CODES.archive}, NULL, archived, NULL FROM sku WHERE id = ?1
  UNION ALL SELECT ${PART_CODES.variation}, NULL, NULL, ${GROUP_TEXT} FROM variation_group g WHERE g.parent = ?1
  UNION ALL SELECT ${PART_CODES.shipping_exception}, NULL, NULL, exceptions FROM shipping_exception WHERE sku = ?1
  UNION ALL SELECT ${PART_CODES.returns_exception}, NULL, NULL, location_ids FROM returns_exception WHERE sku = ?1`;

/**
 * A record's "after" is the "before" of the next record of its part or node: usually on the same page; for the newest of
 * each part it is looked up on earlier pages, or is the current value. A single statement sees one snapshot.
 */
const PAGE = `
  WITH found AS MATERIALIZED (
    SELECT h.*,
      sum(ifnull(length(h.text), 0)) OVER (ORDER BY h.seq DESC) - ifnull(length(h.text), 0) AS characters_before,
      row_number() OVER (ORDER BY h.seq DESC) AS place
    FROM (
      SELECT * FROM offer_history WHERE sku = ?1 AND seq < ?2 AND at_ms >= ?3 AND seq > ifnull((
        SELECT seq FROM offer_history WHERE sku = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${SHOWN_MAX}), 0)
      ORDER BY seq DESC LIMIT ?4 + 1
    ) h
  ), page AS MATERIALIZED (
    SELECT * FROM found WHERE place <= ?4 AND characters_before < ${PAGE_CHARACTERS_MAX}
  ), parts AS MATERIALIZED (
    SELECT seq, at_ms, author_id, part, NULL AS node, amount, text FROM page WHERE part <> ${inventory}
    UNION ALL
    SELECT seq, at_ms, author_id, part, n.key, n.value, NULL FROM page, json_each(page.text) n WHERE part = ${inventory}
  ), linked AS MATERIALIZED (
    SELECT *, ifnull(lag(seq) OVER (PARTITION BY part, node ORDER BY seq DESC), (
      SELECT n.seq FROM offer_history n
      WHERE n.sku = ?1 AND n.seq > parts.seq AND n.part = parts.part
        AND (parts.node IS NULL OR EXISTS (SELECT 1 FROM json_each(n.text) e WHERE e.key = parts.node))
      ORDER BY n.seq LIMIT 1)) AS next_seq
    FROM parts
  ), current AS (${CURRENT})
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
  ORDER BY l.seq DESC, l.node`;

export type HistoryReads = ReturnType<typeof historyReads>;

export function historyReads(connection: Connection) {
  const skus = skuLookup(connection);
  const selectPage = query<HistoryColumns>(connection, PAGE);

  function readHistory(
    { accountId, skuId }: SkuKey,
    { after, limit, sinceMs }: HistoryPageRequest,
  ): HistoryPage | undefined {
    const sku = skus.find(accountId, skuId);
    if (sku === undefined) return undefined;
    return pageOf(selectPage.all(sku[0], after ?? Number.MAX_SAFE_INTEGER, sinceMs, limit));
  }

  return { readHistory };
}
