/** In charge of reading whole variation groups for the review, with what their members' data make of them. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type GroupStanding, groupStanding } from '../../../domain/variation-group.ts';
import { statement } from '../../shared/sql.ts';
import type { Connection } from '../engine/engine.ts';

/** One statement, so that a group is of one state. Of a member's attributes only the refinements are sent, as numbers were. */
const GROUPS = statement<
  [
    parentSkuId: string,
    refinements: string,
    skuId: string,
    brand: string | null,
    attributes: string | null,
    due: boolean,
    judged: string | null,
  ]
>(
  'read groups',
  `WITH asked AS MATERIALIZED (
     SELECT DISTINCT offer.group_parent AS sku_id FROM unnest($2::text[]) AS i (sku_id)
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ), parent AS MATERIALIZED (
     SELECT offer.sku_id, offer.group_refinements FROM asked
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = asked.sku_id
     WHERE offer.group_position = 0
   )
   SELECT parent.sku_id, parent.group_refinements, member.sku_id, described.brand,
     (SELECT json_agg(attribute) FROM json_array_elements(described.attributes_node_specific) attribute
      WHERE attribute ->> 'attribute_id' = ANY (ARRAY(SELECT json_array_elements_text(parent.group_refinements::json)))),
     member.review_mark IS NOT NULL, member.review_evidence::json -> 'group'
   FROM parent
   JOIN offer member ON member.account_id = $1 AND member.group_parent = parent.sku_id
   CROSS JOIN LATERAL json_to_record(member.document::json) AS described (brand text, attributes_node_specific json)
   ORDER BY parent.sku_id, member.group_position`,
);

export async function readGroupsOf(
  connection: Connection,
  accountId: number,
  memberSkuIds: readonly string[],
): Promise<readonly GroupStanding[]> {
  const rows = await connection.run(GROUPS, [accountId, memberSkuIds]);
  const standings: GroupStanding[] = [];
  for (const group of Map.groupBy(rows, ([parentSkuId]) => parentSkuId).values()) {
    // Each may take some milliseconds of the thread that answers requests.
    if (standings.length > 0) await nextTurn();
    const members = group.map(([, , skuId, brand, attributes, due, judged]) => {
      return { skuId, brand: brand ?? '', attributes, due, judged };
    });
    standings.push(groupStanding(group[0]?.[1] ?? '[]', members));
  }
  return standings;
}
