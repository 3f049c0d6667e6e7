/**
 * Reads what the events of a page changed from the history. The record of an event is the one of its part and author with the latest time
 * that is not later than the event: on PostgreSQL, events of calls that arrive together have the time of the last one. The newest record may
 * have an earlier time, because the clocks and queues of processes differ. The value after a record is the value before the next record of
 * the part, or the current one.
 */
import type { EventChange } from '../../../domain/event-changes.ts';
import { LIMITS } from '../../../domain/limits.ts';
import {
  nodesIn,
  PART_CODES,
  type PartValues,
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

/** How much of an offer's stock records is searched for the quantities after its events. */
const STOCK_BYTES_MAX = LIMITS.event_stock_bytes_max;

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
     WHERE r.part = i.part AND r.author_id = i.author_id AND r.at_ms <= i.at_ms
     ORDER BY r.at_ms DESC, r.seq DESC LIMIT 1) h`,
  `SELECT $2, h.seq, h.amount, ${bounded('h.text')} FROM offer_history h
   WHERE h.seq = (
     SELECT r.seq FROM (
       SELECT seq, part, author_id, at_ms FROM offer_history WHERE sku = $3 ORDER BY seq DESC LIMIT ${SEARCHED_MAX}) r
     WHERE r.part = $4 AND r.author_id = $5 AND r.at_ms <= $6
     ORDER BY r.at_ms DESC, r.seq DESC LIMIT 1)`,
);

const textNow = (columns: Readonly<Record<number, string>>, part: string) =>
  `CASE ${part} ${Object.entries(columns)
    .map(([code, column]) => `WHEN ${code} THEN ${column}`)
    .join(' ')} END`;
/** The value of a part, except the stock, after a record. */
const AFTER = rowsStatement<[place: number, ...Bounded]>(
  'read values after changes of events',
  `SELECT i.place, v.amount, ${bounded('v.text')}
   FROM unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[]) AS i (place, upload_order, part, seq)
   JOIN offer ON offer.account_id = $1 AND offer.upload_order = i.upload_order
   LEFT JOIN LATERAL (
     SELECT r.seq, r.amount, r.text FROM offer_history r
     WHERE r.account_id = $1 AND r.upload_order = i.upload_order AND r.seq > i.seq AND r.part = i.part
     ORDER BY r.seq LIMIT 1) n ON true
   CROSS JOIN LATERAL (SELECT
     CASE WHEN n.seq IS NOT NULL THEN n.amount ELSE CASE i.part
         WHEN ${PRICE} THEN offer.price
         WHEN ${ARCHIVE} THEN offer.archived::integer END END AS amount,
     CASE WHEN n.seq IS NOT NULL THEN n.text ELSE ${textNow(
       {
         [SKU]: 'offer.document',
         [PRICE]: 'offer.price_nodes',
         [VARIATION]: `(${GROUP_TEXT})::text`,
         ...Object.fromEntries(CLEARABLE_STORAGE.map(({ part, column }) => [PART_CODES[part], `offer.${column}`])),
       },
       'i.part',
     )} END AS text) v`,
  `SELECT $2, v.amount, ${bounded('v.text')} FROM (
     SELECT
       CASE WHEN n.seq IS NOT NULL THEN n.amount ELSE CASE $4
           WHEN ${PRICE} THEN (SELECT p.price FROM price p WHERE p.sku = s.id)
           WHEN ${ARCHIVE} THEN s.archived END END AS amount,
       CASE WHEN n.seq IS NOT NULL THEN n.text ELSE ${textNow(
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
       SELECT r.seq FROM offer_history r WHERE r.sku = $3 AND r.seq > $5 AND r.part = $4 ORDER BY r.seq LIMIT 1)
     WHERE s.id = $3) v`,
);

/** The stock records of an offer from a record on, oldest first, up to the limit; `text` is null in those beyond it. */
const STOCK_RECORDS = rowsStatement<[offer: number, seq: number, text: string | null]>(
  'read stock records after events',
  `SELECT i.upload_order, h.seq, CASE WHEN h.bytes <= ${STOCK_BYTES_MAX} THEN h.text END
   FROM unnest($2::bigint[], $3::bigint[]) AS i (upload_order, seq)
   CROSS JOIN LATERAL (
     SELECT r.seq, r.text, sum(octet_length(r.text)) OVER (ORDER BY r.seq) AS bytes FROM offer_history r
     WHERE r.account_id = $1 AND r.upload_order = i.upload_order AND r.seq >= i.seq AND r.part = ${INVENTORY}) h
   ORDER BY i.upload_order, h.seq`,
  `SELECT $2, h.seq, CASE WHEN h.bytes <= ${STOCK_BYTES_MAX}
     THEN (SELECT r.text FROM offer_history r WHERE r.seq = h.seq) END
   FROM (
     SELECT seq, sum(octet_length(text)) OVER (ORDER BY seq) AS bytes FROM offer_history
     WHERE sku = $2 AND seq >= $3 AND part = ${INVENTORY}) h
   ORDER BY h.seq`,
);
const STOCK_NOW = rowsStatement<[offer: number, node: string, quantity: number | null]>(
  'read stock after events',
  `SELECT i.upload_order, i.node,
     CASE WHEN (offer.inventory -> i.node ->> 2)::bigint < offer.inventory_zeroed_number THEN 0
       ELSE (offer.inventory -> i.node ->> 0)::bigint END
   FROM unnest($2::bigint[], $3::text[]) AS i (upload_order, node)
   JOIN offer ON offer.account_id = $1 AND offer.upload_order = i.upload_order`,
  'SELECT $2, $3, (SELECT q.quantity FROM inventory q WHERE q.sku = $2 AND q.node_id = $3)',
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
    return isTooLong ? [] : [{ place, offer, part, seq, text }];
  });
  const [stock, parts] = [true, false].map((isStock) => asked.filter(({ part }) => (part === INVENTORY) === isStock));
  const after = await sql.run(AFTER, [accountId, ...listsOf(parts ?? [], 'place', 'offer', 'part', 'seq')]);
  const valueAt = new Map(after.map((value) => [value[0], value]));
  const quantitiesAt = await readQuantities(sql, accountId, stock ?? []);
  const recordAt = new Map(found.map((record) => [record[0], record]));
  return (place) => {
    const record = recordAt.get(place);
    if (record === undefined) return omitted('not_recorded');
    const [, , amount, text] = record;
    const { part } = eventAt.get(place) as UpdateEvent;
    const [, amountAfter = null, textAfter = null, isTooLong = true] = valueAt.get(place) ?? [];
    const known =
      quantitiesAt.get(place) ??
      (isTooLong ? undefined : new Map([[valueKey(part, null), storedValue(part, amountAfter, textAfter)]]));
    if (known === undefined) return omitted('too_long');
    const characters = (text?.length ?? 0) + (textAfter?.length ?? 0);
    return { change: partChangeOf(part, [amount, text], known), characters };
  };
}

interface StockRecord {
  readonly place: number;
  readonly offer: number;
  readonly seq: number;
  readonly text: string | null;
}

/** Returns the quantities after each stock record, by its place; none for a record with too many nodes or too long records after it. */
async function readQuantities(
  sql: Sql,
  accountId: number,
  all: readonly StockRecord[],
): Promise<ReadonlyMap<number, PartValues>> {
  const asked = all
    .map((each) => ({ ...each, nodes: nodesIn(each.text).map(({ nodeId }) => nodeId) }))
    .filter(({ nodes }) => nodes.length <= NODES_MAX);
  const byOffer = Map.groupBy(asked, ({ offer }) => offer);
  const starts = Array.from(byOffer, ([offer, records]) => ({
    offer,
    seq: Math.min(...records.map(({ seq }) => seq)),
  }));
  const records = await sql.run(STOCK_RECORDS, [accountId, ...listsOf(starts, 'offer', 'seq')]);
  const recordsOf = Map.groupBy(records, ([offer]) => offer);
  const isWhole = (offer: number) => recordsOf.get(offer)?.at(-1)?.[2] !== null;
  const wanted = Array.from(byOffer).flatMap(([offer, each]) => {
    return isWhole(offer) ? [...new Set(each.flatMap(({ nodes }) => nodes))].map((node) => ({ offer, node })) : [];
  });
  const now = await sql.run(STOCK_NOW, [accountId, ...listsOf(wanted, 'offer', 'node')]);
  const nowOf = Map.groupBy(now, ([offer]) => offer);
  const quantities = new Map<number, PartValues>();
  for (const [offer, events] of byOffer) {
    const eventsOf = Map.groupBy(events, ({ seq }) => seq);
    const after = new Map(nowOf.get(offer)?.map(([, node, quantity]) => [node, quantity]));
    for (const [, seq, text] of (recordsOf.get(offer) ?? []).toReversed()) {
      if (text === null) continue;
      for (const { place, nodes } of eventsOf.get(seq) ?? []) {
        if (!nodes.every((node) => after.has(node))) continue;
        quantities.set(place, new Map(nodes.map((node) => [valueKey(INVENTORY, node), after.get(node)])));
      }
      for (const { nodeId, before } of nodesIn(text)) after.set(nodeId, before);
    }
  }
  return quantities;
}
