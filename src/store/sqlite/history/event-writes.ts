/**
 * Collects the events of a transaction of the writer thread, and adds them to the feed before the commit: one row for all offers that
 * were changed in the same way. A row per change would cost a file a tenth of its rate.
 */
import type { EventBatch } from '../../../domain/events.ts';
import { ADD_EVENTS, BATCHES_PER_NUMBER, eventValues } from '../../shared/feed/event-rows.ts';
import type { Connection } from '../engine/connection.ts';
import type { Transaction } from '../engine/transactions.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';

interface OpenBatch extends EventBatch {
  readonly accountId: number;
  /** The time of its last event, because the history finds the record of an event by a time that is not later. */
  atMs: number;
  readonly offers: number[];
}

export type EventWrites = ReturnType<typeof eventWrites>;

export function eventWrites(connection: Connection, numbers: WriteNumbers) {
  let batches: OpenBatch[] = [];
  let last: OpenBatch | undefined;
  /** Batches that may still get offers, and the offers in them. */
  const open = new Map<string, OpenBatch>();
  const seen = new Set<number>();

  function forget(): void {
    batches = [];
    last = undefined;
    open.clear();
    seen.clear();
  }

  function add(accountId: number, type: EventBatch['type'], detail: string, atMs: number, sku: number): void {
    if (
      last?.accountId !== accountId ||
      last.type !== type ||
      last.detail !== detail ||
      (last !== batches.at(-1) && seen.has(sku))
    ) {
      // A second event of an offer must come after its first one, which may be in a batch after `last`.
      if (seen.has(sku)) {
        open.clear();
        seen.clear();
      }
      const key = `${accountId} ${type} ${detail}`;
      last = open.get(key);
      if (last === undefined) {
        last = { accountId, type, atMs, detail, offers: [] };
        open.set(key, last);
        batches.push(last);
      }
    }
    if (atMs > last.atMs) last.atMs = atMs;
    last.offers.push(sku);
    seen.add(sku);
  }

  function flush(): void {
    for (let start = 0; start < batches.length; start += BATCHES_PER_NUMBER) {
      const number = start === 0 ? numbers.current() : numbers.drawApart();
      const slice = batches.slice(start, start + BATCHES_PER_NUMBER);
      for (const [index, batch] of slice.entries()) {
        connection.run(ADD_EVENTS, eventValues(batch.accountId, number, [batch], index));
      }
    }
    forget();
  }

  /** Adds the events with the commit. A transaction that is rolled back adds none. */
  function within({ begin, commit, rollback }: Transaction): Transaction {
    return {
      begin: () => {
        forget();
        begin();
      },
      commit: () => {
        if (batches.length > 0) flush();
        commit();
      },
      rollback,
    };
  }

  return { add, within };
}
