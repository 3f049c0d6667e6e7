/** Runs the reader thread: reads of many rows, and snapshots, alongside the thread that serves requests. */
import { workerData } from 'node:worker_threads';
import { type CommandName, type NamedCommand, namedCommands } from '../../shared/aggregates.ts';
import { FIND_ORDER } from '../../shared/moves/offer-rows.ts';
import { sqlOn } from '../engine/connection.ts';
import { openForReading } from '../engine/engine.ts';
import { snapshotRunner } from '../engine/shared-commands.ts';
import type { Transaction } from '../engine/transactions.ts';
import { type OfferListReads, offerListReads } from '../offer-list/offer-list-reads.ts';
import { commitEachAlone } from './group-commit.ts';
import { serveThread } from './thread-service.ts';

/** Methods under the names by which other threads call them. */
export type ReaderService = Record<CommandName, NamedCommand> & OfferListReads & { ping(): void };

/** Reads need no transaction, and a snapshot begins its own. */
const NO_TRANSACTION: Transaction = { begin() {}, commit() {}, rollback() {} };

serveThread(() => {
  const connection = openForReading((workerData as { readonly file: string }).file);
  const sql = sqlOn(connection);
  const service: ReaderService = {
    ...namedCommands('scan', (command, args) => command(sql, ...args)),
    ...namedCommands('snapshot', snapshotRunner(connection)),
    ...offerListReads(connection),
    /** Reads from the database file, which may be missing or damaged. */
    ping: () => void connection.run(FIND_ORDER, [0, '']),
  };
  return { connection, service, runBatch: (count, run) => commitEachAlone(NO_TRANSACTION, count, run) };
});
