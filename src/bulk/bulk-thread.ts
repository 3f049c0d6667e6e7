/**
 * The thread that processes bulk files and reports. It has its own store, so that rows never reach the request thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Names } from '../domain/names.ts';
import { DiskFileStorage } from '../files/disk-file-storage.ts';
import { openStoreShare } from '../store/open-store.ts';
import { type BulkThreadData, type FromBulkThread, type ToBulkThread, withPlainError } from './bulk-messages.ts';
import { type BulkWorkOptions, startBulkWork } from './bulk-work.ts';
import { lowerPriority } from './lower-priority.ts';

if (parentPort === null) throw new Error('This module must run in a worker thread.');
const starter = parentPort;
const data = workerData as BulkThreadData;
lowerPriority();
const send = (message: FromBulkThread): void => starter.postMessage(message);

const telemetry: BulkWorkOptions['telemetry'] = {
  observe: (event, fields) => send({ kind: 'event', event, fields: withPlainError(fields) }),
};
const store = await openStoreShare(
  data.store,
  (error) => {
    // The thread that started this one fails together with its store, or restarts this thread.
    throw error;
  },
  (accountId, error) => telemetry.observe('work_failed', { kind: 'history', accountId, error }),
);
const work = await startBulkWork({
  store,
  storage: new DiskFileStorage(data.filesFolder, data.free_bytes_min),
  names: new Names(data.names),
  feeds: data.feeds,
  telemetry,
  holder: data.holder,
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  unpacked_bytes_max: data.unpacked_bytes_max,
  kept_bytes_max: data.kept_bytes_max,
  check_threads_max: data.check_threads_max,
  onRowsWritten: () => send({ kind: 'written' }),
});

starter.on('message', (message: ToBulkThread) => {
  if (message.kind === 'wake') work.wake();
  else void stop(message.wait_ms_max);
});
send({ kind: 'ready' });

/** The thread ends when no work or timer is left. */
async function stop(wait_ms_max: number): Promise<void> {
  await work.close(wait_ms_max);
  await store.close();
  starter.close();
}
