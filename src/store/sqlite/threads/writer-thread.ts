/** The writer thread: owns the one connection through which a server writes. */

import { workerData } from 'node:worker_threads';
import { openForWriting, readDurability, type WriteOptions } from '../engine/engine.ts';
import { writeTransaction } from '../engine/transactions.ts';
import { numbered, WriteNumbers } from '../engine/write-numbers.ts';
import { commitTogether } from './group-commit.ts';
import { serveThread } from './thread-service.ts';
import { createWriterService } from './writer-service.ts';

export interface WriterData extends WriteOptions {
  readonly file: string;
  /** Whether changes of offers are recorded. */
  readonly keepsHistory: boolean;
}

serveThread(() => {
  const { file, keepsHistory, ...options } = workerData as WriterData;
  const connection = openForWriting(file, options);
  const numbers = new WriteNumbers(connection);
  const transaction = numbered(writeTransaction(connection), numbers);
  return {
    connection,
    service: createWriterService(connection, numbers, keepsHistory),
    runBatch: (count, run) => commitTogether(transaction, count, run),
    report: readDurability(connection),
  };
});
