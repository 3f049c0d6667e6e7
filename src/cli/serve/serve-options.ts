/** Options of `serve`: settings, number of processes, and role. */
import { availableParallelism } from 'node:os';
import { CommanderError, InvalidArgumentError } from 'commander';
import type { Role } from '../../config/role.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import { EXIT_CODES } from '../failure.ts';
import type { OutputOptions, Shell } from '../shell.ts';

export interface ServeOptions extends OutputOptions {
  readonly demo?: true;
  readonly processes: number;
  readonly role: Role;
  readonly dataDir?: string;
  readonly host?: string;
  readonly port?: string;
}

/** Options override the environment, which overrides the configuration file. */
export function serveSettings(shell: Shell, { dataDir, host, port }: ServeOptions): Settings {
  const given = Object.entries({ DATA_DIR: dataDir, HOST: host, PORT: port }).filter(
    ([, value]) => value !== undefined,
  );
  return readSettings({ ...shell.variables, ...Object.fromEntries(given) });
}

/** Limited because each process opens its own connections to the database. */
const PROCESSES_MAX = 256;

/** Throws when several processes would share the embedded database. */
export function assertStoreFits({ databaseUrl }: Settings, { processes, role }: ServeOptions): void {
  if (databaseUrl !== undefined) return;
  const refused = processes > 1 ? `--processes ${processes}` : role !== 'all' ? `--role ${role}` : undefined;
  if (refused === undefined) return;
  const text = `${refused} requires PostgreSQL, because only one process with the role all can use the embedded database. Set DATABASE_URL.`;
  throw new CommanderError(EXIT_CODES.usage, 'offerbook.storeNotShared', text);
}

export function processCount(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), PROCESSES_MAX);
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > PROCESSES_MAX) {
    throw new InvalidArgumentError(`It must be auto, or a whole number from 1 to ${PROCESSES_MAX}.`);
  }
  return count;
}
