/** A worker's channel to the primary, with the messages between them. The worker exits immediately if the primary dies. */
import cluster from 'node:cluster';

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
  if (worker === undefined) return undefined;
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

export type WorkerReport =
  | {
      readonly kind: 'ready';
      /** Empty if the worker does not listen. */
      readonly url: string;
      /** Lines for the operator, in order. */
      readonly said: readonly string[];
    }
  /** The worker could not start; the lines are its error output. */
  | { readonly kind: 'failed'; readonly lines: readonly string[] };

export interface WorkerOrder {
  readonly kind: 'stop';
}

/** Environment variable with the worker's number, from 1. A restarted worker keeps its number. */
export const NUMBER_VARIABLE = 'WORKER_NUMBER';
/** Environment variable with the port on which other workers listen; absent for the first worker at the start. */
export const PORT_VARIABLE = 'WORKER_PORT';
