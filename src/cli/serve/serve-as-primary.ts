/** Runs `serve` in the primary process: starts the workers, prints their output and stops them. */
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../config/settings.ts';
import { openSupervisor } from '../../processes/open-supervisor.ts';
import { type Supervisor, WorkerFailedError, type WorkerFault } from '../../processes/supervisor.ts';
import { EXIT_CODES, ReportedError, refusal, reportFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { readyJson } from './serve-alone.ts';
import type { ServeOptions } from './serve-options.ts';
import { endWithin, STORE_CLOSE_SECONDS_MAX, type StopSignals, watchStopSignals } from './stop-signals.ts';

const WORKER_SCRIPT = fileURLToPath(new URL('../main.mjs', import.meta.url));

/** How long to wait for workers after their own deadline. Only a worker that hangs needs longer. */
const WORKER_END_SECONDS_MAX = 2;

export async function serveAsPrimary(shell: Shell, settings: Settings, options: ServeOptions): Promise<void> {
  const supervisor = await openSupervisor(WORKER_SCRIPT, options.processes, settings.logLevel);
  const endAtOnce = () => {
    supervisor.kill();
    process.exit(EXIT_CODES.failed);
  };
  // A terminal that is closed sends SIGHUP, and the server must not stay behind.
  const onHangUp = process.stdin.isTTY ? undefined : () => void supervisor.replaceAll();
  const signals = watchStopSignals({ endAtOnce, onHangUp });
  try {
    const faults = [...(await runUntilStopped(shell, options, supervisor, signals))];
    const limit_seconds = settings.stop_seconds + STORE_CLOSE_SECONDS_MAX + WORKER_END_SECONDS_MAX;
    await endWithin(
      limit_seconds,
      supervisor.stop().then((more) => void faults.push(...more)),
      endAtOnce,
    );
    for (const fault of faults) reportFault(shell, options, fault);
    if (faults.length > 0) throw new ReportedError('Workers failed.');
  } finally {
    signals.release();
  }
}

function reportFault(shell: Shell, options: ServeOptions, fault: WorkerFault): void {
  if (typeof fault === 'string') {
    reportFailure(shell, options, refusal('process_lost', fault));
  } else {
    for (const line of fault) shell.err(line);
  }
}

/** Resolves when the workers must stop, with the reason if a worker could not start. */
async function runUntilStopped(
  shell: Shell,
  options: ServeOptions,
  supervisor: Supervisor,
  signals: StopSignals,
): Promise<readonly WorkerFault[]> {
  try {
    const ready = await Promise.race([supervisor.start(), signals.wished]);
    // The command was stopped during the start.
    if (ready === undefined) return [];
    for (const line of ready.said) (options.json ? shell.err : shell.out)(line);
    if (options.json) shell.out(readyJson(ready));
  } catch (error) {
    if (error instanceof WorkerFailedError) return [error.fault];
    throw error;
  }
  await signals.wished;
  return [];
}
