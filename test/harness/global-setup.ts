/**
 * Shares one PostgreSQL, a browser and the compile cache between all files of a test run. Without the cache each process would
 * strip the types of the same 300 files again, which costs a second of CPU time.
 */
import { fileURLToPath } from 'node:url';
import { QUICK_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { globalSetup as startPostgres } from '../../src/store/postgres/testing/global-setup.ts';
import { installBrowser } from './install-browser.ts';

export { globalTeardown } from '../../src/store/postgres/testing/global-setup.ts';

/** The test file processes inherit the variables. */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/offerbook', import.meta.url));
  if (!process.env[QUICK_VARIABLE]) installBrowser();
  await startPostgres();
}
