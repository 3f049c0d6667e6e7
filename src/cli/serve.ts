/** offerbook serve: runs the server until it is told to stop. */
import { flushCompileCache } from 'node:module';
import type { Command } from 'commander';
import { readSettings, SETTINGS } from '../config/settings.ts';
import { EXIT_CODES, reportFailure } from './failure.ts';
import { finish } from './options.ts';
import type { OutputOptions, Shell } from './shell.ts';
import { endWithin, watchStopSignals } from './stop-signals.ts';

/** Beyond STOP_SECONDS: writes that were taken are finished and the log is tidied, which takes milliseconds. */
const STORE_CLOSE_SECONDS_MAX = 10;

interface ServeOptions extends OutputOptions {
  readonly demo?: true;
}

export function addServeCommand(program: Command, shell: Shell): void {
  finish(
    program
      .command('serve')
      .description('Runs the server until SIGINT (Ctrl+C) or SIGTERM; requests under way are finished first.')
      .option('--demo', 'with a demo merchant whose credentials are known; only where nobody else can reach it')
      .addHelpText('after', ['', 'Settings (environment variables):', ...settingLines()].join('\n'))
      .action((options: ServeOptions) => serve(shell, options)),
    ['serve', 'serve --demo'],
  );
}

async function serve(shell: Shell, options: ServeOptions): Promise<void> {
  const settings = readSettings(shell.variables);
  // Before the start, so that a signal in the middle of it still leads to a stop in good order.
  const signals = watchStopSignals(
    process,
    () => performance.now(),
    () => process.exit(EXIT_CODES.failed),
  );
  try {
    // Loaded only here: the other commands need no server and should start fast.
    const { startOfferbook } = await import('../main.ts');
    const offerbook = await startOfferbook(settings, {
      demo: options.demo ?? false,
      say: options.json ? shell.err : shell.out,
      onFatal: (error) => process.exit(reportFailure(shell, options, error)),
    });
    if (options.json) shell.out(JSON.stringify({ url: offerbook.url }));
    // Kept now and not only at the end, which a server that is killed never reaches.
    flushCompileCache();
    await signals.wished;
    await endWithin(settings.stopSeconds + STORE_CLOSE_SECONDS_MAX, offerbook.close(), () => {
      shell.err('The store did not close in time; what was answered is safe, the rest is undone at the next start.');
      process.exit(EXIT_CODES.failed);
    });
  } finally {
    signals.release();
  }
}

function settingLines(): string[] {
  const settings = Object.values(SETTINGS);
  const width = Math.max(...settings.map(({ name }) => name.length));
  return settings.map(({ name, fallback, meaning }) => {
    const standard = fallback === '' ? '' : ` (default: ${fallback})`;
    return `  ${name.padEnd(width)}  ${meaning.replaceAll('`', '')}${standard}`;
  });
}
