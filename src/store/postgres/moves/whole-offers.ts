/** Writes whole offers, for imports and copies, and erases them. */
import { textTag } from '../../port/part-tags.ts';
import type { NewOffer, WholeOffers } from '../../shared/moves/engine.ts';
import { nodeEntriesOf } from '../../shared/moves/offer-rows.ts';
import { CLEARABLE_STORAGE } from '../../shared/offers/clearable-parts.ts';
import { listsOf, statement } from '../../shared/sql.ts';
import { uploadOrder } from '../engine/write-numbers.ts';
import { assigned, markedLast } from '../review/review-marks.ts';

type Column = readonly [name: string, type: string, partOf: (offer: NewOffer) => unknown];

const COLUMNS: readonly Column[] = [
  ['sku_id', 'text', ({ record }) => record.skuId],
  ['upload_order', 'bigint', ({ order }) => order],
  ['first_upload_ms', 'bigint', ({ record }) => record.firstUploadMs],
  ['archived', 'boolean', ({ record }) => record.archived],
  ['archive_number', 'bigint', ({ numbers }) => orNull(numbers.archive)],
  ['document_tag', 'text', ({ record }) => textTag(record.document)],
  ['document', 'text', ({ record }) => record.document],
  ['document_updated_ms', 'bigint', ({ record }) => record.documentUpdatedMs],
  ['document_number', 'bigint', ({ numbers }) => numbers.sku],
  ['price', 'float8', ({ record }) => record.price?.price ?? null],
  ['price_nodes', 'text', ({ record }) => textOf(record.price?.nodes)],
  ['price_updated_ms', 'bigint', ({ record }) => record.price?.updatedMs ?? null],
  ['price_number', 'bigint', ({ record, numbers }) => (record.price === null ? null : numbers.price)],
  ['inventory', 'jsonb', (offer) => inventoryText(nodeEntriesOf(offer))],
  ['inventory_stamp_ms', 'bigint', ({ record }) => record.inventory.stampMs],
  ['inventory_number', 'bigint', ({ numbers }) => Math.max(0, ...numbers.nodes)],
  ['inventory_zeroed_number', 'bigint', ({ numbers }) => numbers.inventory],
  ...CLEARABLE_STORAGE.flatMap(({ part, column, number }): Column[] => [
    [column, 'text', ({ record }) => record.clearable[part]],
    [number, 'bigint', ({ numbers }) => orNull(numbers[part])],
  ]),
  ['group_parent', 'text', ({ membership }) => membership?.parentSkuId ?? null],
  ['group_position', 'integer', ({ membership }) => membership?.position ?? null],
  ['group_refinements', 'text', ({ membership }) => membership?.refinements ?? null],
  ['group_title', 'text', ({ membership }) => membership?.title ?? null],
  ['variation_number', 'bigint', ({ numbers }) => orNull(numbers.variation)],
  ['review_mark', 'bigint', ({ numbers }) => numbers.sku],
  ['review_marked_ms', 'bigint', () => Date.now()],
];

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const LISTS = COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ');
const INSERT = statement<[skuId: string]>('add whole offers')`
  INSERT INTO offer (account_id, ${NAMES}) SELECT $1::bigint, ${NAMES} FROM unnest(${LISTS}) AS i (${NAMES})
  ON CONFLICT (account_id, sku_id) DO NOTHING RETURNING sku_id`;
const JOIN_GROUPS = statement<[skuId: string]>('import groups')`
  UPDATE offer SET group_parent = i.parent, group_position = i.position, group_refinements = i.refinements,
    group_title = i.title, variation_number = $2, ${assigned(markedLast('$2', '$8::bigint'))}
  FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::text[])
    AS i (sku_id, parent, position, refinements, title)
  WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND offer.group_parent IS NULL
  RETURNING offer.sku_id`;

const ERASE = statement<[skuId: string, groupPosition: number | null, evidence: string | null]>('erase offers')`
  DELETE FROM offer WHERE account_id = $1 AND upload_order <= $2 RETURNING sku_id, group_position, review_evidence`;
const ERASE_HISTORY = statement<[]>('erase history of offers')`
  DELETE FROM offer_history WHERE account_id = $1 AND upload_order <= $2`;
const ERASE_LISTINGS = statement<[skuId: string, status: string, subStatusBits: number]>('erase listings')`
  DELETE FROM offer_listing USING unnest($2::text[]) AS i (sku_id)
  WHERE offer_listing.account_id = $1 AND offer_listing.sku_id = i.sku_id
  RETURNING offer_listing.sku_id, offer_listing.status, offer_listing.sub_statuses`;
const END_GROUPS = statement<[]>('end groups of erased parents')`
  UPDATE offer SET group_parent = NULL, group_position = NULL, ${assigned(markedLast('$3', '$4'))}
  WHERE account_id = $1 AND group_parent = ANY($2::text[])`;

export const wholeOffers: WholeOffers = {
  newOrder: uploadOrder,
  insert: async (sql, accountId, offers) => {
    const inserted = await sql.run(INSERT, [accountId, ...COLUMNS.map(([, , partOf]) => offers.map(partOf))]);
    const skuIds = offers.map(({ record }) => record.skuId);
    return firstMissing(skuIds, inserted);
  },
  joinGroups: async (sql, accountId, members, number) => {
    const columns = listsOf(members, 'skuId', 'parent', 'position', 'refinements', 'title');
    const joined = await sql.run(JOIN_GROUPS, [accountId, number, ...columns, Date.now()]);
    return firstMissing(columns[0] as string[], joined);
  },
  erase: async (sql, accountId, upTo) => {
    const erased = await sql.run(ERASE, [accountId, upTo]);
    const parents = erased.filter(([, groupPosition]) => groupPosition === 0).map(([skuId]) => skuId);
    if (parents.length > 0) await sql.run(END_GROUPS, [accountId, parents, await sql.drawNumber(), Date.now()]);
    await sql.run(ERASE_HISTORY, [accountId, upTo]);
    const rows = await sql.run(ERASE_LISTINGS, [accountId, erased.map(([skuId]) => skuId)]);
    const listings = new Map(rows.map(([skuId, ...listing]) => [skuId, listing]));
    return erased.map(([skuId, groupPosition, evidence]) => {
      const [status, subStatusBits] = listings.get(skuId) ?? [null, 0];
      return { skuId, isParent: groupPosition === 0, evidence, status, subStatusBits };
    });
  },
  /** VACUUM removes them, as it removes the rows. */
  eraseWords: async () => 'done',
};

/** Returns the first id that was not written, or is listed twice. */
function firstMissing(skuIds: readonly string[], written: readonly (readonly [skuId: string])[]): string | undefined {
  const left = new Set(written.map(([skuId]) => skuId));
  return skuIds.find((skuId) => !left.delete(skuId));
}

/** A part that was never written has the number 0 in the record, and null in the table. */
function orNull(number: number): number | null {
  return number === 0 ? null : number;
}

function textOf(list: readonly unknown[] | null | undefined): string | null {
  return list ? JSON.stringify(list) : null;
}

/** Returns text, not an object, because a node may be named `__proto__`. */
function inventoryText(nodes: ReturnType<typeof nodeEntriesOf>): string {
  return `{${nodes.map(([nodeId, ...entry]) => `${JSON.stringify(nodeId)}:[${entry.join(',')}]`).join(',')}}`;
}
