/** The PostgreSQL store: its aggregates, with writes and lists that wait their turn. */

import type { FileStore } from '../port/files.ts';
import type { OfferReviewStore } from '../port/review.ts';
import type { Store } from '../port.ts';
import { methodsOf, setupMethods } from '../shared/aggregates.ts';
import { announceForgottenNews } from '../shared/catalog/announcements.ts';
import { announceForgottenFilesAndReports } from '../shared/files/unfinished.ts';
import { boundTo } from '../shared/methods.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import { READ_SETTINGS_VERSION } from '../shared/settings-version.ts';
import { Authors } from './authors.ts';
import { readDatabaseBytes } from './database-bytes.ts';
import type { Database } from './engine.ts';
import { FileRows, SLICE_ROWS_MAX, UPLOAD_WEIGHT } from './file-rows.ts';
import { readGroupsOf } from './group-standings.ts';
import { GroupWrites } from './group-writes.ts';
import { dropHistory, readHistory } from './history-reads.ts';
import { type BatchLimits, MicroBatches } from './micro-batches.ts';
import { PostgresOfferListReads, readGroupParent, readOfferCounts } from './offer-list.ts';
import {
  announceForgotten,
  markDue,
  readDueOffers,
  readReviewFigures,
  readShoeGroup,
  storeReviews,
} from './offer-reviews.ts';
import { OfferScans, type ScanLimits } from './offer-scans.ts';
import { OfferWrites } from './offer-writes.ts';
import { offersOn } from './offers.ts';
import { PostgresRateCounters } from './rate-counters.ts';
import { readReportRows } from './report-rows.ts';
import { ReviewAnnouncer } from './review-announcer.ts';
import { sweep } from './review-sweeps.ts';
import { runCommandsOn } from './shared-commands.ts';
import { TableStatistics } from './table-statistics.ts';

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

function filesOn(
  records: Omit<FileStore, 'applyRows' | 'slice_rows_max' | 'upload_weight'>,
  rows: FileRows,
): FileStore {
  return {
    ...records,
    slice_rows_max: SLICE_ROWS_MAX,
    upload_weight: UPLOAD_WEIGHT,
    applyRows: (...slice) => rows.apply(...slice),
  };
}

function reviewOn(database: Database): OfferReviewStore {
  const listings = new TableStatistics(database, 'offer_listing');
  return {
    ...boundTo(database, { readDueOffers, markDue, sweep, readGroupsOf, readShoeGroup, readReviewFigures }),
    async storeReviews(accountId, reviews, nowMs) {
      await storeReviews(database, accountId, reviews, nowMs);
      listings.noteUploads(reviews.length);
    },
    async announceForgotten() {
      await announceForgotten(database);
      await announceForgottenNews(database);
      await announceForgottenFilesAndReports(database);
    },
  };
}
