/** In charge of the first of several processes: it has no store and no port, only the others and a log of its own. */
import { EventLog } from '../telemetry/event-log.ts';
import { openLogDestination } from '../telemetry/log-destination.ts';
import { clusterFork } from './cluster-fork.ts';
import { Supervisor } from './supervisor.ts';

/** As it stands in the log; workers are numbered from 1 on. */
const PRIMARY_NUMBER = 0;

/** `script` is what a worker runs, with the arguments of this process. */
export async function openSupervisor(script: string, count: number, logLevel: string): Promise<Supervisor> {
  const log = new EventLog(logLevel, await openLogDestination(process.stderr.isTTY), PRIMARY_NUMBER);
  return new Supervisor({
    count,
    fork: clusterFork(script),
    monotonicMs: () => performance.now(),
    observe: (event, fields) => log.write(event, fields),
  });
}
