/** The writer thread: owns the one connection through which offers are written. */
import { workerData } from 'node:worker_threads';
import type { WriteOptions } from './engine.ts';
import { openForWriting, readDurability } from './engine.ts';
import { commitTogether } from './group-commit.ts';
import { OfferWrites } from './offer-writes.ts';
import { serveThread } from './thread-service.ts';
import { writeTransaction } from './transactions.ts';

export interface WriterData extends WriteOptions {
  readonly file: string;
}

serveThread(() => {
  const { file, ...options } = workerData as WriterData;
  const connection = openForWriting(file, options);
  const transaction = writeTransaction(connection);
  return {
    connection,
    service: new OfferWrites(connection),
    runBatch: (count, run) => commitTogether(transaction, count, run),
    report: readDurability(connection),
  };
});
