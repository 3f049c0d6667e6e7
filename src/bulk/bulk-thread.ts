/**
 * In charge of the thread that works on bulk files and reports. It has a store of its own, so that the thread which answers
 * requests never sees a row.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Names } from '../domain/names.ts';
import { DiskFilePlace } from '../files/disk-file-place.ts';
import { openHandedOver } from '../store/open-store.ts';
import { asTravelling, type BulkThreadData, type FromBulkThread, type ToBulkThread } from './bulk-messages.ts';
import { startBulkWork } from './bulk-work.ts';
import { lowerPriority } from './lower-priority.ts';

if (parentPort === null) throw new Error('This is the file of a thread.');
const starter = parentPort;
const data = workerData as BulkThreadData;
lowerPriority();
const tell = (message: FromBulkThread): void => starter.postMessage(message);

const store = await openHandedOver(data.store, (error) => {
  // The thread that started this one goes with its store, or starts another.
  throw error;
});
const work = await startBulkWork({
  store,
  place: new DiskFilePlace(data.filesFolder, data.free_bytes_min),
  names: new Names(data.names),
  telemetry: { observe: (event, fields) => tell({ kind: 'event', event, fields: asTravelling(fields) }) },
  holder: data.holder,
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  unpacked_bytes_max: data.unpacked_bytes_max,
  kept_bytes_max: data.kept_bytes_max,
  onRowsWritten: () => tell({ kind: 'written' }),
});

starter.on('message', (message: ToBulkThread) => {
  if (message.kind === 'wake') work.wake();
  else void stop(message.wait_ms_max);
});
tell({ kind: 'ready' });

/** The thread ends when nothing is left that could happen. */
async function stop(wait_ms_max: number): Promise<void> {
  await work.close(wait_ms_max);
  await store.close();
  starter.close();
}
