/** The reads of the reader thread, by the names that other threads call them by: those of many rows, and snapshots. */
import { type CommandName, type NamedCommand, namedCommands } from '../shared/aggregates.ts';
import { joined } from '../shared/methods.ts';
import type { Connection } from './engine.ts';
import { GroupStandings } from './group-standings.ts';
import { HistoryReads } from './history-reads.ts';
import { OfferListReads } from './offer-list-reads.ts';
import { OfferScans } from './offer-scans.ts';
import { ReportRows } from './report-rows.ts';
import { ReviewReads } from './review-reads.ts';
import { snapshotRunner } from './shared-commands.ts';
import { type Named, named } from './thread-methods.ts';

export type ReaderService = Record<CommandName, NamedCommand> &
  Named<'offers', OfferScans> &
  Named<'review', ReviewReads & GroupStandings> &
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
    ...named('review', joined(new ReviewReads(connection), new GroupStandings(connection))),
    ...named('offerList', new OfferListReads(connection)),
    ...named('history', new HistoryReads(connection)),
    ...named('reports', new ReportRows(connection)),
    ping: () => offers.ping(),
  };
}
