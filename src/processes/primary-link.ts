/** In charge of a worker's side of the talk with the primary. It ends at once when the primary is gone. */
import cluster, { type Worker } from 'node:cluster';
import type { WorkerOrder, WorkerReport } from './messages.ts';

export interface PrimaryLink {
  /** Resolves when the primary wants this worker to stop. */
  readonly stopWished: Promise<void>;
  report(report: WorkerReport): Promise<void>;
  /** Without this the talk keeps the process alive. */
  close(): void;
}

/** Undefined where this process is no worker. */
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
    // Told to nobody when it fails: the primary is gone then, and this process with it.
    report: (report) => new Promise((sent) => void worker.send(report, () => sent())),
    close: () => void worker.disconnect(),
  };
}
