/** The reader thread: runs the reads that look at many SKUs, beside the request thread. */

import { workerData } from 'node:worker_threads';
import { openForReading } from '../engine/engine.ts';
import { createReaderService } from './reader-service.ts';
import { serveThread } from './thread-service.ts';

export interface ReaderData {
  readonly file: string;
}

serveThread(() => {
  const connection = openForReading((workerData as ReaderData).file);
  return {
    connection,
    service: createReaderService(connection),
    runBatch: runEach,
    report: undefined,
  };
});

async function runEach(count: number, run: (command: number) => unknown) {
  const results = new Array<unknown>(count);
  const failures = new Map<number, unknown>();
  for (let command = 0; command < count; command++) {
    try {
      const result = run(command);
      results[command] = result instanceof Promise ? await result : result;
    } catch (error) {
      failures.set(command, error);
    }
  }
  return { results, failures: failures.size === 0 ? null : failures };
}
