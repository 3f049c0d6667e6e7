/** Composes the PostgreSQL store from its aggregates. */
import type { Store } from '../port.ts';
import { offerListMethods, sharedMethods } from '../shared/aggregates.ts';
import { READ_SETTINGS_VERSION } from '../shared/command.ts';
import { statement } from '../shared/sql.ts';
import type { Database } from './engine/engine.ts';
import { runCommandsOn } from './engine/shared-commands.ts';
import { TableStatistics } from './engine/table-statistics.ts';
import { CallQueue } from './engine/waiting-calls.ts';
import { FileRows, filesOn } from './files/file-rows.ts';
import { Authors } from './history/authors.ts';
import { offerListReadsOn } from './offer-list/offer-list-reads.ts';
import { writeParts } from './offers/locked-writes.ts';
import { MicroBatches } from './offers/micro-batches.ts';
import { writeRows } from './offers/offer-writes.ts';
import { offersOn } from './offers/offers.ts';
import { reviewOn } from './review/review.ts';
import { ReviewAnnouncer } from './review/review-announcer.ts';
import { rateCountersOn } from './traffic/rate-counters.ts';

const SIZE = statement<[bytes: number]>('read size')`SELECT pg_database_size(current_database())`;

/**
 * Waits, as a write does, while another session locks the table. It deletes nothing. Without an account, Citus finds no shard for it; with
 * one, Citus would ask the worker of that account.
 */
const TRY_TO_WRITE = statement<[]>('try to write')`DELETE FROM offer WHERE false`;

/** Limits on waiting calls, as in the embedded store. A batch takes at most about 30 ms, far below the statement timeout. */
const WRITE_LIMITS = Object.freeze({
  waiting_calls_max: 10_000,
  waiting_characters_max: 67_108_864,
  batch_calls_max: 1_000,
  batch_characters_max: 4_194_304,
});
const LIST_QUEUE = Object.freeze({ waiting_calls_max: 1_000, waiting_characters_max: 67_108_864 });
/** Share of the connections that lists may use. */
const LISTING_SHARE = 1 / 3;
/** Number of connections that offer writes leave free: writes wait for row locks, and must not block rate counters and lists. */
const CONNECTIONS_NOT_WRITING = 2;

export function createPostgresStore(database: Database, keepsHistory: boolean): Store {
  const { call_ms_max, connections_max, connections_shared } = database;
  const writing_max = Math.max(1, connections_max - connections_shared - CONNECTIONS_NOT_WRITING);
  const listing_max = Math.max(1, Math.floor(connections_max * LISTING_SHARE));
  const writeLimits = { ...WRITE_LIMITS, call_ms_max, running_max: writing_max };
  const announcer = new ReviewAnnouncer(database);
  const authors = new Authors(database, keepsHistory);
  const lists = new CallQueue({ ...LIST_QUEUE, running_max: listing_max }, call_ms_max);
  const run = runCommandsOn(database, lists);
  const writer = { database, announcer, authors, statistics: new TableStatistics(database) };
  const rows = new FileRows(writer);
  const batchWriter = {
    writeRows: writeRows.bind(undefined, writer),
    writeParts: writeParts.bind(undefined, writer),
  };
  const batches = new MicroBatches(batchWriter, writeLimits);
  let lastSizeBytes = 0;
  return {
    ...sharedMethods(run),
    offers: offersOn(run, database, batches, rows),
    offerList: offerListMethods(run, offerListReadsOn(database)),
    review: reviewOn(run, database),
    files: filesOn(run, rows),
    rateCounters: rateCountersOn(database),

    /**
     * Tries a pooled and a shared connection, and whether offers can be written, but no Citus worker: while one is down, accounts on the other
     * workers can be served.
     */
    async ping() {
      await Promise.all([database.run(TRY_TO_WRITE), database.readQuickly(READ_SETTINGS_VERSION)]);
    },

    async readFigures() {
      // The other figures matter most while the database does not respond.
      const size = await database.run(SIZE).catch(() => []);
      lastSizeBytes = size[0]?.[0] ?? lastSizeBytes;
      return {
        writes: batches.waiting.figures(),
        lists: lists.waiting.figures(),
        commitWrites: batches.sizes,
        sizeBytes: lastSizeBytes,
      };
    },

    async close() {
      await Promise.all([batches.waiting.close(), lists.waiting.close(), rows.waiting.close()]);
      await announcer.close();
      await database.close();
    },
  };
}
