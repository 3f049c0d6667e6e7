/** Reads many SKUs at once: pages of the SKU list, and group members. */
import { describeMembers } from '../../../domain/offers/variation-group.ts';
import type { OfferStore } from '../../port/offers.ts';
import { scan } from '../command.ts';
import { FIND_ORDER } from '../moves/offer-rows.ts';
import { engineStatement } from '../sql.ts';
import type { Flag } from './offer-columns.ts';

/** On SQLite, the statement names the index with this order: if the index cannot be used, it fails instead of sorting slowly. */
const PAGE = engineStatement<[skuId: string]>(
  'list skus',
  `SELECT sku_id FROM offer WHERE account_id = $1 AND upload_order > $2
   ORDER BY upload_order LIMIT $3::bigint OFFSET $4::bigint`,
  'SELECT sku_id FROM sku INDEXED BY sku_by_account WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3 OFFSET $4',
);
/**
 * `json`, and SQLite's JSON as text, preserve integers beyond 2^53. PostgreSQL sends only the refinements (`$2`) among a member's
 * attributes: 50 attributes of 2,001 members would be 10 MB to parse on the request thread.
 */
const MEMBERS = engineStatement<[skuId: string, archived: Flag, brand: string | null, attributes: string | null]>(
  'read members',
  `SELECT offer.sku_id, offer.archived, described.brand,
     (SELECT json_agg(attribute) FROM json_array_elements(described.attributes_node_specific) attribute
      WHERE attribute ->> 'attribute_id' = ANY ($2::text[]))
   FROM unnest($3::text[]) WITH ORDINALITY AS asked (sku_id, index)
   JOIN offer ON offer.account_id = $1 AND offer.sku_id = asked.sku_id
   CROSS JOIN LATERAL json_to_record(offer.document::json) AS described (brand text, attributes_node_specific json)
   ORDER BY asked.index`,
  `SELECT s.sku_id, s.archived, d.document ->> '$.brand', d.document -> '$.attributes_node_specific'
   FROM json_each($3) asked
   CROSS JOIN sku s ON s.account_id = $1 AND s.sku_id = asked.value
   CROSS JOIN sku_document d ON d.sku = s.id
   ORDER BY asked.key`,
);

export const listSkus = scan<OfferStore['listSkus']>(
  { gate: 'long' },
  async (sql, accountId, { after, offset, limit }) => {
    const [index] = after === undefined ? [[0] as const] : await sql.run(FIND_ORDER, [accountId, after]);
    if (index === undefined) return 'after_unknown';
    // One extra row shows whether there are more.
    const rows = await sql.run(PAGE, [accountId, index[0], limit + 1, offset]);
    return { skuIds: rows.slice(0, limit).map(([skuId]) => skuId), more: rows.length > limit };
  },
);

export const readMembers = scan<OfferStore['readMembers']>(
  { gate: 'long' },
  async (sql, accountId, skuIds, refinements) => {
    const rows = await sql.run(MEMBERS, [accountId, refinements.map(String), skuIds]);
    const members = rows.map(([skuId, , brand, attributes]) => ({ skuId, brand: brand ?? '', attributes }));
    return describeMembers(members, refinements).map((member, index) => {
      return { ...member, archived: Boolean(rows[index]?.[1]) };
    });
  },
);
