/**
 * Shares one PostgreSQL, a browser and the compile cache between all files of a test run. Without the cache, each process would
 * strip the types of the same files again, which takes a second of CPU time. Temporary folders are in memory if there is room,
 * because the tests create hundreds of databases and sync thousands of small writes. All are in one folder of the run, so that the next
 * run can remove what a killed run left.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { QUICK_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import {
  globalSetup as startPostgres,
  globalTeardown as stopPostgres,
} from '../../src/store/postgres/testing/global-setup.ts';
import { installBrowser } from './install-browser.ts';

const RUN_FOLDER = /^offerbook-run-(\d+)$/;
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 8 * 2 ** 30;

let runFolder: string | undefined;

/** The test file processes inherit the variables. */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/offerbook', import.meta.url));
  if (process.env.TMPDIR === undefined) {
    runFolder = createRunFolder(hasMemoryFolder() ? MEMORY_FOLDER : tmpdir());
    process.env.TMPDIR = runFolder;
  }
  if (!process.env[QUICK_VARIABLE]) installBrowser();
  await startPostgres();
}

export async function globalTeardown(): Promise<void> {
  await stopPostgres();
  if (runFolder !== undefined) rmSync(runFolder, { recursive: true, force: true, maxRetries: 20 });
}

/** Creates the folder of this run, and removes the folders of runs whose process is gone. */
export function createRunFolder(parent: string): string {
  for (const name of readdirSync(parent)) {
    const [, pid] = RUN_FOLDER.exec(name) ?? [];
    if (pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid)))) {
      const folder = path.join(parent, name);
      unmountDisks(folder);
      removeIfAllowed(folder);
    }
  }
  const folder = path.join(parent, `offerbook-run-${process.pid}`);
  mkdirSync(folder);
  // PostgreSQL may run as another user, who needs to reach its own folder in this one.
  chmodSync(folder, 0o755);
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A killed run leaves its small disks (small-disk.ts) mounted, and a folder with a mounted disk cannot be removed. */
function unmountDisks(folder: string): void {
  if (process.platform !== 'linux') return;
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, mounted] = line.split(' ');
    if (mounted?.startsWith(`${folder}/`)) spawnSync('umount', ['--lazy', mounted]);
  }
}

/** Another user's run may have left the folder. */
function removeIfAllowed(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'EACCES') throw error;
  }
}

/** Returns false if programs cannot run in the folder: tests start some from temporary folders, but containers often forbid it. */
function hasMemoryFolder(): boolean {
  if (process.platform !== 'linux' || freemem() < MEMORY_BYTES_MIN) return false;
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, folder]) => folder === MEMORY_FOLDER);
  if (mount?.[2] !== 'tmpfs' || mount[3]?.split(',').includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize >= MEMORY_BYTES_MIN;
}
