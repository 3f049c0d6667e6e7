/** Composes the SQLite store: tables of methods name the thread that each method runs on. */

import type { MessagePort } from 'node:worker_threads';
import { partsOfRows } from '../../domain/offers/parts.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../port/errors.ts';
import type { FileStore } from '../port/files.ts';
import type { Store, StoreFigures } from '../port.ts';
import { methodsOf, offerListMethods, type RunCommand, sharedMethods } from '../shared/aggregates.ts';
import type { Connection } from './engine/connection.ts';
import { databaseBytes, requireRoom } from './engine/data-dir.ts';
import { DiskShares } from './engine/disk-shares.ts';
import { closeConnection } from './engine/engine.ts';
import { runCommandsOnThreads } from './engine/shared-commands.ts';
import { columnsOf } from './files/file-rows.ts';
import { offerReads } from './offers/offer-reads.ts';
import { offersOn, withinSnapshot } from './offers/offers.ts';
import { reviewOn } from './review/review.ts';
import type { ReaderService } from './threads/reader-thread.ts';
import type { ThreadClient } from './threads/thread-client.ts';
import { TickSnapshot } from './threads/tick-snapshot.ts';
import type { WriterService } from './threads/writer-service.ts';

/** The data that another thread needs to open the same store; the ports are transferred to it. */
export interface SqliteShare {
  readonly file: string;
  readonly writer: MessagePort;
  readonly reader: MessagePort;
  readonly free_bytes_min: number;
}

interface StoreParts {
  readonly file: string;
  /** The calling thread's connection for reads of offers. */
  readonly reading: Connection;
  /** The calling thread's connection for other reads, since the first one may be inside a snapshot. */
  readonly writing: Connection;
  readonly writer: ThreadClient<WriterService>;
  readonly reader: ThreadClient<ReaderService>;
  /** See disk-shares.ts; 0: none. */
  readonly free_bytes_min: number;
}

export type SqliteStore = Store & {
  /** Returns the data that another thread needs to open the store (see openSqliteShare). Close this store last. */
  share(): SqliteShare;
};

export function createSqliteStore(parts: StoreParts): SqliteStore {
  const { file, reading, writing, writer, reader, free_bytes_min } = parts;
  const shares = new DiskShares(writing, file, free_bytes_min);
  const run = runCommandsOnThreads(writing, writer, reader);
  const snapshot = new TickSnapshot(reading);
  writer.beforeSettling = () => snapshot.end();
  const shared = sharedMethods(run);
  return {
    ...shared,
    offers: offersOn(run, withinSnapshot(snapshot, offerReads(reading)), writer, shares),
    offerList: offerListMethods(run, {
      ...reader.methods(['walk', 'gather']),
      ...reader.methods(['readRun'], 'background'),
    }),
    review: reviewOn(run, writer),
    files: filesOn(run, writer, shares),
    // One process serves the folder and counts requests in memory.
    rateCounters: undefined,

    async ping() {
      try {
        await Promise.all([shared.settings.readSetupVersion(), writer.call('ping', [], 0), reader.call('ping', [], 0)]);
      } catch (error) {
        if (!(error instanceof StoreOverloadedError)) throw error;
        throw new StoreUnavailableError('Too many calls are waiting for the database.', { cause: error });
      }
      await requireRoom(file);
    },

    async readFigures(): Promise<StoreFigures> {
      return {
        writes: writer.figures(),
        lists: reader.figures(),
        commitWrites: writer.batchSizes,
        sizeBytes: await databaseBytes(file),
      };
    },

    share: () => ({ file, writer: writer.openPort(), reader: reader.openPort(), free_bytes_min }),

    async close() {
      await Promise.all([writer.close(), reader.close()]);
      snapshot.end();
      await Promise.all([reading, writing].map(closeConnection));
    },
  };
}

/**
 * The writer takes about 5 ms for this many prices, or a third as many documents of 1.4 KB, and a single call may wait for a
 * whole slice. Smaller slices pay more for commits: at 400 documents a row takes a tenth less time.
 */
const SLICE_ROWS_MAX = 800;
const UPLOAD_WEIGHT = 3;

/** Rows are written in the background lane. */
function filesOn(run: RunCommand, writer: ThreadClient<WriterService>, shares: DiskShares): FileStore {
  const { applyRows } = writer.methods(['applyRows'], 'background');
  return {
    ...methodsOf('files', run),
    slice_rows_max: SLICE_ROWS_MAX,
    upload_weight: UPLOAD_WEIGHT,
    async applyRows(file, done, rows, nowMs) {
      if (rows.length > SLICE_ROWS_MAX) throw new Error(`${rows.length} rows are too many for one slice.`);
      shares.admit(file.accountId, partsOfRows(rows));
      return applyRows(file, done, columnsOf(rows), nowMs);
    },
  };
}
