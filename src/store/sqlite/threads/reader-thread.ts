/** Runs the reader thread: reads of many rows, and snapshots, alongside the thread that serves requests. */
import { workerData } from 'node:worker_threads';
import { type CommandName, type NamedCommand, namedCommands } from '../../shared/aggregates.ts';
import { openForReading } from '../engine/engine.ts';
import { snapshotRunner } from '../engine/shared-commands.ts';
import { type HistoryReads, historyReads } from '../history/history-reads.ts';
import { type OfferListReads, offerListReads } from '../offer-list/offer-list-reads.ts';
import { type OfferScans, offerScans } from '../offers/offer-scans.ts';
import { type ReviewReads, reviewReads } from '../review/review-reads.ts';
import { type Named, named } from './thread-methods.ts';
import { serveThread } from './thread-service.ts';

/** Methods under the names by which other threads call them. */
export type ReaderService = Record<CommandName, NamedCommand> &
  Named<'offers', OfferScans> &
  Named<'review', ReviewReads> &
  Named<'offerList', OfferListReads> &
  Named<'history', HistoryReads>;

serveThread(() => {
  const connection = openForReading((workerData as { readonly file: string }).file);
  const service: ReaderService = {
    ...namedCommands('snapshot', snapshotRunner(connection)),
    ...named('offers', offerScans(connection)),
    ...named('review', reviewReads(connection)),
    ...named('offerList', offerListReads(connection)),
    ...named('history', historyReads(connection)),
  };
  return { connection, service, runBatch: runEach };
});

async function runEach(count: number, run: (command: number) => unknown) {
  const results = new Array<unknown>(count);
  const failures = new Map<number, unknown>();
  for (let command = 0; command < count; command++) {
    try {
      const result = run(command);
      results[command] = result instanceof Promise ? await result : result;
    } catch (error) {
      failures.set(command, error);
    }
  }
  return { results, failures: failures.size === 0 ? null : failures };
}
