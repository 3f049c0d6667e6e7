/** Runs `serve` in a worker process. Output for people goes to the primary, which prints it once. */
import { flushCompileCache } from 'node:module';
import type { PrimaryLink } from '../../processes/primary-link.ts';
import { NUMBER_VARIABLE, PORT_VARIABLE } from '../../processes/primary-link.ts';
import { EXIT_CODES, ReportedError, reportFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { type ServeOptions, serveSettings } from './serve-options.ts';
import { stopInTime, watchStopSignals } from './stop-signals.ts';

export async function serveAsWorker(shell: Shell, options: ServeOptions, link: PrimaryLink): Promise<void> {
  // Ctrl+C in a terminal reaches workers directly, so a worker may get both the signal and the stop message of the primary.
  // The primary decides what SIGHUP means.
  const signals = watchStopSignals({ onHangUp: () => {} });
  try {
    const settings = serveSettings(shell, options);
    const said: string[] = [];
    const port = shell.variables[PORT_VARIABLE];
    const { startOfferbook } = await import('../../main.ts');
    const offerbook = await startOfferbook(settings, {
      demo: options.demo ?? false,
      role: options.role,
      process,
      worker: Number(shell.variables[NUMBER_VARIABLE]),
      sharedPort: port === undefined ? undefined : Number(port),
      say: (line) => said.push(line),
      // The error is in the log by now; the primary replaces this process.
      onFatal: () => process.exit(EXIT_CODES.failed),
    });
    await link.report({ kind: 'ready', url: offerbook.url, said });
    flushCompileCache();
    await Promise.race([signals.wished, link.stopWished]);
    await stopInTime(shell, settings, offerbook);
  } catch (error) {
    const lines: string[] = [];
    reportFailure({ err: (line) => lines.push(line) }, options, error);
    await link.report({ kind: 'failed', lines });
    throw new ReportedError('The worker could not start. The primary process has already received the reason.', {
      cause: error,
    });
  } finally {
    signals.release();
    link.close();
  }
}
