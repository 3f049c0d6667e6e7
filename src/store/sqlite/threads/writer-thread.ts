/** Runs the writer thread, which owns the one connection that a server writes through. */
import { workerData } from 'node:worker_threads';
import { openForWriting } from '../engine/engine.ts';
import { marking } from '../engine/log-mark.ts';
import { intoNamedFile, writeTransaction } from '../engine/transactions.ts';
import { WriteNumbers } from '../engine/write-numbers.ts';
import { eventWrites } from '../history/event-writes.ts';
import { commitTogether } from './group-commit.ts';
import { serveThread } from './thread-service.ts';
import { createWriterService } from './writer-service.ts';

export interface WriterData {
  readonly file: string;
  /** Whether changes to offers are recorded. */
  readonly keepsHistory: boolean;
  readonly database_bytes_max: number | undefined;
}

serveThread(() => {
  const { file, keepsHistory, database_bytes_max } = workerData as WriterData;
  const connection = openForWriting(file, database_bytes_max);
  const numbers = new WriteNumbers(connection);
  const events = eventWrites(connection, numbers);
  const named = intoNamedFile(file, events.within(writeTransaction(connection, numbers)));
  const transaction = marking(file, connection, numbers, named);
  return {
    connection,
    service: createWriterService(connection, numbers, events, keepsHistory),
    runBatch: (count, run) => commitTogether(transaction, count, run),
  };
});
