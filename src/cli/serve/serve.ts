/** offerbook serve: runs the server, in one process or in several, until it is stopped. */
import { Option } from 'commander';
import { ROLES } from '../../config/role.ts';
import { SETTINGS } from '../../config/settings.ts';
import { openPrimaryLink } from '../../processes/primary-link.ts';
import type { CliCommand } from '../options.ts';
import type { Shell } from '../shell.ts';
import { serveAlone } from './serve-alone.ts';
import { serveAsPrimary } from './serve-as-primary.ts';
import { serveAsWorker } from './serve-as-worker.ts';
import { assertStoreFits, processCount, type ServeOptions, serveSettings } from './serve-options.ts';

const PROCESSES_TEXT = [
  'Several processes (--processes) and roles (--role) require PostgreSQL; see DATABASE_URL. All processes started by one',
  'command share one address, a process that exits is restarted, and SIGHUP replaces them one after the other (in a terminal, it stops them). Each process has a number ("worker" in its log lines)',
  'and its own metrics: process 1 on the port after METRICS_PORT, process 2 on the next port, and so on. CONNECTIONS_MAX and',
  'DATABASE_POOL_MAX apply to each process. REQUESTS_PER_MINUTE applies to all processes on one database together.',
];

export function addServeCommand(program: CliCommand, shell: Shell): void {
  program
    .command('serve')
    .description(
      'Run the server until SIGINT (Ctrl+C), SIGTERM or SIGHUP. Before it stops, the server finishes requests in flight.',
    )
    .option('--demo', 'add a demo merchant with public credentials; only on loopback addresses')
    .option('--data-dir <folder>', 'folder for the embedded database (overrides DATA_DIR)')
    .option('--host <address>', 'address to listen on (overrides HOST)')
    .option('--port <port>', 'port for the API (overrides PORT)')
    .option('--processes <number>', 'number of processes; auto: one per core', processCount, 1)
    .addOption(
      new Option('--role <role>', 'api: serve requests; worker: do background work; all: both')
        .choices(ROLES)
        .default('all'),
    )
    .notes(
      ...PROCESSES_TEXT,
      '',
      'Settings (environment variables, or lines in the configuration file):',
      ...settingLines(),
    )
    .action((options: ServeOptions) => serve(shell, options))
    .examples(
      'serve',
      'serve --demo',
      'serve --config /etc/offerbook/offerbook.env',
      'serve --data-dir ./data --port 9000',
      'serve --processes auto',
      'serve --role worker',
    );
}

async function serve(shell: Shell, options: ServeOptions): Promise<void> {
  const link = openPrimaryLink();
  if (link !== undefined) return serveAsWorker(shell, options, link);
  const settings = serveSettings(shell, options);
  assertStoreFits(settings, options);
  return options.processes > 1 ? serveAsPrimary(shell, settings, options) : serveAlone(shell, settings, options);
}

function settingLines(): string[] {
  const settings = Object.values(SETTINGS);
  const width = Math.max(...settings.map(({ name }) => name.length));
  return settings.map(({ name, fallback, meaning }) => {
    const standard = fallback === '' ? '' : ` (default: ${fallback})`;
    return `  ${name.padEnd(width)}  ${meaning.replaceAll('`', '')}${standard}`;
  });
}
