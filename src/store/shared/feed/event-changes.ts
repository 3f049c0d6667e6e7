/**
 * Reads what the events of a page changed from the history. The record of an event is the newest one of its part and author that is not
 * later than the event: on PostgreSQL, events of calls that arrive together have the time of the last one. The value after a record is the
 * value before the next record of the part, or the current one.
 */
import type { EventChange } from '../../../domain/event-changes.ts';
import { LIMITS } from '../../../domain/limits.ts';
import {
  nodesIn,
  PART_CODES,
  partChangeOf,
  type StoredValue,
  storedValue,
  valueKey,
} from '../../../domain/offers/history.ts';
import { GROUP_TEXT, SQLITE_GROUP_TEXT } from '../history/history-rows.ts';
import { CLEARABLE_STORAGE } from '../offers/clearable-parts.ts';
import { listsOf, rowsStatement, type Sql } from '../sql.ts';

/** How many of an offer's newest records are searched for the record of an event. */
const SEARCHED_MAX = 500;
const { event_value_characters_max: CHARACTERS_MAX, event_change_nodes_max: NODES_MAX } = LIMITS;
const { sku: SKU, price: PRICE, inventory: INVENTORY, archive: ARCHIVE, variation: VARIATION } = PART_CODES;

/** The text, or null if it is too long, and whether it is. */
const bounded = (text: string) =>
  `CASE WHEN length(${text}) <= ${CHARACTERS_MAX} THEN ${text} END, coalesce(length(${text}) > ${CHARACTERS_MAX}, false)`;

type Bounded = readonly [...StoredValue, isTooLong: boolean | 0 | 1];

const FIND = rowsStatement<[place: number, seq: number, ...Bounded]>(
  'find changes of events',
  `SELECT i.place, h.seq, h.amount, ${bounded('h.text')}
   FROM unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[])
     AS i (place, upload_order, part, author_id, at_ms)
   CROSS JOIN LATERAL (
     SELECT r.seq, r.amount, r.text FROM (
       SELECT * FROM offer_history WHERE account_id = $1 AND upload_order = i.upload_order
       ORDER BY seq DESC LIMIT ${SEARCHED_MAX}) r
     WHERE r.part = i.part AND r.author_id = i.author_id AND r.at_ms <= i.at_ms ORDER BY r.seq DESC LIMIT 1) h`,
  `SELECT $2, h.seq, h.amount, ${bounded('h.text')} FROM offer_history h
   WHERE h.seq = (
     SELECT r.seq FROM (
       SELECT seq, part, author_id, at_ms FROM offer_history WHERE sku = $3 ORDER BY seq DESC LIMIT ${SEARCHED_MAX}) r
     WHERE r.part = $4 AND r.author_id = $5 AND r.at_ms <= $6 ORDER BY r.seq DESC LIMIT 1)`,
);

const textNow = (columns: Readonly<Record<number, string>>, part: string) =>
  `CASE ${part} ${Object.entries(columns)
    .map(([code, column]) => `WHEN ${code} THEN ${column}`)
    .join(' ')} END`;
