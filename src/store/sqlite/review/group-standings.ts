/**
 * In charge of reading whole variation groups for the review, with what their members' data make of them. Runs in the reader
 * thread: a group may have 2,001 members with 50 attributes each.
 */
import { type GroupStanding, groupStanding } from '../../../domain/variation-group.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';

export class GroupStandings {
  readonly #groupsOf;
  readonly #members;

  constructor(connection: Connection) {
    this.#groupsOf = query<[parent: number]>(
      connection,
      `SELECT DISTINCT m.parent FROM json_each(?2) asked
       CROSS JOIN sku s ON s.account_id = ?1 AND s.sku_id = asked.value
       CROSS JOIN variation_member m ON m.sku = s.id`,
    );
    // One statement for a group, so that all of it is of one state.
    this.#members = query<
      [
        refinements: string,
        skuId: string,
        brand: string | null,
        attributes: string | null,
        due: 0 | 1,
        judged: string | null,
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
  }

  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): GroupStanding[] {
    return this.#groupsOf.all(accountId, JSON.stringify(memberSkuIds)).flatMap(([parent]) => {
      const rows = this.#members.all(parent);
      const refinements = rows[0]?.[0];
      if (refinements === undefined) return [];
      const members = rows.map(([, skuId, brand, attributes, due, judged]) => {
        return { skuId, brand: brand ?? '', attributes, due: due === 1, judged };
      });
      return [groupStanding(refinements, members)];
    });
  }
}
