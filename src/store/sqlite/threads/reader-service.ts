/** The reads of the reader thread, by the names that other threads call them by: those of many rows, and snapshots. */
import { type CommandName, type NamedCommand, namedCommands } from '../../shared/aggregates.ts';
import type { Connection } from '../engine/engine.ts';
import { snapshotRunner } from '../engine/shared-commands.ts';
import { ReportRows } from '../files/report-rows.ts';
import { HistoryReads } from '../history/history-reads.ts';
import { OfferListReads } from '../offer-list/offer-list-reads.ts';
import { OfferScans } from '../offers/offer-scans.ts';
import { ReviewReads } from '../review/review-reads.ts';
import { type Named, named } from './thread-methods.ts';

export type ReaderService = Record<CommandName, NamedCommand> &
  Named<'offers', OfferScans> &
  Named<'review', ReviewReads> &
  Named<'offerList', OfferListReads> &
  Named<'history', HistoryReads> &
  Named<'reports', ReportRows> & {
    /** Reads from the file, which may be gone or damaged. */
    ping(): void;
  };

export function createReaderService(connection: Connection): ReaderService {
  const offers = new OfferScans(connection);
  return {
    ...namedCommands('snapshot', snapshotRunner(connection)),
    ...named('offers', offers),
    ...named('review', new ReviewReads(connection)),
    ...named('offerList', new OfferListReads(connection)),
    ...named('history', new HistoryReads(connection)),
    ...named('reports', new ReportRows(connection)),
    ping: () => offers.ping(),
  };
}
