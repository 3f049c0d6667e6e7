/**
 * Adds events to the feed within the transaction of the change that they report.
 *
 * `drawn` orders the events of an offer that no reader has numbered yet. It must be drawn while the offer is locked: the next writer gets
 * the lock after this commit, and so draws a higher number. SQLite has one writer, so `drawn` is the number itself.
 */
import type { AccountEvent, EventBatch } from '../../../domain/events.ts';
import { EVENT_CODES, type EventType } from '../../../domain/vocabulary/event-types.ts';
import { rowsStatement, type WriteSql } from '../sql.ts';

/** Number of batches that one sequence number can order. */
export const BATCHES_PER_NUMBER = 4096;

export const ADD_EVENTS = rowsStatement<[]>(
  'add events',
  `INSERT INTO event_batch (account_id, drawn, type, at_ms, events, detail, offers)
   SELECT $1::bigint, i.drawn, i.type, i.at_ms, i.events, i.detail, i.offers
   FROM unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::integer[], $6::text[], $7::text[])
     AS i (drawn, type, at_ms, events, detail, offers)`,
  `INSERT INTO event_batch (account_id, drawn, number, type, at_ms, events, detail, offers)
   VALUES ($1, $2, $2, $3, $4, $5, $6, $7)`,
);

/** Returns the values of ADD_EVENTS. `firstPlace` is the position of the first batch among all batches with this number. */
export function eventValues(
  accountId: number,
  number: number,
  batches: readonly EventBatch[],
  firstPlace = 0,
): readonly unknown[] {
  if (firstPlace + batches.length > BATCHES_PER_NUMBER)
    throw new Error('Too many batches of events for one sequence number.');
  return [
    accountId,
    batches.map((_, position) => number * BATCHES_PER_NUMBER + firstPlace + position),
    batches.map(({ type }) => EVENT_CODES[type]),
    batches.map(({ atMs }) => atMs),
    batches.map(({ offers }) => offers.length),
    batches.map(({ detail }) => detail),
    batches.map(({ offers }) => `[${offers.join()}]`),
  ];
}

const OFFERS = rowsStatement<[offer: number, skuId: string]>(
  'find offers of events',
  `SELECT offer.upload_order, offer.sku_id FROM unnest($2::text[]) AS i (sku_id)
   JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id`,
  'SELECT id, sku_id FROM sku WHERE account_id = $1 AND sku_id = $2',
);

/** Adds an event for each offer that exists; `detail` is JSON text. */
export async function addOfferEvents(
  sql: WriteSql,
  accountId: number,
  type: EventType,
  rows: readonly { readonly skuId: string; readonly detail: string }[],
  atMs: number,
): Promise<void> {
  if (rows.length === 0) return;
  const found = await sql.run(OFFERS, [accountId, rows.map(({ skuId }) => skuId)]);
  const offerOf = new Map(found.map(([offer, skuId]) => [skuId, offer]));
  const batches = Array.from(
    Map.groupBy(rows, ({ detail }) => detail),
    ([detail, own]) => ({ type, atMs, detail, offers: own.flatMap(({ skuId }) => offerOf.get(skuId) ?? []) }),
  ).filter(({ offers }) => offers.length > 0);
  await sql.run(ADD_EVENTS, eventValues(accountId, await sql.drawNumber(), batches));
}

/** Marks an event that belongs to no offer. */
const NO_OFFER = 0;

export async function addAccountEvent(
  sql: WriteSql,
  accountId: number,
  { type, ...detail }: AccountEvent,
  atMs: number,
): Promise<void> {
  const batch = { type, atMs, detail: JSON.stringify(detail), offers: [NO_OFFER] };
  await sql.run(ADD_EVENTS, eventValues(accountId, await sql.drawNumber(), [batch]));
}
