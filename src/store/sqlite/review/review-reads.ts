/** Reads offers for the review. Runs in the reader thread, some hundred documents at once. */

import { type GroupStanding, groupStanding } from '../../../domain/variation-group.ts';
import { type DueFigures, type DueOffer, dueFigures } from '../../port/review.ts';
import { type Connection, query } from '../engine/engine.ts';

/**
 * The nodes of the SKU `s` as JSON text, and whether it is in a group. Nodes come in key order: ORDER BY would sort them,
 * which takes 3 of the 14 us of a read.
 */
export const STOCK_NODES = '(SELECT json_group_array(i.node_id) FROM inventory i WHERE i.sku = s.id)';
export const IN_GROUP = 'EXISTS (SELECT 1 FROM variation_member m WHERE m.sku = s.id)';

const NO_NODES: readonly string[] = Object.freeze([]);

export function stockNodeIds(text: string): readonly string[] {
  return text === '[]' ? NO_NODES : JSON.parse(text);
}

export type ReviewReads = ReturnType<typeof reviewReads>;

export function reviewReads(connection: Connection) {
  // One statement, so that offer and mark are from one snapshot.
  const selectDue = query<
    [
      skuId: string,
      mark: number,
      document: string,
      archived: 0 | 1,
      priced: 0 | 1,
      stockNodes: string,
      inGroup: 0 | 1,
      evidence: string | null,
    ]
  >(
    connection,
    `SELECT s.sku_id, q.mark, d.document, s.archived, EXISTS (SELECT 1 FROM price p WHERE p.sku = s.id),
       ${STOCK_NODES}, ${IN_GROUP}, r.evidence
     FROM review_due q INDEXED BY review_due_by_account
     CROSS JOIN sku s ON s.id = q.sku
     CROSS JOIN sku_document d ON d.sku = q.sku
     LEFT JOIN review r ON r.sku = q.sku
     WHERE q.account_id = ? ORDER BY q.mark, q.sku LIMIT ?`,
  );
  const selectShoes = query<[skuId: string]>(
    connection,
    `SELECT s.sku_id FROM review r INDEXED BY review_by_shoe_key CROSS JOIN sku s ON s.id = r.sku
     WHERE r.account_id = ? AND r.shoe_key = ? ORDER BY s.sku_id LIMIT ?`,
  );
  // Counts in the index alone. The offer with the lowest mark has been due longest.
  const selectFigures = query<[accountId: number, due: number, oldestMs: number]>(
    connection,
    `SELECT account_id, due, (SELECT q.marked_ms FROM review_due q INDEXED BY review_due_by_account
       WHERE q.account_id = counted.account_id ORDER BY q.mark, q.sku LIMIT 1)
     FROM (SELECT account_id, count(*) AS due FROM review_due INDEXED BY review_due_by_account GROUP BY account_id) counted`,
  );
  const selectGroups = query<[parent: number]>(
    connection,
    `SELECT DISTINCT m.parent FROM json_each(?2) asked
     CROSS JOIN sku s ON s.account_id = ?1 AND s.sku_id = asked.value
     CROSS JOIN variation_member m ON m.sku = s.id`,
  );
  // One statement per group, so that it is from one snapshot.
  const selectMembers = query<
    [
      refinements: string,
      skuId: string,
      brand: string | null,
      attributes: string | null,
      due: 0 | 1,
      reviewed: string | null,
    ]
  >(
    connection,
    `SELECT g.refinements, s.sku_id, d.document ->> '$.brand', d.document -> '$.attributes_node_specific',
       EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id), r.evidence -> '$.group'
     FROM variation_group g
     CROSS JOIN variation_member m ON m.parent = g.parent
     CROSS JOIN sku s ON s.id = m.sku
     CROSS JOIN sku_document d ON d.sku = m.sku
     LEFT JOIN review r ON r.sku = m.sku
     WHERE g.parent = ? ORDER BY m.position`,
  );

  function readDueOffers(accountId: number, limit: number): DueOffer[] {
    return selectDue
      .all(accountId, limit)
      .map(([skuId, mark, document, archived, priced, stockNodes, inGroup, evidence]) => ({
        skuId,
        mark,
        document,
        archived: archived === 1,
        priced: priced === 1,
        stockNodeIds: stockNodeIds(stockNodes),
        inGroup: inGroup === 1,
        evidence,
      }));
  }

  function readShoeGroup(accountId: number, shoeKey: string, limit: number): string[] {
    return selectShoes.all(accountId, shoeKey, limit).map(([skuId]) => skuId);
  }

  function readReviewFigures(): DueFigures {
    const nowMs = Date.now();
    const accounts = selectFigures.all().map(([accountId, due, oldestMs]) => {
      return { accountId, due, oldestDue_ms: Math.max(0, nowMs - oldestMs) };
    });
    return dueFigures(accounts, 0);
  }

  /** A group may have 2,001 members with 50 attributes each. */
  function readGroupsOf(accountId: number, memberSkuIds: readonly string[]): GroupStanding[] {
    return selectGroups.all(accountId, JSON.stringify(memberSkuIds)).flatMap(([parent]) => {
      const rows = selectMembers.all(parent);
      const refinements = rows[0]?.[0];
      if (refinements === undefined) return [];
      const members = rows.map(([, skuId, brand, attributes, due, reviewed]) => {
        return { skuId, brand: brand ?? '', attributes, due: due === 1, reviewed };
      });
      return [groupStanding(refinements, members)];
    });
  }

  return { readDueOffers, readShoeGroup, readReviewFigures, readGroupsOf };
}
