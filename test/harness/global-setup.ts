/**
 * Shares one PostgreSQL, a browser and the compile cache between all files of a test run. Without the cache, each process would
 * strip the types of the same files again, which takes a second of CPU time. Temporary folders are in memory if there is room,
 * because the tests create hundreds of databases and sync thousands of small writes.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { QUICK_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { globalSetup as startPostgres } from '../../src/store/postgres/testing/global-setup.ts';
import { installBrowser } from './install-browser.ts';

export { globalTeardown } from '../../src/store/postgres/testing/global-setup.ts';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 8 * 2 ** 30;

/** The test file processes inherit the variables. */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/offerbook', import.meta.url));
  if (process.env.TMPDIR === undefined && hasMemoryFolder()) process.env.TMPDIR = MEMORY_FOLDER;
  if (!process.env[QUICK_VARIABLE]) installBrowser();
  await startPostgres();
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
