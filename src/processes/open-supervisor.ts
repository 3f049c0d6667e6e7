/** Opens the supervisor in the primary process, which has a log but no database and no port. */
import { EventLog } from '../telemetry/event-log.ts';
import { openLogDestination } from '../telemetry/log-destination.ts';
import { clusterFork } from './cluster-fork.ts';
import { Supervisor } from './supervisor.ts';

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
