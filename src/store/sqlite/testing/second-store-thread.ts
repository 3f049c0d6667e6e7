/** Runs a test thread that shares a store and executes orders on it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FileProgress } from '../../../domain/bulk-files.ts';
import type { PartWrite } from '../../../domain/offers/part.ts';
import { NOW_MS } from '../../contract/subject.ts';
import { openStoreShare, type StoreShare } from '../../open-store.ts';

export type Order =
  /** Reads the prices of these SKUs. */
  | { readonly kind: 'read'; readonly accountId: number; readonly skuIds: readonly string[] }
  /** Submits a file, and writes these rows that many times, slice by slice. */
  | { readonly kind: 'apply'; readonly accountId: number; readonly rows: readonly PartWrite[]; readonly times: number }
  | { readonly kind: 'close' };

/** The result of an order, or the name of the error; also sent when the store is gone. */
export type Report = { readonly done: unknown } | { readonly failed: string } | { readonly fatal: string };

const port = parentPort;
if (port === null) throw new Error('This file runs as a worker thread.');
const tell = (report: Report): void => port.postMessage(report);
const store = await openStoreShare(workerData as StoreShare, (error) => tell({ fatal: error.name }));

port.on('message', (order: Order) => {
  obey(order).then(
    (done) => tell({ done }),
    (error: Error) => tell({ failed: error.name }),
  );
});
tell({ done: 'open' });

async function obey(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'read':
      return Promise.all(
        order.skuIds.map(async (skuId) => store.offers.readPrice({ accountId: order.accountId, skuId })),
      );
    case 'apply':
      return apply(order.accountId, order.rows, order.times);
    case 'close':
      await store.close();
      // Closes the port after the report was sent.
      setImmediate(() => port?.close());
      return 'closed';
  }
}

async function apply(accountId: number, rows: readonly PartWrite[], times: number): Promise<unknown> {
  const fileId = 'a-file';
  await store.files.addFile({ accountId, fileId, createdMs: NOW_MS });
  await store.files.noteUploaded(accountId, fileId, 1);
  const file = await store.files.receiveFile({ accountId, fileId, type: 'Price', name: 'p.json' }, NOW_MS, 0);
  if (file === 'unknown') return file;
  await store.files.startFile(file, NOW_MS);
  let progress: FileProgress = file.progress;
  for (let time = 0; time < times; time++) {
    const done = { ...progress, offset: time };
    const outcomes = await store.files.applyRows({ ...file, progress }, done, rows, NOW_MS);
    if (outcomes === 'stale' || outcomes.some((outcome) => outcome !== 'stored')) return outcomes;
    progress = done;
  }
  return 'stored';
}
