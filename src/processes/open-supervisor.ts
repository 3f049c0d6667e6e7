/** Opens the supervisor in the primary process, which has a log but no database and no port. */
import cluster from 'node:cluster';
import { EventLog, openLogDestination } from '../telemetry/event-log.ts';
import { NUMBER_VARIABLE, PORT_VARIABLE, type WorkerReport } from './primary-link.ts';
import { type Fork, Supervisor } from './supervisor.ts';

/** `worker` in the primary's log lines; workers are numbered from 1. */
const PRIMARY_NUMBER = 0;

/** `script`: what a worker runs, with the arguments of this process. */
export async function openSupervisor(script: string, count: number, logLevel: string): Promise<Supervisor> {
  const log = new EventLog(logLevel, await openLogDestination(process.stderr.isTTY), PRIMARY_NUMBER);
  return new Supervisor({
    count,
    fork: clusterFork(script),
    monotonicMs: () => performance.now(),
    observe: (event, fields) => log.write(event, fields),
  });
}

/**
 * Returns the function that starts a worker. The workers listen on one address. This process accepts no connections: one that it had passed
 * to a worker would stay open without a response if the worker died before it took it (see docs/decisions/0042).
 */
function clusterFork(script: string): Fork {
  // Only systems on which processes cannot share a port need a policy: the workers accept from one socket there.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: script });
  let port: string | undefined;
  return (number, listener) => {
    const worker = cluster.fork({ [NUMBER_VARIABLE]: String(number), ...(port && { [PORT_VARIABLE]: port }) });
    worker.on('message', (report: WorkerReport) => {
      // If PORT is 0, the first worker picks a free port.
      if (report.kind === 'ready') port ??= /\d+$/.exec(report.url)?.[0];
      listener.reported(report);
    });
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
