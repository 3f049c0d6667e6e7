/** A thread for tests that responds like the bulk file thread, and ends in the way that its folder name says. */
import { parentPort, workerData } from 'node:worker_threads';
import type { BulkThreadData, FromBulkThread, ToBulkThread } from '../bulk-messages.ts';

const { filesFolder: manner } = workerData as BulkThreadData;
const send = (message: FromBulkThread): void => parentPort?.postMessage(message);

if (manner === 'stillborn') throw new Error('The store cannot be opened.');
parentPort?.on('message', (message: ToBulkThread) => {
  if (message.kind === 'wake') {
    send({ kind: 'written' });
    send({ kind: 'event', event: 'work_lost', fields: { kind: 'file-Price', accountId: 7 } });
    if (manner === 'dies') throw new Error('Out of luck.');
  } else if (manner !== 'deaf') {
    parentPort?.close();
  }
});
send({ kind: 'ready' });
