/**
 * Adds events to the feed within the transaction of the change that they report.
 *
 * `drawn` orders the events of an offer that no reader has numbered yet. It must be drawn while the offer is locked: the next writer gets
 * the lock after this commit, and so draws a higher number. SQLite has one writer, so `drawn` is the number itself.
 */
import type { EventType } from '../../../domain/vocabulary/event-types.ts';
import type { HistoryPart } from '../../../domain/vocabulary/history-parts.ts';
import type { AccountEvent } from '../../port/feed.ts';
import { PART_CODES } from '../history-rows.ts';
import type { ListedVerdict } from '../offer-counts.ts';
import { rowsStatement, type WriteSql } from '../sql.ts';

/** The numbers are stored, so never reuse one. */
export const EVENT_CODES = Object.freeze({
  'offer.updated': 1,
  'offer.status_changed': 2,
  'file.finished': 3,
  'report.ready': 4,
  'key.rolled': 5,
} satisfies Record<EventType, number>);

/** Number of batches that one sequence number can order. */
export const BATCHES_PER_NUMBER = 4096;

/** Events that differ only in their offer. */
export interface EventBatch {
  readonly type: EventType;
  readonly atMs: number;
  /** JSON text. */
  readonly detail: string;
  readonly offers: readonly number[];
}

export function updatedDetail(part: HistoryPart, authorId: number): string {
  return `[${PART_CODES[part]},${authorId}]`;
}

/** Collects the offers whose status or issues a review changed. */
export class StatusChanges {
  readonly #offersOf = new Map<string, number[]>();

  add(offer: number, before: ListedVerdict | undefined, after: ListedVerdict): void {
    if (before?.status === after.status && before.subStatusBits === after.subStatusBits) return;
    const detail = JSON.stringify([
      before?.status ?? null,
      after.status,
      before?.subStatusBits ?? 0,
      after.subStatusBits,
    ]);
    const offers = this.#offersOf.get(detail);
    if (offers === undefined) this.#offersOf.set(detail, [offer]);
    else offers.push(offer);
  }

  batches(atMs: number): EventBatch[] {
    return Array.from(this.#offersOf, ([detail, offers]) => {
      return { type: 'offer.status_changed', atMs, detail, offers };
    });
  }
}

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
  if (firstPlace + batches.length > BATCHES_PER_NUMBER) throw new Error('Too many batches of events for one number.');
  return [
    accountId,
    batches.map((_, place) => number * BATCHES_PER_NUMBER + firstPlace + place),
    batches.map(({ type }) => EVENT_CODES[type]),
    batches.map(({ atMs }) => atMs),
    batches.map(({ offers }) => offers.length),
    batches.map(({ detail }) => detail),
    batches.map(({ offers }) => `[${offers.join()}]`),
  ];
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