/** The value of a part, or of one node of the stock, after a record. */
const AFTER = rowsStatement<[place: number, node: string | null, ...Bounded]>(
  'read values after changes of events',
  `SELECT i.place, i.node, v.amount, ${bounded('v.text')}
   FROM unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[], $6::text[])
     AS i (place, upload_order, part, seq, node)
   JOIN offer ON offer.account_id = $1 AND offer.upload_order = i.upload_order
   LEFT JOIN LATERAL (
     SELECT r.seq, r.amount, r.text FROM offer_history r
     WHERE r.account_id = $1 AND r.upload_order = i.upload_order AND r.seq > i.seq AND r.part = i.part
       AND (i.node IS NULL OR r.text::jsonb ? i.node)
     ORDER BY r.seq LIMIT 1) n ON true
   CROSS JOIN LATERAL (SELECT
     CASE WHEN n.seq IS NULL THEN CASE i.part
         WHEN ${PRICE} THEN offer.price
         WHEN ${ARCHIVE} THEN offer.archived::integer
         WHEN ${INVENTORY} THEN CASE WHEN (offer.inventory -> i.node ->> 2)::bigint < offer.inventory_zeroed_number THEN 0
           ELSE (offer.inventory -> i.node ->> 0)::bigint END END
       WHEN i.node IS NULL THEN n.amount ELSE (n.text::jsonb ->> i.node)::float8 END AS amount,
     CASE WHEN i.node IS NOT NULL THEN NULL WHEN n.seq IS NOT NULL THEN n.text ELSE ${textNow(
       {
         [SKU]: 'offer.document',
         [PRICE]: 'offer.price_nodes',
         [VARIATION]: `(${GROUP_TEXT})::text`,
         ...Object.fromEntries(CLEARABLE_STORAGE.map(({ part, column }) => [PART_CODES[part], `offer.${column}`])),
       },
       'i.part',
     )} END AS text) v`,
  `SELECT $2, $6, v.amount, ${bounded('v.text')} FROM (
     SELECT
       CASE WHEN n.seq IS NULL THEN CASE $4
           WHEN ${PRICE} THEN (SELECT p.price FROM price p WHERE p.sku = s.id)
           WHEN ${ARCHIVE} THEN s.archived
           WHEN ${INVENTORY} THEN (SELECT q.quantity FROM inventory q WHERE q.sku = s.id AND q.node_id = $6) END
         WHEN $6 IS NULL THEN n.amount ELSE (SELECT e.value FROM json_each(n.text) e WHERE e.key = $6) END AS amount,
       CASE WHEN $6 IS NOT NULL THEN NULL WHEN n.seq IS NOT NULL THEN n.text ELSE ${textNow(
         {
           [SKU]: '(SELECT d.document FROM sku_document d WHERE d.sku = s.id)',
           [PRICE]: '(SELECT p.nodes FROM price p WHERE p.sku = s.id)',
           [VARIATION]: `(SELECT ${SQLITE_GROUP_TEXT} FROM variation_group g WHERE g.parent = s.id)`,
           ...Object.fromEntries(
             CLEARABLE_STORAGE.map(({ part, sqliteColumn: column }) => {
               return [PART_CODES[part], `(SELECT c.${column} FROM ${part} c WHERE c.sku = s.id)`];
             }),
           ),
         },
         '$4',
       )} END AS text
     FROM sku s
     LEFT JOIN offer_history n ON n.seq = (
       SELECT r.seq FROM offer_history r WHERE r.sku = $3 AND r.seq > $5 AND r.part = $4
         AND ($6 IS NULL OR EXISTS (SELECT 1 FROM json_each(r.text) e WHERE e.key = $6))
       ORDER BY r.seq LIMIT 1)
     WHERE s.id = $3) v`,
);

/** An event `offer.updated`. `place` names it. */
export interface UpdateEvent {
  readonly place: number;
  readonly offer: number;
  /** See `PART_CODES`. */
  readonly part: number;
  readonly authorId: number;
  readonly atMs: number;
}

export interface SizedChange {
  readonly change: EventChange;
  readonly characters: number;
}

const omitted = (why: 'not_recorded' | 'too_long'): SizedChange => {
  return { change: { part: 'none', omitted: why }, characters: 0 };
};

/** Returns the change of each event, by its place. */
export async function readEventChanges(
  sql: Sql,
  accountId: number,
  events: readonly UpdateEvent[],
): Promise<(place: number) => SizedChange> {
  const eventAt = new Map(events.map((event) => [event.place, event]));
  const found = await sql.run(FIND, [accountId, ...listsOf(events, 'place', 'offer', 'part', 'authorId', 'atMs')]);
  const asked = found.flatMap(([place, seq, , text, isTooLong]) => {
    const { offer, part } = eventAt.get(place) as UpdateEvent;
    if (isTooLong) return [];
    const nodes = part === INVENTORY ? nodesIn(text).map(({ nodeId }) => nodeId) : [null];
    return nodes.length > NODES_MAX ? [] : nodes.map((node) => ({ place, offer, part, seq, node }));
  });
  const after = await sql.run(AFTER, [accountId, ...listsOf(asked, 'place', 'offer', 'part', 'seq', 'node')]);
  const valuesAt = Map.groupBy(after, ([place]) => place);
  const recordAt = new Map(found.map((record) => [record[0], record]));
  return (place) => {
    const [record, values] = [recordAt.get(place), valuesAt.get(place)];
    if (record === undefined) return omitted('not_recorded');
    const [, , amount, text] = record;
    if (values === undefined || values.some(([, , , , isTooLong]) => isTooLong)) return omitted('too_long');
    const { part } = eventAt.get(place) as UpdateEvent;
    const characters = values.reduce((sum, [, , , each]) => sum + (each?.length ?? 0), text?.length ?? 0);
    const known = new Map(
      values.map(([, node, amount, text]) => {
        return [valueKey(part, node), part === INVENTORY ? amount : storedValue(part, amount, text)];
      }),
    );
    return { change: partChangeOf(part, [amount, text], known), characters };
  };
}
