/**
 * Adds events for writes whose statements cannot add them: all writes on Citus, where an INSERT within a WITH would depend on every worker,
 * and writes of variation groups. The transaction adds the events after the writes, with a number that it drew after it locked the rows.
 */
import { type EventBatch, updatedDetail } from '../../../domain/events.ts';
import type { OfferPart } from '../../../domain/vocabulary/offer-parts.ts';
import { ADD_EVENTS, eventValues } from '../../shared/feed/event-rows.ts';
import type { Command, Rows } from '../engine/connection.ts';
import { drawnNumber } from '../engine/write-numbers.ts';

/** Returns the commands that add the events. `results` has the rows of the commands, and last the drawn number. */
export function eventCommands(accountId: number, commands: readonly Command[], results: readonly Rows[]): Command[] {
  const batches = commands.flatMap(({ events }, index) => events?.(results[index] ?? []) ?? []);
  if (batches.length === 0) return [];
  return [addEvents(accountId, drawnNumber(results.at(-1) ?? []), batches)];
}

export function addEvents(accountId: number, number: number, batches: readonly EventBatch[]): Command {
  return { statement: ADD_EVENTS, values: eventValues(accountId, number, batches) };
}

/** Returns one batch for each author. */
export function updatedBatches(
  part: OfferPart,
  changes: readonly { readonly offer: number; readonly authorId: number; readonly atMs: number }[],
): EventBatch[] {
  return Array.from(
    Map.groupBy(changes, ({ authorId }) => authorId),
    ([authorId, own]) => ({
      type: 'offer.updated',
      atMs: Math.max(...own.map(({ atMs }) => atMs)),
      detail: updatedDetail(part, authorId),
      offers: own.map(({ offer }) => offer),
    }),
  );
}
