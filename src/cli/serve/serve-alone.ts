/** Runs `serve` in one process. */
import { flushCompileCache } from 'node:module';
import type { Settings } from '../../config/settings.ts';
import { reportFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { ServeOptions } from './serve-options.ts';
import { stopInTime, watchStopSignals } from './stop-signals.ts';

export async function serveAlone(shell: Shell, settings: Settings, options: ServeOptions): Promise<void> {
  // Registered before the start, so that a signal during the start also leads to a graceful stop.
  const signals = watchStopSignals();
  try {
    // Loaded here, because other commands need no server and should start fast.
    const { startOfferbook } = await import('../../main.ts');
    const offerbook = await startOfferbook(settings, {
      demo: options.demo ?? false,
      role: options.role,
      process,
      say: options.json ? shell.err : shell.out,
      onFatal: (error) => process.exit(reportFailure(shell, options, error)),
    });
    if (options.json) shell.out(readyJson(offerbook));
    // Node writes the cache when the process exits. A killed server would write none.
    flushCompileCache();
    await signals.wished;
    await stopInTime(shell, settings, offerbook);
  } finally {
    signals.release();
  }
}

/** Returns the output of `serve --json`, for programs that start the server. */
export function readyJson({ url }: { readonly url: string }): string {
  return JSON.stringify({ url: url === '' ? null : url });
}
