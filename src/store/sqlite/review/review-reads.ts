/** Reads offers for the review. Runs in the reader thread, a few hundred documents at a time. */

import { type GroupStanding, groupStanding } from '../../../domain/variation-group.ts';
import { type DueFigures, dueFigures } from '../../port/review.ts';
import { type Connection, query } from '../engine/engine.ts';

export type ReviewReads = ReturnType<typeof reviewReads>;

export function reviewReads(connection: Connection) {
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

  return { readReviewFigures, readGroupsOf };
}
