/** A worker's channel to the primary. The worker exits immediately if the primary dies. */
import cluster, { type Worker } from 'node:cluster';
import type { WorkerOrder, WorkerReport } from './messages.ts';

export interface PrimaryLink {
  /** Resolves when the primary asks this worker to stop. */
  readonly stopWished: Promise<void>;
  report(report: WorkerReport): Promise<void>;
  /** Must be called at the end: the open channel keeps the process alive. */
  close(): void;
}

/** Returns undefined if this process is not a worker. */
export function openPrimaryLink(): PrimaryLink | undefined {
  const { worker } = cluster;
  return worker === undefined ? undefined : linkOf(worker);
}

function linkOf(worker: Worker): PrimaryLink {
  const { promise: stopWished, resolve } = Promise.withResolvers<void>();
  worker.on('message', ({ kind }: WorkerOrder) => {
    if (kind === 'stop') resolve();
  });
  return {
    stopWished,
    // A failure is ignored, because it means that the primary is gone and this process exits too.
    report: (report) => new Promise((sent) => void worker.send(report, () => sent())),
    close: () => void worker.disconnect(),
  };
}
