/**
 * Starts worker processes with node:cluster, so that all of them listen on one address: this process accepts connections and
 * distributes them round-robin.
 */
import cluster from 'node:cluster';
import { NUMBER_VARIABLE, type WorkerReport } from './messages.ts';
import type { Fork } from './supervisor.ts';

/** `script`: what a worker runs, with the arguments of this process. */
export function clusterFork(script: string): Fork {
  cluster.setupPrimary({ exec: script });
  return (number, listener) => {
    const worker = cluster.fork({ [NUMBER_VARIABLE]: String(number) });
    worker.on('message', (report: WorkerReport) => listener.reported(report));
    worker.once('exit', (code: number | null, signal: string | null) => listener.ended(code ?? signal ?? 'unknown'));
    worker.on('error', (error) => {
      // With a pid, the error is a message that a dying worker did not receive, and `exit` follows.
      if (worker.process.pid === undefined) listener.ended(error.message);
    });
    return {
      pid: worker.process.pid,
      tell: (order) => {
        if (worker.isConnected()) worker.send(order, () => {});
      },
      kill: () => void worker.process.kill('SIGKILL'),
    };
  };
}
