/** The PostgreSQL store: its aggregates, with writes and lists that wait their turn. */

import type { Store } from '../port.ts';
import { methodsOf, setupMethods } from '../shared/aggregates.ts';
import { boundTo } from '../shared/methods.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import { READ_SETTINGS_VERSION } from '../shared/settings-version.ts';
import { Authors } from './authors.ts';
import { readDatabaseBytes } from './database-bytes.ts';
import type { Database } from './engine.ts';
import { FileRows } from './file-rows.ts';
import { filesOn } from './files.ts';
import { GroupWrites } from './group-writes.ts';
import { dropHistory, readHistory } from './history-reads.ts';
import { type BatchLimits, MicroBatches } from './micro-batches.ts';
import { PostgresOfferListReads, readGroupParent, readOfferCounts } from './offer-list.ts';
import { OfferScans, type ScanLimits } from './offer-scans.ts';
import { OfferWrites } from './offer-writes.ts';
import { offersOn } from './offers.ts';
import { PostgresRateCounters } from './rate-counters.ts';
import { readReportRows } from './report-rows.ts';
import { ReviewAnnouncer } from './review-announcer.ts';
import { reviewOn } from './review.ts';
import { runCommandsOn } from './shared-commands.ts';

export interface StoreOptions {
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
  const rows = new FileRows(database, announcer, authors);
  const offers = new OfferWrites(database, announcer, authors);
  const groups = new GroupWrites(database, announcer, authors);
  const batches = new MicroBatches(
    {
      writeRows: (accountId, writes, deadlineMs) => offers.write(accountId, writes, deadlineMs),
      writeGroup: (accountId, write, deadlineMs) => groups.write(accountId, write, deadlineMs),
    },
    writeLimits,
  );
  const list = new OfferList(new PostgresOfferListReads(database));
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
    images: methodsOf('images', run),
    files: filesOn(methodsOf('files', run), rows),
    reports: { ...methodsOf('reports', run), ...boundTo(database, { readReportRows }) },
    work: methodsOf('work', run),
    traffic: methodsOf('traffic', run),
    rateCounters: new PostgresRateCounters(database),

    /**
     * By both ways to the database: a connection of the pool, and one that reads share. Asks no Citus worker: the process
     * can still answer for the accounts of the others.
     */
    async ping() {
      await Promise.all([database.run(READ_SETTINGS_VERSION), database.readQuickly(READ_SETTINGS_VERSION)]);
    },

    async readFigures() {
      // The other figures are wanted most when the database does not answer.
      lastSizeBytes = await readDatabaseBytes(database).catch(() => lastSizeBytes);
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
