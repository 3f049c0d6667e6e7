/** Composes the PostgreSQL store from its aggregates. */
import type { Store } from '../port.ts';
import { imageMethods, methodsOf, setupMethods, workMethods } from '../shared/aggregates.ts';
import { READ_SETTINGS_VERSION } from '../shared/command.ts';
import { boundTo } from '../shared/methods.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import { statement } from '../shared/sql.ts';
import type { Database } from './engine/engine.ts';
import { runCommandsOn } from './engine/shared-commands.ts';
import { TableStatistics } from './engine/table-statistics.ts';
import { FileRows, filesOn } from './files/file-rows.ts';
import { readReportRows } from './files/report-rows.ts';
import { Authors } from './history/authors.ts';
import { dropHistory, readHistory } from './history/history-reads.ts';
import { offerListReadsOn, readGroupParent, readOfferCounts } from './offer-list/offer-list-reads.ts';
import { writeGroup } from './offers/group-writes.ts';
import { type BatchLimits, MicroBatches } from './offers/micro-batches.ts';
import { OfferScans, type ScanLimits } from './offers/offer-scans.ts';
import { writeRows } from './offers/offer-writes.ts';
import { offersOn } from './offers/offers.ts';
import { reviewOn } from './review/review.ts';
import { ReviewAnnouncer } from './review/review-announcer.ts';
import { rateCountersOn } from './traffic/rate-counters.ts';

const SIZE = statement<[bytes: number]>('read size', 'SELECT pg_database_size(current_database())');

interface StoreOptions {
  readonly writeLimits: BatchLimits;
  readonly scanLimits: ScanLimits;
  readonly keepsHistory: boolean;
}

export function createPostgresStore(database: Database, options: StoreOptions): Store {
  const { writeLimits, scanLimits, keepsHistory } = options;
  const run = runCommandsOn(database);
  const announcer = new ReviewAnnouncer(database);
  const authors = new Authors(database, keepsHistory);
  const scans = new OfferScans(database, scanLimits);
  const writer = { database, announcer, authors, statistics: new TableStatistics(database) };
  const rows = new FileRows(writer);
  const batches = new MicroBatches(boundTo(writer, { writeRows, writeGroup }), writeLimits);
  const list = new OfferList(offerListReadsOn(database));
  let lastSizeBytes = 0;
  return {
    ...setupMethods(run),
    offers: offersOn(database, scans, batches),
    offerList: {
      ...boundTo(database, { readOfferCounts, readGroupParent }),
      listOffers: (accountId, request) => list.list(accountId, request),
    },
    history: boundTo(database, { readHistory, dropHistory }),
    review: reviewOn(database),
    catalog: methodsOf('catalog', run),
    images: imageMethods(run),
    files: filesOn(methodsOf('files', run), rows),
    reports: { ...methodsOf('reports', run), ...boundTo(database, { readReportRows }) },
    work: workMethods(run),
    traffic: methodsOf('traffic', run),
    rateCounters: rateCountersOn(database),

    /** Tries a pooled and a shared connection, but no Citus worker: the accounts of the other workers can be served. */
    async ping() {
      await Promise.all([database.run(READ_SETTINGS_VERSION), database.readQuickly(READ_SETTINGS_VERSION)]);
    },

    async readFigures() {
      // The other figures matter most while the database does not answer.
      const size = await database.run(SIZE).catch(() => []);
      lastSizeBytes = size[0]?.[0] ?? lastSizeBytes;
      return {
        writes: batches.figures(),
        lists: scans.figures(),
        commitWrites: batches.sizes,
        sizeBytes: lastSizeBytes,
      };
    },

    async close() {
      await Promise.all([batches.close(), scans.close(), rows.close()]);
      await announcer.close();
      await database.close();
    },
  };
}
